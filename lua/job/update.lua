-- EMQ.UPDATE: Replaces the payload.
-- KEYS: row
-- ARGV: payload, token
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
--- Whether text is a branded id. The payload is compared byte by byte: the server's string order may follow a locale.
local function branded(text)
    if #text ~= 14 or not string.find(text, "^[A-Z][A-Z][A-Z][0-9A-Za-z]+$") then
        return false
    end
    local last = "AzL8n0Y58m7"
    for i = 1, 11 do
        local have, most = string.byte(text, i + 3), string.byte(last, i)
        if have ~= most then
            return have < most
        end
    end
    return true
end
--- Whether text is a canonical decimal integer from min to max.
local function int(text, min, max)
    if #text > 16 or (text ~= "0" and not string.find(text, "^[1-9]%d*$")) then
        return false
    end
    local number = tonumber(text)
    return number >= min and number <= max
end
local s = {base = base, branded = branded, call = redis.call, error = redis.error_reply, int = int}
--- Shape, values and layout of `EMQ.UPDATE`: the text of the refusal, empty when all is well.
local function checkUpdate(s, keys, args)
    if #keys ~= 1 then
        return "ERR EMQ.UPDATE takes 1 keys"
    end
    if #args < 1 or #args > 2 then
        return "ERR wrong number of arguments for 'EMQ.UPDATE' command"
    end
    if #args > 1 and not s.int(args[2], 0, 9007199254740991) then
        return "ERR EMQ.UPDATE bad argument token"
    end
    local base = string.sub(keys[1], 1, -19)
    if not s.base(base) or not s.branded(string.sub(keys[1], -14)) or keys[1] ~= base .. "job:" .. string.sub(keys[1], -14) then
        return "ERR EMQ.UPDATE keys do not match the wire-4 layout"
    end
    return ""
end
--- Whether a token is the current one. No claim ever gave `0`, although a row is born with that number.
local function isCurrent(attempts, token)
    return token ~= "0" and attempts == token
end
--- Keys: row. Arguments: payload and perhaps a token. Answers 1, or -1 when the job is gone.
local function update(s, keys, args)
    local refusal = checkUpdate(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local attempts = s.call("HGET", keys[1], "attempts")
    if attempts == false then
        return -1
    end
    if #args > 1 and not isCurrent(attempts, args[2]) then
        return s.error("EMQSTALE update token mismatch")
    end
    s.call("HSET", keys[1], "payload", args[1])
    return 1
end
return update(s, KEYS, ARGV)
