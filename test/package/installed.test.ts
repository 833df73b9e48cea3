/**
 * The package as somebody else installs it: packed, unpacked in a folder that knows nothing of this repository, loaded
 * by both kinds of module on every supported Node.js, and compiled against under both ways of finding types.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../tidy/repository.ts";
import { nodeProgram } from "./node-program.ts";

/** The lowest version that the package promises, and one of each later line. */
const VERSIONS = ["20.19.0", "22.23.3", "24.22.3"] as const;

const WORK = `
async function work({ Queue, Worker, isEchoMQError }, { json, withCompression }, { parseId }, { VirtualClock }) {
  const codec = withCompression(json, { above: 10 });
  const queue = new Queue("mail", { connection: "memory:", codec });
  const worker = new Worker("mail", async (job) => job.data.to.length, { connection: "memory:", codec });
  const completed = new Promise((resolve) => worker.once("completed", (job, result) => resolve(result)));
  const job = await queue.add("welcome", { to: "a".repeat(100) });
  const result = await completed;
  await worker.close();
  const refusal = await queue.add("welcome", 1n).catch((error) => isEchoMQError(error, "invalid_payload"));
  await queue.close();
  console.log(JSON.stringify([parseId(job.id).namespace, result, refusal, new VirtualClock().now() > 0]));
}
`;

const MODULE = `
import * as main from "echomq";
import * as codec from "echomq/codec";
import * as protocol from "echomq/protocol";
import * as testing from "echomq/testing";
${WORK}
await work(main, codec, protocol, testing);
`;

const SCRIPT = `
${WORK}
work(require("echomq"), require("echomq/codec"), require("echomq/protocol"), require("echomq/testing"));
`;

const TYPED = `
import { type AddedJob, type Codec, type Handler, isEchoMQError, Queue, type StoredJobOf, Worker } from "echomq";
import { bytes, json, withCompression, withEncryption } from "echomq/codec";

interface Mails {
  welcome: { to: string };
  digest: { day: number };
}

const codec: Codec = withEncryption(withCompression(json), { keys: [{ id: "a", key: new Uint8Array(32) }] });
const handler: Handler<Mails, number> = (job) => (job.name === "digest" ? job.data.day : job.data.to.length);

export async function work(): Promise<StoredJobOf<Mails> | undefined> {
  await using queue = new Queue<Mails>("mail", { codec });
  await using worker = new Worker<Mails, number>("mail", handler, { codec: [codec, bytes] });
  worker.on("completed", (_job, result) => result.toFixed());
  const job: AddedJob<{ to: string }, "welcome"> = await queue.add("welcome", { to: "ada" });
  // @ts-expect-error the data of another job
  await queue.add("digest", { to: "ada" }).catch((error: unknown) => isEchoMQError(error, "closed"));
  return await queue.getJob(job.id);
}
`;

/** What holds for a browser as well: no types of any platform are there. */
const PORTABLE = `
import { createMinter, type EchoMQError, jobKey, parseId } from "echomq/protocol";
import { createTestPorts, VirtualClock } from "echomq/testing";

export const clock: VirtualClock = createTestPorts().clock;
export const key: string = jobKey("mail", createMinter({ node: 1, clock: () => clock.now() })("JOB"));
export const code = (error: EchoMQError): string => error.code + parseId("JOB00000000001").namespace;
`;

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "echomq-installed-"));
  const pack = ["pack", "--ignore-scripts", "--json", `--pack-destination=${folder}`];
  const [{ filename }] = JSON.parse(run("npm", pack, root)) as [{ filename: string }];
  writeFileSync(join(folder, "package.json"), '{ "name": "consumer", "private": true }');
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--omit=optional"];
  run("npm", ["install", ...flags, join(folder, filename)]);
  // The types of the platform, as a program for Node.js has them.
  symlinkSync(join(root, "node_modules", "@types"), join(folder, "node_modules", "@types"));
  symlinkSync(join(root, "node_modules", "undici-types"), join(folder, "node_modules", "undici-types"));
  writeFileSync(join(folder, "consumer.mjs"), MODULE);
  writeFileSync(join(folder, "consumer.cjs"), SCRIPT);
  writeFileSync(join(folder, "typed.mts"), TYPED);
  writeFileSync(join(folder, "portable.mts"), PORTABLE);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(program: string, args: readonly string[], cwd = folder): string {
  const env = { ...process.env, NODE_OPTIONS: "", ECHOMQ_URL: "" };
  return execFileSync(program, args, {
    cwd,
    encoding: "utf8",
    env,
    timeout: 60_000,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** What the compiler says; empty when all is well. */
function compiled(file: string, flags: readonly string[]): string {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  try {
    return run(process.execPath, [tsc, "--noEmit", "--strict", "--target", "es2023", ...flags, file]);
  } catch (error) {
    return String((error as { stdout?: string }).stdout ?? error);
  }
}

describe.for(VERSIONS)("on Node.js %s", (version) => {
  let program: string | undefined;
  let reason = "";
  beforeAll(() => {
    try {
      program = nodeProgram(version);
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
  }, 200_000);

  it.for(["consumer.mjs", "consumer.cjs"])("%s loads every entry point and works", (file, { skip }) => {
    if (program === undefined) return skip(reason);
    expect(JSON.parse(run(program, [file]))).toEqual(["JOB", 100, true, true]);
  });

  it("the command starts", ({ skip }) => {
    if (program === undefined) return skip(reason);
    expect(run(program, [join("node_modules", "echomq", "dist", "cli", "main.js"), "--help"])).toMatch(/echomq/);
  });
});

describe.for([
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
] as const)("types for modules of %s, resolved as by %s", ([module, moduleResolution]) => {
  const flags = ["--module", module, "--moduleResolution", moduleResolution];

  it("are found, check, and need no check to be left out", () => {
    expect(compiled("typed.mts", [...flags, "--lib", "es2023,esnext.disposable", "--types", "node"])).toBe("");
  });

  it("of what runs in a browser need no types of a platform", () => {
    expect(compiled("portable.mts", [...flags, "--lib", "es2023", "--types", ""])).toBe("");
  });
});
