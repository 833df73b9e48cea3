-- EMQ.COUNTS: Counts members of sets and reads counters.
-- KEYS: base, pending, ...
-- ARGV: ...
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
local s = {base = base, call = redis.call, error = redis.error_reply, num = tonumber}
--- Shape, values and layout of `EMQ.COUNTS`: the text of the refusal, empty when all is well.
local function checkCounts(s, keys, args)
    if #keys < 2 then
        return "ERR EMQ.COUNTS takes 2 keys"
    end
    do
        local i = 0
        while i < #args do
            if args[i + 1] ~= "completed" and args[i + 1] ~= "failed" and args[i + 1] ~= "lanes" then
                return "ERR EMQ.COUNTS bad argument counter"
            end
            i = i + 1
        end
    end
    local base = keys[1]
    if not s.base(base) or keys[2] ~= base .. "pending" then
        return "ERR EMQ.COUNTS keys do not match the wire-4 layout"
    end
    do
        local i = 2
        while i < #keys do
            if keys[i + 1] ~= base .. "active" and keys[i + 1] ~= base .. "schedule" and keys[i + 1] ~= base .. "awaiting" and keys[i + 1] ~= base .. "dead" and keys[i + 1] ~= base .. "completed" then
                return "ERR EMQ.COUNTS keys do not match the wire-4 layout"
            end
            i = i + 1
        end
    end
    return ""
end
--- The number in a counter field, 0 when it is absent.
local function countOf(s, field)
    return field == false and 0 or s.num(field)
end
--- The sorted set of a lane's waiting jobs.
local function laneKey(base, group)
    return base .. "g:" .. group .. ":pending"
end
--- How many jobs wait in lanes. A lane with work stands on the ring, or a pause, a limit or a rest keeps it off. Answers
-- -1 when these are too many names for one act.
local function countLanes(s, base)
    local call = s.call
    local ring = base .. "ring"
    local paused = base .. "paused"
    local limits = base .. "glimit"
    local rest = base .. "rest"
    local names = call("LLEN", ring) + call("SCARD", paused) + call("HLEN", limits) + call("ZCARD", rest)
    if names > 1000 then
        return -1
    end
    local seen = {}
    local waiting = 0
    for ____, some in ipairs({
        call("LRANGE", ring, 0, -1),
        call("SMEMBERS", paused),
        call("HKEYS", limits),
        call("ZRANGE", rest, 0, -1)
    }) do
        for ____, group in ipairs(some) do
            local lane = laneKey(base, group)
            if seen[lane] ~= true then
                seen[lane] = true
                waiting = waiting + call("ZCARD", lane)
            end
        end
    end
    return waiting
end
--- Keys: base, pending, further sets. Arguments: counters. Answers one number each, in this order.
local function counts(s, keys, args)
    local refusal = checkCounts(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local out = {}
    local sets = #keys
    for i = 1, sets - 1 do
        out[#out + 1] = s.call("ZCARD", keys[i + 1])
    end
    for ____, counter in ipairs(args) do
        if counter == "lanes" then
            out[#out + 1] = countLanes(s, keys[1])
        else
            out[#out + 1] = countOf(
                s,
                s.call("HGET", keys[1] .. "metrics:" .. counter, "count")
            )
        end
    end
    return out
end
return counts(s, KEYS, ARGV)
