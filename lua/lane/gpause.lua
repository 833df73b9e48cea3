-- EMQ.GPAUSE: Pauses a lane.
-- KEYS: paused, ring
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
local s = {base = base, call = redis.call, error = redis.error_reply, name = name}
--- Shape, values and layout of `EMQ.GPAUSE`: the text of the refusal, empty when all is well.
local function checkGpause(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.GPAUSE takes 2 keys"
    end
    if #args ~= 1 then
        return "ERR wrong number of arguments for 'EMQ.GPAUSE' command"
    end
    if not s.name(args[1]) then
        return "ERR EMQ.GPAUSE bad argument group"
    end
    local base = string.sub(keys[1], 1, -7)
    if not s.base(base) or keys[1] ~= base .. "paused" or keys[2] ~= base .. "ring" then
        return "ERR EMQ.GPAUSE keys do not match the wire-4 layout"
    end
    return ""
end
--- Keys: paused, ring. Arguments: group. Answers 1.
local function gpause(s, keys, args)
    local refusal = checkGpause(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    if call("SISMEMBER", keys[1], args[1]) == 1 then
        return 1
    end
    if call("SCARD", keys[1]) >= 100000 then
        return s.error("EMQFULL settings of lanes")
    end
    call("LREM", keys[2], 0, args[1])
    call("SADD", keys[1], args[1])
    return 1
end
return gpause(s, KEYS, ARGV)
