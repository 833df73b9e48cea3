-- EMQ.LIMITS: Sets how many jobs of the queue may be leased at once, and how many may be claimed in a time.
-- KEYS: meta, limiter, wake, base
-- ARGV: concurrency, max, duration, way, burst, part
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
local s = {base = base, call = redis.call, error = redis.error_reply, int = int}
--- Shape, values and layout of `EMQ.LIMITS`: the text of the refusal, empty when all is well.
local function checkLimits(s, keys, args)
    if #keys ~= 4 then
        return "ERR EMQ.LIMITS takes 4 keys"
    end
    if #args ~= 6 then
        return "ERR wrong number of arguments for 'EMQ.LIMITS' command"
    end
    if not s.int(args[1], 0, 2147483648) then
        return "ERR EMQ.LIMITS bad argument concurrency"
    end
    if not s.int(args[2], 0, 1048576) then
        return "ERR EMQ.LIMITS bad argument max"
    end
    if not s.int(args[3], 1, 2147483648) then
        return "ERR EMQ.LIMITS bad argument duration"
    end
    if args[4] ~= "window" and args[4] ~= "sliding" and args[4] ~= "bucket" then
        return "ERR EMQ.LIMITS bad argument way"
    end
    if not s.int(args[5], 0, 1048576) then
        return "ERR EMQ.LIMITS bad argument burst"
    end
    if args[6] ~= "both" and args[6] ~= "concurrency" and args[6] ~= "rate" then
        return "ERR EMQ.LIMITS bad argument part"
    end
    local base = keys[4]
    if not s.base(base) or keys[1] ~= base .. "meta" or keys[2] ~= base .. "limiter" or keys[3] ~= base .. "wake" then
        return "ERR EMQ.LIMITS keys do not match the wire-4 layout"
    end
    return ""
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
    if s.num == nil then
        s.num = tonumber
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
--- Sets the rate, or ends it.
local function setRate(s, keys, args)
    local call = s.call
    local base = keys[4]
    local before = call("HMGET", keys[1], "duration", "burst")
    local burst = burstOf(args, 1)
    local isAnew = args[2] == "0" or changesCounting(before, args[3], burst)
    call("ZREM", base .. "rest", "")
    call("DEL", keys[2])
    if isAnew then
        forgetSpent(s, base, "")
    end
    call(
        "HDEL",
        keys[1],
        "max",
        "duration",
        "burst"
    )
    if args[2] == "0" then
        return
    end
    call(
        "HSET",
        keys[1],
        "max",
        args[2],
        "duration",
        args[3]
    )
    if burst ~= "" then
        call("HSET", keys[1], "burst", burst)
    end
end
--- Keys: meta, limiter, wake, base. Arguments: concurrency, max, duration, way, burst, part. Answers 1.
local function limits(s, keys, args)
    local refusal = checkLimits(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local base = keys[4]
    local open = isOpen(s, base)
    call("ZCARD", base .. "rest")
    call("HLEN", base .. "rate")
    call("ZCARD", base .. "active")
    if args[6] ~= "rate" then
        call("HDEL", keys[1], "concurrency")
        if args[1] ~= "0" then
            call("HSET", keys[1], "concurrency", args[1])
        end
    end
    if args[6] ~= "concurrency" then
        setRate(s, keys, args)
    end
    pushIfClaimable(s, base, open)
    return 1
end
return limits(s, KEYS, ARGV)
