/** Connections that name several servers: clusters, and primaries behind sentinels. */

import { describe, expect, it } from "vitest";
import { parseConnection } from "../../../src/valkey/connection.ts";

const ONE_TWO = [
  { host: "one", port: 7001 },
  { host: "two", port: 6379 },
];

describe("a connection to a cluster", () => {
  it("is read from a URL and from options alike", () => {
    const read = parseConnection("valkey-cluster://ada:p%40ss@one:7001,two?client=ioredis");
    expect(read).toMatchObject({ cluster: ONE_TWO, username: "ada", password: "p@ss", client: "ioredis", db: 0 });
    expect(read.name).toBe("valkey-cluster://one:7001,two:6379");
    expect(read.sentinel).toBeUndefined();
    const options = { cluster: [{ host: "one", port: 7001 }, { host: "two" }], username: "ada", password: "p@ss" };
    expect(parseConnection({ ...options, client: "ioredis" })).toEqual(read);
  });

  it("takes addresses of IPv6 in brackets, and encrypts by its scheme", () => {
    const read = parseConnection("rediss-cluster://[::1]:7001,10.0.0.1");
    expect(read.cluster).toEqual([
      { host: "::1", port: 7001 },
      { host: "10.0.0.1", port: 6379 },
    ]);
    expect(read.tls).toEqual({});
    // The name that a certificate is checked for differs from node to node.
    expect(parseConnection("valkeys-cluster://one").tls).toEqual({});
  });

  it.each([
    [{ cluster: [] }, "at least one"],
    [{ cluster: [{ port: 1 }] }, "{ host, port }"],
    [{ cluster: [{ host: "one", port: 70_000 }] }, "65535"],
    [{ cluster: [{ host: "one" }], db: 1 }, "database 0"],
    [{ cluster: [{ host: "one" }], host: "two" }, "one of cluster, host"],
  ])("is refused where it is written: %j", (options, reason) => {
    expect(() => parseConnection(options as never)).toThrow(
      expect.objectContaining({ code: "invalid_connection", message: expect.stringContaining(reason) }),
    );
  });

  it("is refused as a URL with a database", () => {
    expect(() => parseConnection("valkey-cluster://one/1")).toThrow(/database 0/);
  });
});

describe("a connection by sentinels", () => {
  it("is read from a URL and from options alike", () => {
    const read = parseConnection("valkey-sentinel://:secret@one:7001,two:6379/main/3");
    expect(read).toMatchObject({ password: "secret", db: 3, tls: undefined });
    expect(read.sentinel).toEqual({
      sentinels: ONE_TWO,
      name: "main",
      username: undefined,
      password: undefined,
      tls: undefined,
    });
    expect(read.name).toBe("valkey-sentinel://one:7001,two:6379/main/3");
    expect(parseConnection({ sentinels: ONE_TWO, name: "main", db: 3, password: "secret" })).toEqual(read);
  });

  it("has the usual port of a sentinel, and passwords and encryption of its own for them", () => {
    const own = { sentinelUsername: "watcher", sentinelPassword: "pw", sentinelTls: true };
    const read = parseConnection({ sentinels: [{ host: "one" }], name: "main", ...own });
    expect(read.sentinel).toEqual({
      sentinels: [{ host: "one", port: 26_379 }],
      name: "main",
      username: "watcher",
      password: "pw",
      tls: {},
    });
    expect(read.password).toBeUndefined();
    expect(JSON.stringify(read.name)).not.toContain("pw");
  });

  it.each([
    [{ sentinels: [{ host: "one" }] }, "The option name"],
    [{ name: "main" }, "goes with sentinels"],
    [{ sentinelPassword: "x", host: "one" }, "goes with sentinels"],
    [{ sentinels: ONE_TWO, name: "main", cluster: ONE_TWO }, "one of cluster, sentinels"],
  ])("is refused where it is written: %j", (options, reason) => {
    expect(() => parseConnection(options as never)).toThrow(
      expect.objectContaining({ code: "invalid_connection", message: expect.stringContaining(reason) }),
    );
  });
});
