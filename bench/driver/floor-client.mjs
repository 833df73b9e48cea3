/**
 * The floor of the server for an add: one hash and one member of a sorted set, by a bare socket, without any check.
 *
 * What is sent within one step of the event loop is written at once, which is the best that a client can do.
 */

import { JOB_NAME, PAYLOAD } from "../rows.mjs";
import { encode, Pipe } from "../wire.mjs";

export async function open(url) {
  const pipe = await Pipe.open(url);
  const payload = JSON.stringify(PAYLOAD);
  let count = 0;
  let text = "";
  let waiting = 0;
  let sent;
  const commands = () => {
    const id = `JOB0Nb1V${String(count++).padStart(6, "0")}`;
    return (
      encode(["HSET", `floor:job:${id}`, "state", "pending", "payload", payload, "name", JOB_NAME]) +
      encode(["ZADD", "floor:pending", "0", id])
    );
  };
  return {
    add: () => {
      text += commands();
      waiting += 2;
      sent ??= new Promise((resolve) => {
        setImmediate(() => {
          const [batch, replies] = [text, waiting];
          [text, waiting, sent] = ["", 0, undefined];
          void pipe.send(batch, replies).then(resolve);
        });
      });
      return sent;
    },
    addMany: (items) => pipe.send(items.map(commands).join(""), items.length * 2),
    close: async () => pipe.close(),
  };
}
