/** Why a folder did not take what was written, for those who wait for it. */

import { causeText } from "../../protocol/cause-text.ts";
import { EchoMQError } from "../../protocol/errors.ts";

/** A file or its device refused; the call was taken back. */
export function notStored(folder: string, cause: unknown): EchoMQError {
  return new EchoMQError(
    "not_stored",
    `${folder} did not take what was written (${causeText(cause)}), so the call was taken back: ` +
      "make room or mend the device, then call again; nothing needs to be opened anew",
    { cause, details: { folder } },
  );
}

/** The folder is gone, or another process's by now. */
export function lostFolder(folder: string): EchoMQError {
  return new EchoMQError(
    "folder_in_use",
    `${folder} was removed, or another process has taken it while this one was held up, so nothing is written any more: ` +
      "close this one and open the folder again",
    { details: { folder } },
  );
}
