/**
 * Loads a package that only some users need, and says what to install where it is missing.
 *
 * A static import would end a program with a fault of the module loader that names our file; so it is loaded when it is
 * asked for, beside the caller's other packages, and its absence is an error like every other.
 */

import { createRequire } from "node:module";
import { EchoMQError } from "./protocol/errors.ts";

/**
 * The package, whose types the caller knows.
 *
 * @param load default: Node's own way of finding packages.
 * @throws EchoMQError `missing_peer` when it is not installed; what it throws itself while it loads comes as it is.
 */
export function peerPackage<Module>(
  name: string,
  owner: string,
  load: (name: string) => unknown = createRequire(import.meta.url),
): Module {
  try {
    return load(name) as Module;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // A package that is there and lacks one of its own says the same code with another name.
    if (code !== "MODULE_NOT_FOUND" || !message.includes(`'${name}'`)) throw error;
    throw new EchoMQError("missing_peer", `${owner} needs the package ${name}: npm install ${name}`, {
      cause: error,
      details: { package: name },
    });
  }
}
