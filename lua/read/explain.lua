-- EMQ.EXPLAIN: Tells what decides whether a job runs, from one instant.
-- KEYS: pending, active, schedule, dead, row, base
-- ARGV: id
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
--- The server's clock in whole Unix milliseconds, read once an act.
local instant = false
local function now()
    if instant == false then
        local clock = redis.call("TIME")
        instant = clock[1] * 1000 + math.floor(clock[2] / 1000)
    end
    return instant
end
local s = {base = base, call = redis.call, error = redis.error_reply, now = now}
--- Shape, values and layout of `EMQ.EXPLAIN`: the text of the refusal, empty when all is well.
local function checkExplain(s, keys, args)
    if #keys ~= 6 then
        return "ERR EMQ.EXPLAIN takes 6 keys"
    end
    if #args ~= 1 then
        return "ERR wrong number of arguments for 'EMQ.EXPLAIN' command"
    end
    local base = keys[6]
    if not s.base(base) or keys[1] ~= base .. "pending" or keys[2] ~= base .. "active" or keys[3] ~= base .. "schedule" or keys[4] ~= base .. "dead" or keys[5] ~= base .. "job:" .. args[1] then
        return "ERR EMQ.EXPLAIN keys do not match the wire-4 layout"
    end
    return ""
end
--- The sorted set of a lane's waiting jobs.
local function laneKey(base, group)
    return base .. "g:" .. group .. ":pending"
end
--- Looks for a job in one set, unless it was found already.
local function look(s, place, key, id, state)
    if place.score ~= false then
        return
    end
    place.score = s.call("ZSCORE", key, id)
    if place.score == false then
        return
    end
    place.state = state
    local rank = s.call("ZRANK", key, id)
    if rank ~= false and (state == "pending" or state == "scheduled") then
        place.rank = rank
    end
end
--- Keys: pending, active, schedule, dead, row, base. Arguments: id. Answers instant, place, queue, row.
local function explain(s, keys, args)
    local refusal = checkExplain(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local id = args[1]
    local base = keys[6]
    local told = {
        "attempts",
        "name",
        "group",
        "owner",
        "last_error",
        "stalled",
        "deferred",
        "cancel",
        "state"
    }
    local fields = call(
        "HMGET",
        keys[5],
        unpack(told)
    )
    local group = fields[3]
    local place = {state = fields[9] == false and "absent" or "unknown", score = false, rank = -1}
    look(
        s,
        place,
        keys[1],
        id,
        "pending"
    )
    look(
        s,
        place,
        keys[2],
        id,
        "active"
    )
    look(
        s,
        place,
        keys[3],
        id,
        "scheduled"
    )
    look(
        s,
        place,
        keys[4],
        id,
        "dead"
    )
    if fields[9] == "awaiting_children" and place.score == false then
        place.state = fields[9]
    elseif fields[9] ~= false then
        if group ~= false then
            look(
                s,
                place,
                laneKey(base, group),
                id,
                "pending"
            )
        end
        look(
            s,
            place,
            base .. "completed",
            id,
            "completed"
        )
    end
    local paused = call("HEXISTS", base .. "meta", "paused")
    local score = place.score == false and "" or place.score
    local out = {
        s.now(),
        place.state,
        score,
        place.rank,
        paused,
        call("ZCARD", keys[2])
    }
    for i = 0, 8 - 1 do
        local field = fields[i + 1]
        out[#out + 1] = field == false and "" or field
    end
    return out
end
return explain(s, KEYS, ARGV)
