import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Queue } from "../../src/index.ts";
import { openFileEngine } from "../../src/node-file-engine.ts";
import { openFolderCopy } from "../../src/node-folder-copy.ts";
import { nodePorts } from "../../src/node-ports.ts";
import { exportChunks } from "../../src/queue/transfer/export-queues.ts";
import { importChunks } from "../../src/queue/transfer/import-queues.ts";
import { dumpQueue } from "../../src/testing/dump.ts";
import { errorOf } from "./queue/scripted-engine.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "echomq-copy-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it("a folder that is open is copied as it is at one instant, and goes on", async () => {
  const [folder, other] = [newFolder(), newFolder()];
  const ports = nodePorts();
  const engine = await openFileEngine({ ports, folder, fsync: "everysec" });
  onTestFinished(() => engine.close());
  const queue = new Queue("mail", { connection: engine });
  await queue.addBulk(Array.from({ length: 300 }, (_, at) => ({ name: "a", data: at })));
  const before = await dumpQueue(engine, "mail");

  const copy = await openFolderCopy({ ports, folder });
  await queue.add("b", 1);
  expect(await dumpQueue(copy, "mail")).toEqual(before);
  const target = await openFileEngine({ ports, folder: other, fsync: "no" });
  onTestFinished(() => target.close());
  const report = await importChunks(target, exportChunks(copy));
  expect(report).toMatchObject({ jobs: 300, isExact: true });
  await copy.close();
  expect(await queue.getJobCounts("pending")).toEqual({ pending: 301 });
  await queue.close();
});

it("a folder that holds no store is told, and none is made", async () => {
  const ports = nodePorts();
  const folder = join(newFolder(), "absent");
  expect(await errorOf(() => openFolderCopy({ ports, folder }))).toMatchObject({ code: "invalid_folder" });
  expect(readdirSync(join(folder, ".."))).toEqual([]);
});
