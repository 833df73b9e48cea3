-- EMQ.LOG: Appends a log line.
-- KEYS: row, logs
-- ARGV: line, keep, token
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
local s = {base = base, branded = branded, call = redis.call, error = redis.error_reply, int = int, num = tonumber}
--- Shape, values and layout of `EMQ.LOG`: the text of the refusal, empty when all is well.
local function checkLog(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.LOG takes 2 keys"
    end
    if #args < 2 or #args > 3 then
        return "ERR wrong number of arguments for 'EMQ.LOG' command"
    end
    if not s.int(args[2], 0, 1000000) then
        return "ERR EMQ.LOG bad argument keep"
    end
    if #args > 2 and not s.int(args[3], 0, 9007199254740991) then
        return "ERR EMQ.LOG bad argument token"
    end
    local base = string.sub(keys[1], 1, -19)
    if not s.base(base) or not s.branded(string.sub(keys[1], -14)) or keys[1] ~= base .. "job:" .. string.sub(keys[1], -14) or keys[2] ~= base .. "job:" .. string.sub(keys[1], -14) .. ":logs" then
        return "ERR EMQ.LOG keys do not match the wire-4 layout"
    end
    return ""
end
--- Whether a token is the current one. No claim ever gave `0`, although a row is born with that number.
local function isCurrent(attempts, token)
    return token ~= "0" and attempts == token
end
--- Keys: row, row:logs. Arguments: line, keep and perhaps a token. Answers the lines kept, or -1 when gone.
local function log(s, keys, args)
    local refusal = checkLog(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local attempts = s.call("HGET", keys[1], "attempts")
    if attempts == false then
        return -1
    end
    if #args > 2 and not isCurrent(attempts, args[3]) then
        return s.error("EMQSTALE log token mismatch")
    end
    local lines = s.call("RPUSH", keys[2], args[1])
    local keep = s.num(args[2])
    if keep == 0 or lines <= keep then
        return lines
    end
    s.call("LTRIM", keys[2], -keep, -1)
    return keep
end
return log(s, KEYS, ARGV)
