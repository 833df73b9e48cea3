/**
 * The one name of a folder, however it was written, whether or not it is there yet.
 *
 * Two queues that name one folder in two ways must meet in one store. The modules of Node.js are asked for by name
 * rather than imported, so that this file also loads in a browser, which has no folders.
 */

import { EchoMQError } from "./protocol/errors.ts";

/** What is used of `node:fs` and `node:path`. */
interface Modules {
  getBuiltinModule?(name: "node:fs"): { realpathSync(path: string): string };
  getBuiltinModule?(name: "node:path"): {
    resolve(path: string): string;
    dirname(path: string): string;
    basename(path: string): string;
    join(...parts: string[]): string;
  };
}

/** @throws EchoMQError `unsupported` where there are no files. */
export function truePath(path: string): string {
  const modules = (globalThis as { readonly process?: Modules }).process;
  const fs = modules?.getBuiltinModule?.("node:fs");
  const paths = modules?.getBuiltinModule?.("node:path");
  if (fs === undefined || paths === undefined) {
    throw new EchoMQError("unsupported", "This platform has no folders: use memory:, or a server");
  }
  const { dirname, basename, join } = paths;
  const find = (from: string): string => {
    try {
      return fs.realpathSync(from);
    } catch {
      const parent = dirname(from);
      return parent === from ? from : join(find(parent), basename(from));
    }
  };
  return find(paths.resolve(path));
}
