/**
 * The embedded engine over a folder under the suite, on a virtual clock and the files of this machine; at the end the
 * folder is opened again and every key is compared.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { EnginePort } from "../../src/conformance/engine-port.ts";
import { EmbeddedEngine } from "../../src/embedded/embedded-engine.ts";
import { nodeFileLayer } from "../../src/node-file-layer.ts";
import { createTestPorts } from "../../src/testing/test-ports.ts";
import { everything } from "../unit/embedded/journal/open-store.ts";
import { describeSuite } from "./describe-suite.ts";

const folder = mkdtempSync(join(tmpdir(), "echomq-conformance-"));

/** A snapshot every 64 KiB, so that there are many in the course of the suite. */
const STORE = { folder, fsync: "everysec", compactBytesMin: 1 << 16 } as const;

afterAll(() => rmSync(folder, { recursive: true }));

describeSuite("the embedded engine over a folder conforms", async () => {
  const ports = createTestPorts();
  const open = async () => await EmbeddedEngine.open({ ports, store: { ...STORE, layer: nodeFileLayer() } });
  let engine = await open();
  return {
    port: new EnginePort({ engine, advance: async (ms) => await ports.clock.advance(ms) }),
    close: async () => {
      await engine.command(["SET", "marker", "1"]);
      const before = await everything(engine);
      await engine.close();
      engine = await open();
      expect(await everything(engine)).toEqual(before);
      expect(ports.logger.messages("warn")).toEqual([]);
      await engine.close();
    },
  };
});
