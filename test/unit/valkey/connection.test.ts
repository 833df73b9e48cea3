import { describe, expect, it } from "vitest";
import { parseConnection } from "../../../src/valkey/connection.ts";

const PLAIN = {
  place: { host: "localhost", port: 6379 },
  username: undefined,
  password: undefined,
  db: 0,
  tls: undefined,
  client: "iovalkey",
  protocol: 2,
  connectTimeoutMs: 5000,
  name: "valkey://localhost:6379/0",
};

describe("a connection", () => {
  it.each([
    ["valkey://localhost", {}],
    ["redis://localhost", {}],
    [
      "valkey://example.com:7000/3",
      { place: { host: "example.com", port: 7000 }, db: 3, name: "valkey://example.com:7000/3" },
    ],
    ["valkey://[::1]:7000", { place: { host: "::1", port: 7000 }, name: "valkey://[::1]:7000/0" }],
    ["valkey://:secret@localhost", { password: "secret" }],
    ["valkey://ada:p%40ss%2Fword@localhost", { username: "ada", password: "p@ss/word" }],
    ["valkey://ada@localhost", { username: "ada", password: "" }],
    ["valkey://localhost?db=2", { db: 2, name: "valkey://localhost:6379/2" }],
    [
      "valkey://localhost/1?client=ioredis&protocol=3",
      { db: 1, client: "ioredis", protocol: 3, name: "valkey://localhost:6379/1" },
    ],
    [
      "valkeys://host",
      { place: { host: "host", port: 6379 }, tls: { servername: "host" }, name: "valkeys://host:6379/0" },
    ],
    ["rediss://10.0.0.1", { place: { host: "10.0.0.1", port: 6379 }, tls: {}, name: "valkeys://10.0.0.1:6379/0" }],
    ["unix:/run/valkey.sock", { place: { path: "/run/valkey.sock" }, name: "unix:/run/valkey.sock?db=0" }],
    [
      "unix:///run/valkey.sock?db=4",
      { place: { path: "/run/valkey.sock" }, db: 4, name: "unix:/run/valkey.sock?db=4" },
    ],
    [
      "unix://:pw@/run/a%20b.sock",
      { place: { path: "/run/a b.sock" }, password: "pw", name: "unix:/run/a b.sock?db=0" },
    ],
  ])("is read from the URL %s", (url, expected) => {
    expect(parseConnection(url)).toEqual({ ...PLAIN, ...expected });
  });

  it("is read from options, which win over the parts of a URL beside them", () => {
    expect(parseConnection({})).toEqual(PLAIN);
    expect(parseConnection({ url: "valkey://a:pw@host/1", db: 2, connectTimeoutMs: 100 })).toEqual({
      ...PLAIN,
      place: { host: "host", port: 6379 },
      username: "a",
      password: "pw",
      db: 2,
      connectTimeoutMs: 100,
      name: "valkey://host:6379/2",
    });
    expect(parseConnection({ path: "/s", password: "pw" })).toMatchObject({ place: { path: "/s" }, password: "pw" });
    expect(parseConnection({ tls: { ca: "x" } }).tls).toEqual({ servername: "localhost", ca: "x" });
    expect(parseConnection({ url: "valkeys://host", tls: false }).tls).toBeUndefined();
  });

  it.each([
    ["not a url", /is no URL; give valkey:/],
    ["memory", /is no URL; give valkey:.* or memory:\.$/],
    ["./jobs", /is no URL; give .* file:\.\/folder/],
    [{ url: "memory:" }, /memory takes no options: give memory: in their place/],
    ["http://localhost", /scheme http: is not known; give valkey:/],
    ["valkey://", /names no host/],
    ["valkey://localhost:99999", /is no URL/],
    ["valkey://localhost/x", /db is a whole number/],
    ["valkey://localhost?db=-1", /db is a whole number/],
    ["valkey://localhost?client=redis", /client is one of iovalkey, ioredis/],
    ["valkey://localhost?protocol=3", /Protocol 3 needs ioredis 6/],
    ["valkey://localhost?client=ioredis&protocol=4", /protocol is 2 or 3/],
    ["valkey://a:%zz@localhost", /password has a broken percent escape/],
    ["valkey://a:b#c@localhost", /is no URL|must be written as %23/],
    ["unix:", /needs a path/],
    [{ path: "" }, /needs a path/],
    [{ path: "/s", host: "h" }, /a host or the path/],
    [{ host: "" }, /host is empty/],
    [{ url: 5 as unknown as string }, /url must be a text/],
    [{ port: 0 }, /port is a whole number from 1 to 65535/],
    [{ port: 1.5 }, /port is a whole number/],
    [{ db: -1 }, /db is a whole number/],
    [{ password: 5 as unknown as string }, /password must be a text/],
    [{ tls: "yes" as unknown as boolean }, /tls is true, false or an object/],
    [{ connectTimeoutMs: 0 }, /connectTimeoutMs is a whole number/],
    [null as unknown as string, /an options object or a client/],
    [7 as unknown as string, /an options object or a client/],
  ])("is refused with what would be right: %j", (input, message) => {
    expect(() => parseConnection(input)).toThrow(
      expect.objectContaining({ code: "invalid_connection", message: expect.stringMatching(message) }),
    );
  });

  it.each([[{ pasword: "x" }], ["valkey://localhost?timeout=5"]])(
    "names the options when one is unknown: %j",
    (input) => {
      expect(() => parseConnection(input as string)).toThrow(
        expect.objectContaining({ code: "unknown_option", message: expect.stringMatching(/it takes .*db/) }),
      );
    },
  );

  it("never shows a password, neither in its name nor in a refusal", () => {
    for (const url of [
      "valkey://u:hunter2@h:99999",
      "gopher://u:hunter2@h",
      "valkey://u:hunter2@h/x",
      "valkey://u:hunter2@h",
    ]) {
      let shown: string;
      try {
        shown = parseConnection(url).name;
      } catch (error) {
        shown = (error as Error).message;
      }
      expect(shown).not.toContain("hunter2");
    }
  });
});
