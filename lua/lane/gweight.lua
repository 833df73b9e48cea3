-- EMQ.GWEIGHT: Sets the weight of a lane.
-- KEYS: gweight
-- ARGV: group, weight
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
--- Whether text may name a lane: 1 to 256 bytes, no brace, no NUL.
local function name(text)
    return #text >= 1 and #text <= 256 and not string.find(text, "[{}%z]")
end
local s = {base = base, call = redis.call, error = redis.error_reply, int = int, name = name}
--- Shape, values and layout of `EMQ.GWEIGHT`: the text of the refusal, empty when all is well.
local function checkGweight(s, keys, args)
    if #keys ~= 1 then
        return "ERR EMQ.GWEIGHT takes 1 keys"
    end
    if #args ~= 2 then
        return "ERR wrong number of arguments for 'EMQ.GWEIGHT' command"
    end
    if not s.name(args[1]) then
        return "ERR EMQ.GWEIGHT bad argument group"
    end
    if not s.int(args[2], 0, 1000000) then
        return "ERR EMQ.GWEIGHT bad argument weight"
    end
    local base = string.sub(keys[1], 1, -8)
    if not s.base(base) or keys[1] ~= base .. "gweight" then
        return "ERR EMQ.GWEIGHT keys do not match the wire-4 layout"
    end
    return ""
end
--- Keys: gweight. Arguments: group, weight or 0. Answers 1.
local function gweight(s, keys, args)
    local refusal = checkGweight(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local known = call("HEXISTS", keys[1], args[1]) == 1
    if args[2] ~= "0" and not known and call("HLEN", keys[1]) >= 100000 then
        return s.error("EMQFULL settings of lanes")
    end
    call("HDEL", keys[1], args[1])
    if args[2] ~= "0" then
        call("HSET", keys[1], args[1], args[2])
    end
    return 1
end
return gweight(s, KEYS, ARGV)
