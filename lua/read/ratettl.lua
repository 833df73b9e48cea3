-- EMQ.RATETTL: Tells for how long the rate of the queue is spent.
-- KEYS: limiter, meta
-- ARGV: max
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
local s = {base = base, call = redis.call, error = redis.error_reply, int = int, num = tonumber}
--- Shape, values and layout of `EMQ.RATETTL`: the text of the refusal, empty when all is well.
local function checkRatettl(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.RATETTL takes 2 keys"
    end
    if #args ~= 1 then
        return "ERR wrong number of arguments for 'EMQ.RATETTL' command"
    end
    if not s.int(args[1], 0, 9007199254740991) then
        return "ERR EMQ.RATETTL bad argument max"
    end
    local base = string.sub(keys[1], 1, -8)
    if not s.base(base) or keys[1] ~= base .. "limiter" or keys[2] ~= base .. "meta" then
        return "ERR EMQ.RATETTL keys do not match the wire-4 layout"
    end
    return ""
end
--- Keys: limiter, meta. Arguments: max, 0 for the one of the queue. Answers ms, 0 when the rate is not spent.
local function ratettl(s, keys, args)
    local refusal = checkRatettl(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local text = args[1]
    if text == "0" then
        text = call("HGET", keys[2], "max")
    end
    if text == false or not s.int(text, 1, 9007199254740991) then
        return 0
    end
    local count = call("GET", keys[1])
    if count == false or not s.int(count, 0, 9007199254740991) or s.num(count) < s.num(text) then
        return 0
    end
    return math.max(
        0,
        call("PTTL", keys[1])
    )
end
return ratettl(s, KEYS, ARGV)
