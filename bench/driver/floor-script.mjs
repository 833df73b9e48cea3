/**
 * The floor of an act by script: the same commands as those of floor-client.mjs, inside the shortest script that gives
 * the same effects, one call a turn. What it takes beyond the plain commands is what a script costs by itself.
 */

import { createHash } from "node:crypto";
import { BASE, SETS } from "../acts.mjs";
import { LEASE_MS, openFloor } from "./floor-work.mjs";

/**
 * Settles and claims. `KEYS`: pending, active, base. `ARGV`: lease in ms, how many to claim, how many have ended, and
 * id, token and result of each. Answers id, token, payload and name of each claimed job.
 */
export const TURN_SCRIPT = `
local call, base, count = redis.call, KEYS[3] .. "job:", tonumber(ARGV[3])
if count > 0 then
  local ids, rows = {}, {}
  for n = 1, count do
    local id = ARGV[3 * n + 1]
    local row = base .. id
    ids[n], rows[n] = id, row
    call("HMGET", row, "state", "attempts")
  end
  call("ZREM", KEYS[2], unpack(ids))
  call("DEL", unpack(rows))
end
local jobs = {}
local members = call("ZPOPMIN", KEYS[1], ARGV[2])
local size = #members
if size > 0 then
  local time = call("TIME")
  local leased = string.format("%.0f", time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1])
  for n = 1, size, 2 do
    local id = members[n]
    local row = base .. id
    local fields = call("HMGET", row, "attempts", "payload", "name")
    local token = fields[1] + 1
    call("HSET", row, "state", "active", "attempts", token)
    local at = 2 * n
    jobs[at - 1], jobs[at], jobs[at + 1], jobs[at + 2] = id, token, fields[2], fields[3]
  end
  local leases = {}
  for n = size - 1, 1, -2 do
    leases[size - n], leases[size - n + 1] = leased, members[n]
  end
  call("ZADD", KEYS[2], unpack(leases))
end
return jobs
`;

/** Adds. `KEYS`: pending, base. `ARGV`: id, payload and name of each. */
export const ADMIT_SCRIPT = `
local call, base, members = redis.call, KEYS[2] .. "job:", {}
for n = 1, #ARGV, 3 do
  local id = ARGV[n]
  call("HSET", base .. id, "state", "pending", "attempts", "0", "payload", ARGV[n + 1], "name", ARGV[n + 2])
  members[#members + 1] = "0"
  members[#members + 1] = id
end
call("ZADD", KEYS[1], unpack(members))
return {}
`;

/** The number of keys of `TURN_SCRIPT`, and the keys. */
export const TURN_KEYS = ["3", ...SETS, BASE];

const sha = createHash("sha1").update(TURN_SCRIPT).digest("hex");

export const open = (url) => openFloor(url, prepare);

async function prepare(exchange) {
  await exchange.ask("SCRIPT", "LOAD", TURN_SCRIPT);
  return async (ended, want) => {
    if (ended.length === 0 && want === 0) return [];
    const words = ended.flatMap(({ id, token, result }) => [id, token, result]);
    const reply = await exchange.ask(
      "EVALSHA",
      sha,
      ...TURN_KEYS,
      String(LEASE_MS),
      String(want),
      String(ended.length),
      ...words,
    );
    const jobs = [];
    for (let at = 0; at < reply.length; at += 4) {
      jobs.push({ id: reply[at], token: String(reply[at + 1]), payload: reply[at + 2] });
    }
    return jobs;
  };
}
