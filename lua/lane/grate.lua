-- EMQ.GRATE: Sets how many jobs of a lane may be claimed in a time.
-- KEYS: rate, rest, ring, wake, base
-- ARGV: group, max, duration, way, burst
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
--- One byte of a text, counted from 0.
local function char(text, index)
    return string.sub(text, index + 1, index + 1)
end
--- Whether text is a canonical decimal integer from min to max.
local function int(text, min, max)
    if #text > 16 or (text ~= "0" and not string.find(text, "^[1-9]%d*$")) then
        return false
    end
    local number = tonumber(text)
    return number >= min and number <= max
end
--- Whether text may name a lane: 1 to 256 bytes, no brace, no NUL.
local function name(text)
    return #text >= 1 and #text <= 256 and not string.find(text, "[{}%z]")
end
local s = {base = base, call = redis.call, char = char, error = redis.error_reply, int = int, name = name, num = tonumber}
--- Shape, values and layout of `EMQ.GRATE`: the text of the refusal, empty when all is well.
local function checkGrate(s, keys, args)
    if #keys ~= 5 then
        return "ERR EMQ.GRATE takes 5 keys"
    end
    if #args ~= 5 then
        return "ERR wrong number of arguments for 'EMQ.GRATE' command"
    end
    if not s.name(args[1]) then
        return "ERR EMQ.GRATE bad argument group"
    end
    if not s.int(args[2], 0, 1048576) then
        return "ERR EMQ.GRATE bad argument max"
    end
    if not s.int(args[3], 1, 2147483648) then
        return "ERR EMQ.GRATE bad argument duration"
    end
    if args[4] ~= "window" and args[4] ~= "sliding" and args[4] ~= "bucket" then
        return "ERR EMQ.GRATE bad argument way"
    end
    if not s.int(args[5], 0, 1048576) then
        return "ERR EMQ.GRATE bad argument burst"
    end
    local base = keys[5]
    if not s.base(base) or keys[1] ~= base .. "rate" or keys[2] ~= base .. "rest" or keys[3] ~= base .. "ring" or keys[4] ~= base .. "wake" then
        return "ERR EMQ.GRATE keys do not match the wire-4 layout"
    end
    return ""
end
--- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
local function isResting(s, base, lane)
    return s.call("ZSCORE", base .. "rest", lane) ~= false
end
--- The burst that a rate is kept with, from its max, duration, way and burst at place `from`: empty for a window, `0`
-- for a sliding one, the size of a bucket.
local function burstOf(args, from)
    if args[from + 3] == "window" then
        return ""
    end
    if args[from + 3] == "sliding" then
        return "0"
    end
    return args[from + 4] == "0" and args[from + 1] or args[from + 4]
end
--- Whether another duration or burst than before means that what was spent cannot be counted on.
local function changesCounting(before, duration, burst)
    return before[1] ~= duration or (before[2] == false and "" or before[2]) ~= burst
end
--- Forgets what a rate has spent.
local function forgetSpent(s, base, subject)
    s.call(
        "HDEL",
        base .. "rate",
        "a" .. subject,
        "l" .. subject,
        "p" .. subject
    )
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
--- Puts a servable lane onto the ring that may have been put there already.
local function offerLane(s, base, lane)
    local places = s.call(
        "LPOS",
        base .. "ring",
        lane,
        "COUNT",
        1,
        "MAXLEN",
        "1000"
    )
    if #places == 0 then
        s.call("RPUSH", base .. "ring", lane)
    end
end
--- Fields of `rate`, at most: three for a lane that has spent nothing, and six for one in a sliding window.
local FIELDS_MAX = 3 * 100000
--- Writes the rate of a lane, or takes it away.
local function setRate(s, rate, args, burst)
    local call = s.call
    local lane = args[1]
    call(
        "HDEL",
        rate,
        "m" .. lane,
        "d" .. lane,
        "b" .. lane
    )
    if args[2] == "0" then
        return
    end
    call(
        "HSET",
        rate,
        "m" .. lane,
        args[2],
        "d" .. lane,
        args[3]
    )
    if burst ~= "" then
        call("HSET", rate, "b" .. lane, burst)
    end
end
--- Keys: rate, rest, ring, wake, base. Arguments: group, max or 0, duration, way, burst. Answers 1.
local function grate(s, keys, args)
    local refusal = checkGrate(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local rate = keys[1]
    local base = keys[5]
    local lane = args[1]
    local before = call("HMGET", rate, "d" .. lane, "b" .. lane)
    local burst = burstOf(args, 1)
    local isWanted = args[2] ~= "0"
    if isWanted and before[1] == false and call("HLEN", rate) >= FIELDS_MAX then
        return s.error("EMQFULL settings of lanes")
    end
    local open = isOpen(s, base)
    readLanes(s, base, {lane}, 1)
    local rested = call("ZREM", keys[2], lane) == 1
    if not isWanted or changesCounting(before, args[3], burst) then
        forgetSpent(s, base, lane)
    end
    setRate(s, rate, args, burst)
    if s.char(lane, 0) == "@" and isWanted ~= (before[1] ~= false) then
        if call("HINCRBY", rate, "n", isWanted and 1 or -1) <= 0 then
            call("HDEL", rate, "n")
        end
    end
    if rested and call(
        "ZCARD",
        laneKey(base, lane)
    ) > 0 and isServable(s, base, lane) then
        offerLane(s, base, lane)
    end
    pushIfClaimable(s, base, open)
    return 1
end
return grate(s, KEYS, ARGV)
