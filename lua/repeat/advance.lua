-- EMQ.ADVANCE: Moves the next occurrence of a repeat, whatever it was.
-- KEYS: set, record
-- ARGV: name, next_at
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
--- Shape, values and layout of `EMQ.ADVANCE`: the text of the refusal, empty when all is well.
local function checkAdvance(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.ADVANCE takes 2 keys"
    end
    if #args ~= 2 then
        return "ERR wrong number of arguments for 'EMQ.ADVANCE' command"
    end
    if not s.name(args[1]) then
        return "ERR EMQ.ADVANCE bad argument name"
    end
    if not s.int(args[2], 0, 9007199254740991) then
        return "ERR EMQ.ADVANCE bad argument next_at"
    end
    local base = string.sub(keys[1], -5) == ":cron" and string.sub(keys[1], 1, -5) or string.sub(keys[1], 1, -7)
    local plane = keys[1] == base .. "cron" and "cron" or "repeat"
    if not s.base(base) or keys[1] ~= base .. plane or keys[2] ~= base .. plane .. ":" .. args[1] then
        return "ERR EMQ.ADVANCE keys do not match the wire-4 layout"
    end
    return ""
end
--- Keys: set, record. Arguments: name, next_at. Answers 1, or 0 when there is no record.
local function advance(s, keys, args)
    local refusal = checkAdvance(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local exists = call("HEXISTS", keys[2], "template") == 1
    call("ZREM", keys[1], args[1])
    if not exists then
        return 0
    end
    call("ZADD", keys[1], args[2], args[1])
    return 1
end
return advance(s, KEYS, ARGV)
