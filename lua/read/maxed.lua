-- EMQ.MAXED: Tells whether the queue is at its concurrency ceiling.
-- KEYS: meta, active
-- ARGV: none
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
local s = {base = base, call = redis.call, error = redis.error_reply, num = tonumber}
--- Shape, values and layout of `EMQ.MAXED`: the text of the refusal, empty when all is well.
local function checkMaxed(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.MAXED takes 2 keys"
    end
    if #args ~= 0 then
        return "ERR wrong number of arguments for 'EMQ.MAXED' command"
    end
    local base = string.sub(keys[1], 1, -5)
    if not s.base(base) or keys[1] ~= base .. "meta" or keys[2] ~= base .. "active" then
        return "ERR EMQ.MAXED keys do not match the wire-4 layout"
    end
    return ""
end
--- The number in a counter field, 0 when it is absent.
local function countOf(s, field)
    return field == false and 0 or s.num(field)
end
--- Keys: meta, active. No arguments. Answers 0, or refuses at the ceiling.
local function maxed(s, keys, args)
    local refusal = checkMaxed(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local ceiling = countOf(
        s,
        s.call("HGET", keys[1], "concurrency")
    )
    if ceiling > 0 and s.call("ZCARD", keys[2]) >= ceiling then
        return s.error("EMQRATE at concurrency ceiling")
    end
    return 0
end
return maxed(s, KEYS, ARGV)
