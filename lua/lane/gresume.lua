-- EMQ.GRESUME: Resumes a lane.
-- KEYS: paused, ring, glimit, gactive, wake, base
-- ARGV: group
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
--- Whether text may name a lane: 1 to 256 bytes, no brace, no NUL.
local function name(text)
    return #text >= 1 and #text <= 256 and not string.find(text, "[{}%z]")
end
local s = {base = base, call = redis.call, error = redis.error_reply, name = name, num = tonumber}
--- Shape, values and layout of `EMQ.GRESUME`: the text of the refusal, empty when all is well.
local function checkGresume(s, keys, args)
    if #keys ~= 6 then
        return "ERR EMQ.GRESUME takes 6 keys"
    end
    if #args ~= 1 then
        return "ERR wrong number of arguments for 'EMQ.GRESUME' command"
    end
    if not s.name(args[1]) then
        return "ERR EMQ.GRESUME bad argument group"
    end
    local base = keys[6]
    if not s.base(base) or keys[1] ~= base .. "paused" or keys[2] ~= base .. "ring" or keys[3] ~= base .. "glimit" or keys[4] ~= base .. "gactive" or keys[5] ~= base .. "wake" then
        return "ERR EMQ.GRESUME keys do not match the wire-4 layout"
    end
    return ""
end
--- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
local function isResting(s, base, lane)
    return s.call("ZSCORE", base .. "rest", lane) ~= false
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
--- Keys: paused, ring, glimit, gactive, wake, base. Arguments: group. Answers 1.
local function gresume(s, keys, args)
    local refusal = checkGresume(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local base = keys[6]
    local group = args[1]
    local open = isOpen(s, base)
    local waits = call(
        "ZCARD",
        laneKey(base, group)
    ) > 0
    call("LLEN", keys[2])
    call("HGET", keys[3], group)
    call("HGET", keys[4], group)
    call("ZCARD", base .. "rest")
    if call("SREM", keys[1], group) == 0 then
        return 1
    end
    if waits and isServable(s, base, group) then
        call("RPUSH", keys[2], group)
        pushIfClaimable(s, base, open)
    end
    return 1
end
return gresume(s, KEYS, ARGV)
