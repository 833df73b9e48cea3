-- EMQ.QPAUSE: Pauses the queue: nothing is claimed until it is resumed.
-- KEYS: meta
-- ARGV: none
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
local s = {base = base, call = redis.call, error = redis.error_reply}
--- Shape, values and layout of `EMQ.QPAUSE`: the text of the refusal, empty when all is well.
local function checkQpause(s, keys, args)
    if #keys ~= 1 then
        return "ERR EMQ.QPAUSE takes 1 keys"
    end
    if #args ~= 0 then
        return "ERR wrong number of arguments for 'EMQ.QPAUSE' command"
    end
    local base = string.sub(keys[1], 1, -5)
    if not s.base(base) or keys[1] ~= base .. "meta" then
        return "ERR EMQ.QPAUSE keys do not match the wire-4 layout"
    end
    return ""
end
--- Keys: meta. No arguments. Answers 1.
local function qpause(s, keys, args)
    local refusal = checkQpause(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    s.call("HDEL", keys[1], "paused")
    s.call("HSET", keys[1], "paused", "1")
    return 1
end
return qpause(s, KEYS, ARGV)
