-- EMQ.LANECOUNTS: Tells depth and settings of lanes.
-- KEYS: ring, base
-- ARGV: ...
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
--- Whether text may name a lane: 1 to 256 bytes, no brace, no NUL.
local function name(text)
    return #text >= 1 and #text <= 256 and not string.find(text, "[{}%z]")
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
local s = {base = base, call = redis.call, error = redis.error_reply, name = name, now = now, num = tonumber}
--- Shape, values and layout of `EMQ.LANECOUNTS`: the text of the refusal, empty when all is well.
local function checkLanecounts(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.LANECOUNTS takes 2 keys"
    end
    if #args > 1000 then
        return "ERR EMQ.LANECOUNTS bad argument group"
    end
    do
        local i = 0
        while i < #args do
            if not s.name(args[i + 1]) then
                return "ERR EMQ.LANECOUNTS bad argument group"
            end
            i = i + 1
        end
    end
    local base = keys[2]
    if not s.base(base) or keys[1] ~= base .. "ring" then
        return "ERR EMQ.LANECOUNTS keys do not match the wire-4 layout"
    end
    return ""
end
--- Until when a lane, or with the empty name the queue, is not to be claimed from; 0 for no such time.
local function restsUntil(s, base, subject)
    local ____until = s.call("ZSCORE", base .. "rest", subject)
    return ____until == false and 0 or s.num(____until)
end
--- The number in a counter field, 0 when it is absent.
local function countOf(s, field)
    return field == false and 0 or s.num(field)
end
--- The sorted set of a lane's waiting jobs.
local function laneKey(base, group)
    return base .. "g:" .. group .. ":pending"
end
--- Whether the lane of a row is in strict order. To be asked before the first write.
local function isOrdered(s, base, group)
    return group ~= false and s.call("SISMEMBER", base .. "gordered", group) == 1
end
--- Keys: ring, base. Arguments: lanes. Answers seven numbers for each.
local function lanecounts(s, keys, args)
    local refusal = checkLanecounts(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local base = keys[2]
    local out = {}
    for ____, group in ipairs(args) do
        local weight = call("HGET", base .. "gweight", group)
        out[#out + 1] = call(
            "ZCARD",
            laneKey(base, group)
        )
        out[#out + 1] = countOf(
            s,
            call("HGET", base .. "gactive", group)
        )
        out[#out + 1] = countOf(
            s,
            call("HGET", base .. "glimit", group)
        )
        out[#out + 1] = weight == false and 1 or s.num(weight)
        out[#out + 1] = call("SISMEMBER", base .. "paused", group)
        out[#out + 1] = isOrdered(s, base, group) and 1 or 0
        local ____until = restsUntil(s, base, group)
        out[#out + 1] = ____until == 0 and 0 or math.max(
            1,
            ____until - s.now()
        )
    end
    return out
end
return lanecounts(s, KEYS, ARGV)
