/** `echomq export` and `echomq import`: what they write, tell and refuse. */

import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCli } from "../../../src/cli/cli.ts";
import { fakeHost } from "./fake-host.ts";
import { setupStore } from "./store.ts";

function setup() {
  const folder = mkdtempSync(join(tmpdir(), "echomq-transfer-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return {
    source: setupStore({ isBare: true }),
    target: setupStore({ isBare: true }),
    path: join(folder, "mail.ndjson"),
  };
}

describe("export and import", () => {
  it("take a queue through a file that only its owner may read", async () => {
    const { source, target, path } = setup();
    await source.queue.add("welcome", { to: "ada" });
    await source.queue.pause();
    expect(await source.run(["export", "mail", "--out", path])).toMatchObject({ code: 0, err: "" });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const dry = await target.run(["import", path, "--dry-run"]);
    expect(dry.out).toMatch(/^mail {2}one job\nwhole, of \d{4}-\d\d-\d\dT/);
    const { code, out } = await target.run(["import", path]);
    expect(code).toBe(0);
    expect(out).toContain("mail  one job  paused, as it was\nimported  one job of one queue; the doctor is content\n");
    expect(await target.queue.getJobCounts("pending")).toEqual({ pending: 1 });
  });

  it("take a queue through a pipe, and keep words out of it", async () => {
    const { source, target } = setup();
    await source.queue.add("welcome", { to: "Zoë" });
    const { out, err } = await source.run(["export", "mail"]);
    for (const line of out.trimEnd().split("\n")) expect(JSON.parse(line)).toBeTypeOf("object");
    expect(err).toContain("exported  one job of one queue");
    const { code, json } = await target.runJson(["import"], { input: [out.slice(0, 40), out.slice(40)] });
    expect({ code, json }).toMatchObject({ code: 0, json: { jobs: 1, isExact: true, queues: [{ queue: "mail" }] } });
  });

  it("tell programs what they did", async () => {
    const { source, path } = setup();
    await source.queue.add("welcome", 1);
    const { json } = await source.runJson(["export", "--out", path]);
    expect(json).toMatchObject({ file: path, jobs: 1, bytes: statSync(path).size, isExact: true, partners: [] });
    expect(await source.runJson(["export"])).toMatchObject({ code: 2, json: { error: { code: "usage" } } });
    const refused = await source.runJson(["import", path]);
    expect(refused).toMatchObject({ code: 1, json: { error: { code: "queue_not_empty" } } });
    writeFileSync(path, readFileSync(path).subarray(0, -9));
    expect(await source.runJson(["import", path])).toMatchObject({ code: 1, json: { error: { code: "bad_export" } } });
    const missing = await source.runJson(["import", `${path}.no`]);
    expect(missing).toMatchObject({ code: 1, json: { error: { code: "bad_file" } } });
  });

  it("refuse a queue that is not there, and say when there is none at all", async () => {
    const { source, path } = setup();
    const { code, out } = await source.run(["export", "--out", path]);
    expect(code).toBe(0);
    expect(out).toMatch(/no queue here: the export is whole, and empty\n$/);
    rmSync(path);
    await source.queue.add("welcome", 1);
    const refused = await source.runJson(["export", "mial", "--out", path]);
    expect(refused).toMatchObject({ code: 1, json: { error: { code: "queue_absent" } } });
    expect(existsSync(path)).toBe(false);
    const toOutput = await source.run(["export", "mial"]);
    expect([toOutput.code, toOutput.out]).toEqual([1, ""]);
    expect(toOutput.err).toContain('There is no queue "mial" here');
  });

  it("write into a pipe and out of one, which can be read once", async () => {
    const { source, target, path } = setup();
    await source.queue.add("welcome", { to: "ada" });
    execFileSync("mkfifo", [path]);
    const [written, taken] = await Promise.all([
      source.runJson(["export", "--out", path]),
      target.runJson(["import", path]),
    ]);
    expect(written).toMatchObject({ code: 0, json: { jobs: 1 } });
    expect(taken).toMatchObject({ code: 0, json: { jobs: 1 } });
    expect(statSync(path).isFIFO()).toBe(true);
  });

  it("leave devices, links and folders what they are", async () => {
    const { source, path } = setup();
    await source.queue.add("welcome", 1);
    symlinkSync("/dev/null", path);
    expect(await source.runJson(["export", "--out", path])).toMatchObject({ code: 0 });
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
    rmSync(path);
    writeFileSync(`${path}.real`, "the one before");
    symlinkSync(`${path}.real`, path);
    expect(await source.runJson(["export", "--out", path])).toMatchObject({ code: 0 });
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(`${path}.real`, "utf8")).toContain("echomq-export");
    mkdirSync(`${path}.folder`);
    const folder = await source.runJson(["export", "--out", `${path}.folder`]);
    expect(folder).toMatchObject({ code: 1, json: { error: { code: "bad_file" } } });
    expect(existsSync(`${path}.folder.part`)).toBe(false);
  });

  it("leave the file before alone until the next one is whole", async () => {
    const { source, path } = setup();
    writeFileSync(path, "the one before");
    await source.queue.addBulk(Array.from({ length: 150 }, () => ({ name: "a", data: 1 })));
    const host = fakeHost({ env: { ECHOMQ_URL: "valkey://store" } });
    let isPressed = false;
    const engine = source.openEngine({
      url: "",
      isReadonly: true,
      wireVersion: undefined,
      logger: source.engine.ports.logger,
    });
    const openEngine = () =>
      Object.assign(engine, {
        command: (parts: readonly string[]) => {
          if (!isPressed && parts[0] === "HGETALL" && parts[1]?.includes(":job:")) {
            isPressed = true;
            host.interrupt();
          }
          return source.engine.command(parts);
        },
      });
    expect(await runCli(["export", "mail", "--out", path], host, openEngine)).toBe(130);
    expect(host.stderr()).toContain("nothing was exported");
    expect(readFileSync(path, "utf8")).toBe("the one before");
    expect(existsSync(`${path}.part`)).toBe(false);
  });

  it("say that an import that was interrupted goes on", async () => {
    const { source, target } = setup();
    await source.queue.addBulk(Array.from({ length: 350 }, () => ({ name: "a", data: 1 })));
    const { out } = await source.run(["export", "mail"]);
    const host = fakeHost({ env: { ECHOMQ_URL: "valkey://store" }, input: [out] });
    const engine = target.openEngine({
      url: "",
      isReadonly: false,
      wireVersion: undefined,
      logger: target.engine.ports.logger,
    });
    const openEngine = () =>
      Object.assign(engine, {
        command: (parts: readonly string[]) => {
          if (parts[0] === "HSET" && parts[1]?.includes(":job:")) host.interrupt();
          return target.engine.command(parts);
        },
      });
    expect(await runCli(["import"], host, openEngine)).toBe(130);
    expect(host.stderr()).toContain("the same command goes on");
    expect(await target.queue.isPaused()).toBe(true);
    expect(await target.run(["import"], { input: [out] })).toMatchObject({ code: 0 });
    expect(await target.queue.isPaused()).toBe(false);
    expect(await target.queue.getJobCounts("pending")).toEqual({ pending: 350 });
  });
});
