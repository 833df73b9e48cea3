-- EMQ.RELEASE: Moves one scheduled job to where it waits, before its time.
-- KEYS: row, schedule, pending, base
-- ARGV: id
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
local s = {base = base, call = redis.call, error = redis.error_reply, num = tonumber}
--- Shape, values and layout of `EMQ.RELEASE`: the text of the refusal, empty when all is well.
local function checkRelease(s, keys, args)
    if #keys ~= 4 then
        return "ERR EMQ.RELEASE takes 4 keys"
    end
    if #args ~= 1 then
        return "ERR wrong number of arguments for 'EMQ.RELEASE' command"
    end
    local base = keys[4]
    if not s.base(base) or keys[1] ~= base .. "job:" .. args[1] or keys[2] ~= base .. "schedule" or keys[3] ~= base .. "pending" then
        return "ERR EMQ.RELEASE keys do not match the wire-4 layout"
    end
    return ""
end
--- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
local function isResting(s, base, lane)
    return s.call("ZSCORE", base .. "rest", lane) ~= false
end
--- The score at which a job waits: its priority, 0 when it has none.
local function scoreOf(s, priority)
    return priority == false and 0 or s.num(priority)
end
--- The sorted set of a lane's waiting jobs.
local function laneKey(base, group)
    return base .. "g:" .. group .. ":pending"
end
--- Whether a lane may be served as far as an act without a base can see: not paused, and fewer jobs leased than its
-- limit.
local function isUnderLimit(s, base, group)
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
--- Whether a lane may be served when it has work: not paused, fewer jobs leased than its limit, and not at rest.
local function isServable(s, base, group)
    return isUnderLimit(s, base, group) and not isResting(s, base, group)
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
    call("ZCARD", base .. "rest")
    for i = 0, stop - 1, step do
        local group = groups[i + 1]
        local lane = laneKey(base, group)
        if seen[lane] ~= true then
            seen[lane] = true
            call("SISMEMBER", base .. "paused", group)
            call("HGET", base .. "glimit", group)
            call("HGET", base .. "gactive", group)
            call("ZCARD", lane)
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
    if call("SISMEMBER", base .. "paused", group) == 1 or isResting(s, base, group) then
        return
    end
    call("RPUSH", base .. "ring", group)
end
--- Reads the place where a job waits, before the first write: a foreign type ends the act there.
local function readPlace(s, base, group)
    if group == false then
        s.call("ZCARD", base .. "pending")
    else
        readLanes(s, base, {group}, 1)
    end
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
--- Lets a job that was begun wait before all others of its ordered lane.
local function letWaitFirst(s, base, id, group)
    s.call("HSET", base .. "job:" .. id, "held", "1")
    enterLane(
        s,
        base,
        group,
        id,
        -1
    )
end
--- Lets a scheduled job wait in its lane. One that held the lane hands it over to itself, as the first that waits.
local function enterAgain(s, base, id, group, priority)
    local call = s.call
    local row = base .. "job:" .. id
    local order = call("HMGET", row, "held", "due")
    if order[2] ~= false then
        call("HDEL", row, "due")
    end
    if order[1] == false then
        letWait(
            s,
            base,
            id,
            group,
            priority
        )
        return
    end
    letWaitFirst(s, base, id, group)
    releaseLane(s, base, group)
end
--- Lets a scheduled job wait. A foreign speaker may have left an `owner`, with which an old token would settle it.
local function letWaitAgain(s, base, id, fields)
    local row = base .. "job:" .. id
    s.call("HSET", row, "state", "pending")
    if fields[4] ~= false then
        s.call("HDEL", row, "owner")
    end
    local group = fields[2]
    if group == false then
        letWait(
            s,
            base,
            id,
            group,
            fields[3]
        )
    else
        enterAgain(
            s,
            base,
            id,
            group,
            fields[3]
        )
    end
end
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
        call("LTRIM", wake, 0, 62)
        call("LPUSH", wake, "1")
    end
end
--- Whether limits keep the queue from being claimed from.
-- 
-- @cold
local isHeldBackOnce = nil
local function isHeldBack(s, base)
    if s.holds == nil then
        --- What kind of value a key holds. The server answers with a status, which its Lua gives as a table.
        local function holds(key)
            return redis.call("TYPE", key).ok
        end
        s.holds = holds
    end
    if s.int == nil then
        --- Whether text is a canonical decimal integer from min to max.
        local function int(text, min, max)
            if #text > 16 or (text ~= "0" and not string.find(text, "^[1-9]%d*$")) then
                return false
            end
            local number = tonumber(text)
            return number >= min and number <= max
        end
        s.int = int
    end
    if s.now == nil then
        --- The server's clock in whole Unix milliseconds, read once an act.
        local instant = false
        local function now()
            if instant == false then
                local clock = redis.call("TIME")
                instant = clock[1] * 1000 + math.floor(clock[2] / 1000)
            end
            return instant
        end
        s.now = now
    end
    if isHeldBackOnce == nil then
        --- A whole number in a field that others may have written; `other` for anything else.
        local function numberIn(s, field, most, other)
            return field ~= false and s.int(field, 0, most) and s.num(field) or other
        end
        --- Until when a lane, or with the empty name the queue, is not to be claimed from; 0 for no such time.
        local function restsUntil(s, base, subject)
            local ____until = s.call("ZSCORE", base .. "rest", subject)
            return ____until == false and 0 or s.num(____until)
        end
        --- Whether limits keep the queue from being claimed from. Asked after the writes of an act, so a foreign type is no
        -- error here.
        local function isLimited(s, base)
            local call = s.call
            if s.holds(base .. "rest") == "zset" and restsUntil(s, base, "") > s.now() then
                return true
            end
            local ceiling = numberIn(
                s,
                call("HGET", base .. "meta", "concurrency"),
                9007199254740991,
                0
            )
            return ceiling > 0 and s.holds(base .. "active") == "zset" and call("ZCARD", base .. "active") >= ceiling
        end
        isHeldBackOnce = function(s, base)
            return isLimited(s, base)
        end
    end
    return isHeldBackOnce(s, base)
end
--- Pushes if the queue is claimable: not paused, below its limits, and flat work or a servable lane waits. `open` is
-- what {@link isOpen} said before the first write of the act.
local function pushIfClaimable(s, base, open)
    local call = s.call
    local wake = base .. "wake"
    if not open or call("EXISTS", wake) == 1 or call("EXISTS", base .. "pending", base .. "ring") == 0 then
        return
    end
    if call("EXISTS", base .. "meta", base .. "rest") > 0 and isHeldBack(s, base) then
        return
    end
    push(s, wake)
end
--- Keys: row, schedule, pending, base. Arguments: id. Answers 1, or -1 when the job is gone.
local function release(s, keys, args)
    local refusal = checkRelease(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local fields = call(
        "HMGET",
        keys[1],
        "state",
        "group",
        "priority",
        "owner"
    )
    if fields[1] == false then
        return -1
    end
    if fields[1] == "pending" and call("HDEL", keys[1], "due") == 1 then
        return 1
    end
    if fields[1] ~= "scheduled" then
        return s.error("EMQSTATE not scheduled")
    end
    local open = isOpen(s, keys[4])
    readPlace(s, keys[4], fields[2])
    call("ZREM", keys[2], args[1])
    letWaitAgain(s, keys[4], args[1], fields)
    pushIfClaimable(s, keys[4], open)
    return 1
end
return release(s, KEYS, ARGV)
