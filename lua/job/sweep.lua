-- EMQ.SWEEP: Takes back lapsed leases, and ends jobs that lapsed too often.
-- KEYS: active, pending, dead, base
-- ARGV: max_stalled, limit
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
--- Shape, values and layout of `EMQ.SWEEP`: the text of the refusal, empty when all is well.
local function checkSweep(s, keys, args)
    if #keys ~= 4 then
        return "ERR EMQ.SWEEP takes 4 keys"
    end
    if #args ~= 2 then
        return "ERR wrong number of arguments for 'EMQ.SWEEP' command"
    end
    if not s.int(args[1], 0, 2147483648) then
        return "ERR EMQ.SWEEP bad argument max_stalled"
    end
    if not s.int(args[2], 0, 1000) then
        return "ERR EMQ.SWEEP bad argument limit"
    end
    local base = keys[4]
    if not s.base(base) or keys[1] ~= base .. "active" or keys[2] ~= base .. "pending" or keys[3] ~= base .. "dead" then
        return "ERR EMQ.SWEEP keys do not match the wire-4 layout"
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
--- Lets a job wait in its lane. The first member of a servable lane brings it onto the ring.
local function enterLane(s, base, group, id, score)
    local call = s.call
    local lane = laneKey(base, group)
    local added = call("ZADD", lane, score, id)
    if added == 1 and call("ZCARD", lane) == 1 and isServable(s, base, group) then
        call("RPUSH", base .. "ring", group)
    end
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
--- The score at which a job waits: its priority, 0 when it has none.
local function scoreOf(s, priority)
    return priority == false and 0 or s.num(priority)
end
--- The number in a counter field, 0 when it is absent.
local function countOf(s, field)
    return field == false and 0 or s.num(field)
end
--- Lets a job wait at its place. The caller sets the row's state.
local function letWait(s, base, id, group, priority)
    local score = scoreOf(s, priority)
    if group == false then
        s.call("ZADD", base .. "pending", score, id)
    else
        enterLane(
            s,
            base,
            group,
            id,
            score
        )
    end
end
--- Ends a job that lapsed too often.
local function killLapsed(s, base, id, stalled, ____error)
    local call = s.call
    local row = (base .. "job:") .. id
    call("HDEL", row, "owner")
    call(
        "HSET",
        row,
        "state",
        "dead",
        "last_error",
        ____error,
        "stalled",
        stalled
    )
    call("ZADD", base .. "dead", 0, id)
    call("HINCRBY", base .. "metrics:failed", "count", 1)
end
--- Takes back at most `limit` lapsed leases. `maxStalled` is the number of lapses that kills; -1 never kills. A member
-- of `active` whose row is gone or is not active is dropped.
local function takeBack(s, active, base, maxStalled, limit)
    local call = s.call
    local lapsed = {recovered = {}, dead = {}}
    if limit == 0 then
        return lapsed
    end
    local ids = call(
        "ZRANGEBYSCORE",
        active,
        "-inf",
        s.now(),
        "LIMIT",
        0,
        limit
    )
    for ____, id in ipairs(ids) do
        local row = (base .. "job:") .. id
        local fields = call(
            "HMGET",
            row,
            "state",
            "group",
            "priority",
            "stalled",
            "cancel"
        )
        call("ZREM", active, id)
        if fields[1] == "active" then
            local group = fields[2]
            local stalled = countOf(s, fields[4]) + 1
            if group ~= false then
                releaseLane(s, base, group)
            end
            local over = maxStalled >= 0 and stalled >= maxStalled
            if over or maxStalled >= 0 and fields[5] ~= false then
                killLapsed(
                    s,
                    base,
                    id,
                    stalled,
                    fields[5] == false and "stalled" or fields[5]
                )
                lapsed.dead[#lapsed.dead + 1] = id
            else
                call(
                    "HSET",
                    row,
                    "state",
                    "pending",
                    "stalled",
                    stalled,
                    "owner",
                    ""
                )
                letWait(
                    s,
                    base,
                    id,
                    group,
                    fields[3]
                )
                lapsed.recovered[#lapsed.recovered + 1] = id
            end
        end
    end
    return lapsed
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
--- Pushes if the queue is claimable: not paused, and flat work or a servable lane waits.
local function pushIfClaimable(s, base)
    local call = s.call
    local wake = base .. "wake"
    if call("EXISTS", wake) == 0 and isOpen(s, base) and call("EXISTS", base .. "pending", base .. "ring") > 0 then
        push(s, wake)
    end
end
--- Keys: active, pending, dead, base. Arguments: max_stalled, limit. Answers recovered ids, dead ids.
local function sweep(s, keys, args)
    local refusal = checkSweep(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local lapsed = takeBack(
        s,
        keys[1],
        keys[4],
        s.num(args[1]),
        s.num(args[2])
    )
    if #lapsed.recovered > 0 or #lapsed.dead > 0 then
        pushIfClaimable(s, keys[4])
    end
    return {lapsed.recovered, lapsed.dead}
end
return sweep(s, KEYS, ARGV)
