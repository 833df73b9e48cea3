/** TLS with an authority of its own: what passes, and that every mismatch is one error in time and few lines of log. */

import { type AddressInfo, connect, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { ValkeyConnectionOptions } from "../../../src/valkey/connection.ts";
import { type Authority, createAuthority } from "../../server/certificates.ts";
import { startServer } from "../../server/start-server.ts";
import { useServer } from "../../server/use-server.ts";
import { errorOf, openEngine, recordingPorts, until } from "../valkey/setup-engine.ts";
import { runClasses } from "./whole-api.ts";

/** Authorities that live as long as the file. */
function useAuthorities(): () => { readonly own: Authority; readonly foreign: Authority } {
  let authorities: { own: Authority; foreign: Authority } | undefined;
  beforeAll(() => {
    authorities = { own: createAuthority(), foreign: createAuthority() };
  });
  afterAll(() => {
    authorities?.own.remove();
    authorities?.foreign.remove();
  });
  return () => authorities as { own: Authority; foreign: Authority };
}

const CLIENTS = ["iovalkey", "ioredis"] as const;

/** The time of a call that ends only when it is over. */
const SHORT_MS = 2000;

describe.each(CLIENTS)("TLS by %s", (client) => {
  const authorities = useAuthorities();
  const plain = useServer({ tcp: true });
  const setup = async (asksClients = true) => {
    const { own, foreign } = authorities();
    const tls = { caPath: own.caPath, certPath: own.server.certPath, keyPath: own.server.keyPath, asksClients };
    const server = await startServer({ tcp: true, tls });
    onTestFinished(() => server.stop());
    const good = { ca: own.ca, cert: own.client.cert, key: own.client.key };
    return { own, foreign, server, good, port: server.port as number };
  };
  /** What a call on a connection ends with, after how long, and how many lines were written meanwhile. */
  const failureOf = async (connection: ValkeyConnectionOptions, commandTimeoutMs = 30_000) => {
    const ports = recordingPorts();
    const start = performance.now();
    const engine = openEngine({ connection: { client, ...connection }, ports, commandTimeoutMs });
    const error = await errorOf(engine.command(["PING"]));
    expect(performance.now() - start).toBeLessThan(commandTimeoutMs + 10_000);
    expect(ports.logger.lines.length).toBeLessThanOrEqual(3);
    return { error, engine };
  };

  it("runs queues and workers over encrypted sockets, with and without a certificate of the client", async () => {
    const { server, good } = await setup();
    await runClasses({ client, url: server.url, tls: good }, "mail");
    const open = await setup(false);
    await runClasses({ client, url: open.server.url.replace("valkeys", "rediss"), tls: { ca: open.own.ca } }, "mail");
  });

  it("checks the certificate for the name that servername gives, and none when told so", async () => {
    const { server, good } = await setup();
    const named = openEngine({ connection: { client, url: server.url, tls: { ...good, servername: "localhost" } } });
    expect(await named.command(["PING"])).toBe("PONG");
    const { ca: _, ...own } = good;
    const blind = openEngine({ connection: { client, url: server.url, tls: { ...own, rejectUnauthorized: false } } });
    expect(await blind.command(["PING"])).toBe("PONG");
    const { error } = await failureOf({ url: server.url, tls: { ...good, servername: "elsewhere" } });
    expect(error).toMatchObject({ code: "invalid_connection", message: expect.stringContaining("servername") });
  });

  it("refuses for good an authority that it does not know", async () => {
    const { server, good, foreign } = await setup();
    for (const tls of [{}, { ...good, ca: foreign.ca }]) {
      const { error, engine } = await failureOf({ url: server.url, tls });
      expect(error).toMatchObject({
        code: "invalid_connection",
        retryable: false,
        message: expect.stringMatching(/^TLS with the server failed: .*tls: \{ ca \}/),
      });
      expect(await errorOf(engine.ready())).toBe(error);
    }
  });

  it("says that the server wants a certificate, or does not take the one that it got", async () => {
    const { server, good, own, foreign } = await setup();
    const none = await failureOf({ url: server.url, tls: { ca: own.ca } });
    expect(none.error).toMatchObject({
      code: "invalid_connection",
      message: expect.stringContaining("wants a certificate of this client"),
    });
    const wrong = { ca: good.ca, cert: foreign.client.cert, key: foreign.client.key };
    const { error } = await failureOf({ url: server.url, tls: wrong });
    expect(error).toMatchObject({
      code: "invalid_connection",
      message: expect.stringContaining("does not accept the certificate"),
    });
  });

  it("hears why the server refuses its certificate also when a reset has swallowed the reason", async () => {
    const { server, good, foreign } = await setup();
    let isFirst = true;
    const proxy = createServer((near) => {
      const far = connect(server.port as number, "127.0.0.1");
      const swallows = isFirst;
      isFirst = false;
      for (const socket of [near, far]) socket.on("error", () => {});
      near.pipe(far);
      // The server says hello, then what it has against the certificate.
      far.once("data", (hello) => {
        near.write(hello);
        if (swallows) far.once("data", () => near.resetAndDestroy());
        else far.pipe(near);
      });
      near.on("close", () => far.destroy());
      far.on("close", () => near.destroySoon());
    });
    onTestFinished(() => void proxy.close());
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const { port } = proxy.address() as AddressInfo;
    const tls = { ca: good.ca, cert: foreign.client.cert, key: foreign.client.key };
    const { error } = await failureOf({ host: "127.0.0.1", port, tls });
    expect(error).toMatchObject({ code: "invalid_connection", details: { tls: expect.stringContaining("ALERT") } });
    expect(isFirst).toBe(false);
  });

  it("guesses what is wrong when only one side speaks TLS", async () => {
    const { port } = await setup();
    const toTls = await failureOf({ host: "127.0.0.1", port }, SHORT_MS);
    expect(toTls.error).toMatchObject({ code: "disconnected", message: expect.stringContaining("valkeys://") });
    const toPlain = await failureOf({ host: "127.0.0.1", port: plain().port as number, tls: true }, SHORT_MS);
    expect(toPlain.error).toMatchObject({
      code: "disconnected",
      message: expect.stringContaining("does this port speak TLS?"),
    });
  });

  it("goes on trying when the server's certificate has become bad, and heals when it is good again", async () => {
    const { own, server, good } = await setup();
    const ports = recordingPorts();
    const engine = openEngine({ connection: { client, url: server.url, tls: good }, ports });
    await engine.ready();
    const expired = createAuthority();
    onTestFinished(() => expired.remove());
    await server.command(
      "CONFIG",
      "SET",
      "tls-cert-file",
      expired.server.certPath,
      "tls-key-file",
      expired.server.keyPath,
    );
    await server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await until(() => ports.logger.messages("warn").some((line) => line.includes("TLS with the server failed")));
    expect(engine.state).toBe("down");
    await server.command("CONFIG", "SET", "tls-cert-file", own.server.certPath, "tls-key-file", own.server.keyPath);
    expect(await engine.command(["PING"])).toBe("PONG");
  });
});
