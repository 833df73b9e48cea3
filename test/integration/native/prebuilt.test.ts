/** The module as a package of its own: packed, installed elsewhere, found by the tool, and loaded by a server. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findPrebuilt, prebuiltName } from "../../../src/cli/native.ts";
import { packageVersion } from "../../../src/cli/package-root.ts";
import { whyNoNative } from "../../server/native-module.ts";
import { startServer } from "../../server/start-server.ts";
import { root } from "../../tidy/repository.ts";
import { enqueueOf } from "./native-world.ts";

const why = whyNoNative();

describe.skipIf(why !== undefined)(`the prebuilt module${why === undefined ? "" : ` (${why})`}`, () => {
  it("is found where its tarball was installed, and a server loads it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "echomq-prebuilt-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const packed = execFileSync(process.execPath, [join(root, "scripts/native/pack.mjs"), "--as-built"], {
      cwd: folder,
      encoding: "utf8",
    });
    writeFileSync(join(folder, "package.json"), '{"name":"somebody","private":true}');
    const install = ["install", "--offline", "--no-audit", "--no-fund", packed.trim()];
    execFileSync("npm", install, { cwd: folder, stdio: "ignore" });
    const tool = [join(root, "dist/cli/main.js"), "native", "--json"];
    const found = JSON.parse(execFileSync(process.execPath, tool, { cwd: folder, encoding: "utf8" })) as {
      path: string;
      package: string;
    };
    expect(found).toMatchObject({ version: packageVersion(), isOwnRelease: true });
    expect(found.path.startsWith(join(folder, "node_modules", found.package))).toBe(true);
    const server = await startServer({ args: ["--loadmodule", found.path] });
    onTestFinished(() => server.stop());
    expect(await server.command("EMQ.FENCE", "0", "echomq:4.0.0")).toBe("OK");
    expect(await server.command(...enqueueOf("a"))).toBe(1);
  }, 120_000);

  it("has a name for each platform, and is missed where it is not installed", () => {
    expect(prebuiltName({ platform: "linux", arch: "x64", libc: "gnu" })).toBe("echomq-trafikey-linux-x64-gnu");
    expect(prebuiltName({ platform: "linux", arch: "arm64", libc: "musl" })).toBe("echomq-trafikey-linux-arm64-musl");
    expect(prebuiltName({ platform: "darwin", arch: "arm64", libc: "" })).toBe("echomq-trafikey-darwin-arm64");
    expect(findPrebuilt("echomq-trafikey-nowhere", [root])).toBeUndefined();
  });
});
