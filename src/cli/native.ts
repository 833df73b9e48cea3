/**
 * `echomq native`: where the prebuilt module of Valkey lies that a package of its own has brought.
 *
 * A package for each platform holds nothing but the module, so that who does not use it downloads nothing, and who does
 * needs no Rust. It is looked for where the tool lies and where it was called.
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Command } from "commander";
import { CliError } from "./cli-error.ts";
import { type CommandContext, EXIT } from "./command-context.ts";
import { packageRoot, packageVersion } from "./package-root.ts";

/** A prebuilt module that is installed here. */
export interface PrebuiltModule {
  /** What a server loads. */
  readonly path: string;
  readonly package: string;
  readonly version: string;
  /** Whether it is of the same release as the tool, so that it knows every act. */
  readonly isOwnRelease: boolean;
}

/** The name of the package for a platform; `libc` counts on Linux alone. */
export function prebuiltName({ platform, arch, libc }: { platform: string; arch: string; libc: string }): string {
  return `echomq-trafikey-${platform}-${arch}${platform === "linux" ? `-${libc}` : ""}`;
}

/** The name of the package for this machine. */
function ownName(): string {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  const libc = header.glibcVersionRuntime === undefined ? "musl" : "gnu";
  return prebuiltName({ platform: process.platform, arch: process.arch, libc });
}

/** The module that is found first from these folders, `undefined` when no package is there. */
export function findPrebuilt(name: string, folders: readonly string[]): PrebuiltModule | undefined {
  for (const folder of folders) {
    const manifestPath = resolved(`${name}/package.json`, folder);
    if (manifestPath === undefined) continue;
    const { main, version } = JSON.parse(readFileSync(manifestPath, "utf8")) as { main: string; version: string };
    const path = join(dirname(manifestPath), main);
    return { path, package: name, version, isOwnRelease: version === packageVersion() };
  }
  return undefined;
}

function resolved(what: string, folder: string): string | undefined {
  try {
    return createRequire(join(folder, "package.json")).resolve(what);
  } catch {
    return undefined;
  }
}

/** The command; see `echomq native --help`. */
export function nativeCommand(context: CommandContext): Command {
  return new Command("native")
    .summary("print where the prebuilt module of Valkey lies")
    .description("Print the path of the prebuilt native half, for a server's loadmodule.")
    .option("--json", "print one JSON document")
    .addHelpText("after", NATIVE_HELP)
    .action(({ json }: { json?: boolean }) => {
      const name = ownName();
      const found = findPrebuilt(name, [packageRoot(), process.cwd()]);
      if (found === undefined) throw missing(name);
      const { out, error } = context.host;
      out.write(json === true ? `${JSON.stringify(found)}\n` : `${found.path}\n`);
      if (!found.isOwnRelease && json !== true) {
        error.write(`${name} is of release ${found.version}, and this is ${packageVersion()}: install the same.\n`);
      }
      context.setExitCode(EXIT.ok);
    });
}

const NATIVE_HELP = `
Examples:
  valkey-server --loadmodule "$(echomq native)"
  echomq native --json

The exit code is 1 when no package for this platform is installed.`;

function missing(name: string): CliError {
  return new CliError(
    "failed",
    `The package ${name} is not installed. Install its tarball, which npm run pack:native makes in a checkout, ` +
      "or build the module there with npm run build:native.",
  );
}
