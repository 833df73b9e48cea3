-- EMQ.EXTEND: Renews one lease.
-- KEYS: active, row
-- ARGV: id, token, lease_ms
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
--- The server's clock in whole Unix milliseconds, read once an act.
local instant = false
local function now()
    if instant == false then
        local clock = redis.call("TIME")
        instant = clock[1] * 1000 + math.floor(clock[2] / 1000)
    end
    return instant
end
local s = {base = base, call = redis.call, error = redis.error_reply, int = int, now = now, num = tonumber}
--- Shape, values and layout of `EMQ.EXTEND`: the text of the refusal, empty when all is well.
local function checkExtend(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.EXTEND takes 2 keys"
    end
    if #args ~= 3 then
        return "ERR wrong number of arguments for 'EMQ.EXTEND' command"
    end
    if not s.int(args[2], 0, 9007199254740991) then
        return "ERR EMQ.EXTEND bad argument token"
    end
    if not s.int(args[3], 1, 2147483648) then
        return "ERR EMQ.EXTEND bad argument lease_ms"
    end
    local base = string.sub(keys[1], 1, -7)
    if not s.base(base) or keys[1] ~= base .. "active" or keys[2] ~= base .. "job:" .. args[1] then
        return "ERR EMQ.EXTEND keys do not match the wire-4 layout"
    end
    return ""
end
--- Whether a token is the current one. No claim ever gave `0`, although a row is born with that number.
local function isCurrent(attempts, token)
    return token ~= "0" and attempts == token
end
--- Keys: active, row. Arguments: id, token, lease_ms. Answers 1, 2 when a cancel was asked for, -1 when gone.
local function extend(s, keys, args)
    local refusal = checkExtend(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local fields = call("HMGET", keys[2], "attempts", "cancel")
    if fields[1] == false then
        return -1
    end
    if not isCurrent(fields[1], args[2]) or call("ZSCORE", keys[1], args[1]) == false then
        return s.error("EMQSTALE extend token mismatch")
    end
    call("ZREM", keys[1], args[1])
    call(
        "ZADD",
        keys[1],
        s.now() + s.num(args[3]),
        args[1]
    )
    return fields[2] == false and 1 or 2
end
return extend(s, KEYS, ARGV)
