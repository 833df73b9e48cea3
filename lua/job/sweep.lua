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
--- Keys or members of one call.
local SPREAD_MAX = 400
--- Removes members from a sorted set.
local function removeMembers(s, set, members)
    local part = {}
    local stop = #members
    do
        local i = 0
        while i < stop do
            part[#part + 1] = members[i + 1]
            if #part >= SPREAD_MAX or i == stop - 1 then
                s.call(
                    "ZREM",
                    set,
                    unpack(part)
                )
                part = {}
            end
            i = i + 1
        end
    end
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
--- The deduplication key of a name if it holds this job, otherwise the empty text. It goes when the job ends; reading it
-- comes before the first write, as its type may be foreign.
local function heldDedup(s, base, dedup, id)
    if dedup == false or dedup == "" then
        return ""
    end
    local key = (base .. "de:") .. dedup
    return s.call("GET", key) == id and key or ""
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
--- Reads what a death writes to, before the first write.
local function readDeath(s, base)
    s.call("ZCARD", base .. "dead")
    s.call("HGET", base .. "metrics:failed", "count")
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
--- Reads the rows of ids whose leases lapsed, and all that taking them back may write to.
local function readLapsed(s, base, ids, mayKill)
    local call = s.call
    local rows = {}
    local groups = {}
    for ____, id in ipairs(ids) do
        local fields = call(
            "HMGET",
            (base .. "job:") .. id,
            "state",
            "group",
            "priority",
            "stalled",
            "cancel",
            "dedup"
        )
        local group = fields[2]
        if mayKill then
            fields[6] = heldDedup(s, base, fields[6], id)
        end
        if group ~= false then
            groups[#groups + 1] = group
        end
        rows[#rows + 1] = fields
    end
    call("ZCARD", base .. "pending")
    readLanes(s, base, groups, 1)
    if mayKill then
        readDeath(s, base)
    end
    return rows
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
    local stop = #ids
    if stop == 0 then
        return lapsed
    end
    local mayKill = maxStalled >= 0
    local rows = readLapsed(s, base, ids, mayKill)
    removeMembers(s, active, ids)
    do
        local i = 0
        while i < stop do
            local id = ids[i + 1]
            local fields = rows[i + 1]
            if fields[1] == "active" then
                local group = fields[2]
                local stalled = countOf(s, fields[4]) + 1
                if group ~= false then
                    releaseLane(s, base, group)
                end
                if mayKill and (stalled >= maxStalled or fields[5] ~= false) then
                    killLapsed(
                        s,
                        base,
                        id,
                        stalled,
                        fields[5] == false and "stalled" or fields[5]
                    )
                    if fields[6] ~= false and fields[6] ~= "" then
                        call("DEL", fields[6])
                    end
                    lapsed.dead[#lapsed.dead + 1] = id
                else
                    call(
                        "HSET",
                        (base .. "job:") .. id,
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
            i = i + 1
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
--- Pushes if the queue is claimable: not paused, and flat work or a servable lane waits. `open` is what {@link isOpen}
-- said before the first write of the act.
local function pushIfClaimable(s, base, open)
    local call = s.call
    local wake = base .. "wake"
    if open and call("EXISTS", wake) == 0 and call("EXISTS", base .. "pending", base .. "ring") > 0 then
        push(s, wake)
    end
end
--- Keys: active, pending, dead, base. Arguments: max_stalled, limit. Answers recovered ids, dead ids.
local function sweep(s, keys, args)
    local refusal = checkSweep(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local open = isOpen(s, keys[4])
    local lapsed = takeBack(
        s,
        keys[1],
        keys[4],
        s.num(args[1]),
        s.num(args[2])
    )
    if #lapsed.recovered > 0 or #lapsed.dead > 0 then
        pushIfClaimable(s, keys[4], open)
    end
    return {lapsed.recovered, lapsed.dead}
end
return sweep(s, KEYS, ARGV)
