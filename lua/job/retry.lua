-- EMQ.RETRY: Ends an attempt as failed: later again, or dead.
-- KEYS: active, schedule, dead, row, base
-- ARGV: id, token, delay_ms, max_attempts, error
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
--- Whether text is a canonical decimal integer from min to max.
local function int(text, min, max)
    if #text > 16 or (text ~= "0" and not string.find(text, "^[1-9]%d*$")) then
        return false
    end
    local number = tonumber(text)
    return number >= min and number <= max
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
local s = {base = base, call = redis.call, error = redis.error_reply, int = int, now = now, num = tonumber}
--- Shape, values and layout of `EMQ.RETRY`: the text of the refusal, empty when all is well.
local function checkRetry(s, keys, args)
    if #keys ~= 5 then
        return "ERR EMQ.RETRY takes 5 keys"
    end
    if #args ~= 5 then
        return "ERR wrong number of arguments for 'EMQ.RETRY' command"
    end
    if not s.int(args[2], 0, 9007199254740991) then
        return "ERR EMQ.RETRY bad argument token"
    end
    if not s.int(args[3], 0, 9007199254740991) then
        return "ERR EMQ.RETRY bad argument delay_ms"
    end
    if not s.int(args[4], 0, 2147483648) then
        return "ERR EMQ.RETRY bad argument max_attempts"
    end
    local base = keys[5]
    if not s.base(base) or keys[1] ~= base .. "active" or keys[2] ~= base .. "schedule" or keys[3] ~= base .. "dead" or keys[4] ~= (base .. "job:") .. args[1] then
        return "ERR EMQ.RETRY keys do not match the wire-4 layout"
    end
    return ""
end
--- The sorted set of a lane's waiting jobs.
local function laneKey(base, group)
    return ((base .. "g:") .. group) .. ":pending"
end
--- Whether a lane may be served when it has work: not paused, and fewer jobs leased than its limit.
local function isServable(s, base, group)
    local call = s.call
    if call("SISMEMBER", base .. "paused", group) == 1 then
        return false
    end
    local limit = call("HGET", base .. "glimit", group)
    if limit == false then
        return true
    end
    local active = call("HGET", base .. "gactive", group)
    return (active == false and 0 or s.num(active)) < s.num(limit)
end
--- Reads each key that the steps of these lanes touch, so that a foreign type ends the act while nothing is written. To
-- be called before the first write. Names of lanes stand at every `step`-th place; each is read once.
local function readLanes(s, base, groups, step)
    local call = s.call
    local stop = #groups
    if stop == 0 then
        return
    end
    local seen = {}
    call("LLEN", base .. "ring")
    do
        local i = 0
        while i < stop do
            local group = groups[i + 1]
            local lane = laneKey(base, group)
            if seen[lane] ~= true then
                seen[lane] = true
                call("SISMEMBER", base .. "paused", group)
                call("HGET", base .. "glimit", group)
                call("HGET", base .. "gactive", group)
                call("ZCARD", lane)
            end
            i = i + step
        end
    end
end
--- Takes a waiting job out of its lane. The last member out takes the lane off the ring.
local function leaveLane(s, base, group, id)
    local call = s.call
    local lane = laneKey(base, group)
    local removed = call("ZREM", lane, id)
    if removed == 1 and call("ZCARD", lane) == 0 and isServable(s, base, group) then
        call("LREM", base .. "ring", 1, group)
    end
    return removed
end
--- Counts one leased job less. A lane that comes from at its limit to under it returns to the ring.
local function releaseLane(s, base, group)
    local call = s.call
    local active = call("HINCRBY", base .. "gactive", group, -1)
    if active <= 0 then
        call("HDEL", base .. "gactive", group)
    end
    local limit = call("HGET", base .. "glimit", group)
    if limit == false then
        return
    end
    local ceiling = s.num(limit)
    if active >= ceiling or active + 1 < ceiling then
        return
    end
    if call(
        "ZCARD",
        laneKey(base, group)
    ) == 0 then
        return
    end
    if call("SISMEMBER", base .. "paused", group) == 0 then
        call("RPUSH", base .. "ring", group)
    end
end
--- The number in a counter field, 0 when it is absent.
local function countOf(s, field)
    return field == false and 0 or s.num(field)
end
--- Sets a counter field of a row, or drops it at 0 so that a row holds nothing that says nothing.
local function setCount(s, row, field, count)
    if count > 0 then
        s.call("HSET", row, field, count)
    else
        s.call("HDEL", row, field)
    end
end
--- The deduplication key of a name if it holds this job, otherwise the empty text. It goes when the job ends; reading it
-- comes before the first write, as its type may be foreign.
local function heldDedup(s, base, dedup, id)
    if dedup == false or dedup == "" then
        return ""
    end
    local key = (base .. "de:") .. dedup
    return s.call("GET", key) == id and key or ""
end
--- Takes a job from where it waits; 1 if it waited there.
local function stopWaiting(s, base, id, group)
    if group == false then
        return s.call("ZREM", base .. "pending", id)
    end
    return leaveLane(s, base, group, id)
end
--- What a settlement reads of a row, in this order.
local function readHolder(s, row)
    return s.call(
        "HMGET",
        row,
        "attempts",
        "state",
        "owner",
        "group",
        "priority",
        "stalled",
        "deferred",
        "cancel",
        "dedup"
    )
end
--- The refusal of a settlement, empty when it is accepted. `gone` and `stale` are the verb's own texts.
local function judge(holder, token, gone, stale)
    local attempts = holder[1]
    if attempts == false then
        return gone
    end
    if token == "0" or attempts ~= token then
        return stale
    end
    local state = holder[2]
    if state == "active" or state == "pending" and holder[3] ~= false then
        return ""
    end
    return "EMQSTATE job is not active"
end
--- Ends the lease of an accepted settlement: out of `active`, or out of where a lapsed job waits. The lapse of a holder
-- that came back after all was no crash and is taken back.
local function endLease(s, base, id, holder)
    local group = holder[4]
    local row = (base .. "job:") .. id
    if holder[2] == "active" then
        s.call("ZREM", base .. "active", id)
        if group ~= false then
            releaseLane(s, base, group)
        end
    else
        stopWaiting(s, base, id, group)
        setCount(
            s,
            row,
            "stalled",
            countOf(s, holder[6]) - 1
        )
    end
    s.call("HDEL", row, "owner")
end
--- The largest instant; a longer delay ends there.
local LAST_INSTANT = 9007199254740991
--- The instant that a delay from now reaches.
local function dueIn(s, ms)
    return math.min(
        s.now() + ms,
        LAST_INSTANT
    )
end
--- Reads what putting a job into the schedule writes to, before the first write.
local function readSchedule(s, base, group)
    s.call("ZCARD", base .. "schedule")
    if group ~= false then
        readLanes(s, base, {group}, 1)
    end
end
--- Reads what a death writes to, before the first write.
local function readDeath(s, base)
    s.call("ZCARD", base .. "dead")
    s.call("HGET", base .. "metrics:failed", "count")
end
--- Ends an accepted job as dead.
local function kill(s, base, id, holder, ____error)
    local call = s.call
    local row = (base .. "job:") .. id
    readDeath(s, base)
    if holder[4] ~= false then
        readLanes(s, base, {holder[4]}, 1)
    end
    local held = heldDedup(s, base, holder[9], id)
    endLease(s, base, id, holder)
    call(
        "HSET",
        row,
        "state",
        "dead",
        "last_error",
        ____error
    )
    call("ZADD", base .. "dead", 0, id)
    call("HINCRBY", base .. "metrics:failed", "count", 1)
    if held ~= "" then
        call("DEL", held)
    end
end
--- Ends an accepted attempt as failed. It is dead when its failures (attempts less crashes and interruptions) reach
-- `max`, or when a cancel was asked for; otherwise it is tried again after `delay`. Answers `dead` or `scheduled`.
local function fail(s, base, id, holder, delay, max, ____error)
    local call = s.call
    local row = (base .. "job:") .. id
    local lapsed = holder[2] == "active" and 0 or 1
    local crashes = math.max(
        0,
        countOf(s, holder[6]) - lapsed
    )
    local failures = countOf(s, holder[1]) - crashes - countOf(s, holder[7])
    if failures >= max or holder[8] ~= false then
        kill(
            s,
            base,
            id,
            holder,
            ____error
        )
        return "dead"
    end
    readSchedule(s, base, holder[4])
    endLease(s, base, id, holder)
    call(
        "HSET",
        row,
        "state",
        "scheduled",
        "last_error",
        ____error
    )
    call(
        "ZADD",
        base .. "schedule",
        dueIn(s, delay),
        id
    )
    return "scheduled"
end
--- The list stays within 64 tokens for foreign readers; 62 is the last index kept before one more is pushed.
local LAST_KEPT = 62
--- Whether the queue is not paused. A `meta` of a foreign type raises, so a claim fails closed.
local function isOpen(s, base)
    return s.call("HEXISTS", base .. "meta", "paused") == 0
end
--- Pushes one token unless one lies there already.
-- 
-- The trim does nothing to a list that is absent, but it is a write that a full server admits, and after one such write
-- the server admits the push as well: settling must work at `maxmemory`.
local function push(s, wake)
    local call = s.call
    if call("EXISTS", wake) == 0 then
        call("LTRIM", wake, 0, LAST_KEPT)
        call("LPUSH", wake, "1")
    end
end
--- Pushes if the queue is claimable: not paused, and flat work or a servable lane waits. `open` is what {@link isOpen}
-- said before the first write of the act.
local function pushIfClaimable(s, base, open)
    local call = s.call
    local wake = base .. "wake"
    if open and call("EXISTS", wake) == 0 and call("EXISTS", base .. "pending", base .. "ring") > 0 then
        push(s, wake)
    end
end
--- Pushes if one of the ids that this act scheduled stands at the head of the schedule now.
local function pushIfHead(s, base, id)
    local head = s.call("ZRANGE", base .. "schedule", 0, 0)
    if #head > 0 and head[1] == id then
        push(s, base .. "wake")
    end
end
--- Keys: active, schedule, dead, row, base. Arguments: id, token, delay_ms, max_attempts, error.
local function retry(s, keys, args)
    local refusal = checkRetry(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local id = args[1]
    local base = keys[5]
    local holder = readHolder(s, keys[4])
    local verdict = judge(holder, args[2], "EMQSTALE job gone", "EMQSTALE retry token mismatch")
    if verdict ~= "" then
        return s.error(verdict)
    end
    local open = isOpen(s, base)
    local word = fail(
        s,
        base,
        id,
        holder,
        s.num(args[3]),
        s.num(args[4]),
        args[5]
    )
    if holder[4] ~= false then
        pushIfClaimable(s, base, open)
    end
    if word == "scheduled" then
        pushIfHead(s, base, id)
    end
    return word
end
return retry(s, KEYS, ARGV)
