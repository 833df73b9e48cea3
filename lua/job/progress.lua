-- EMQ.PROGRESS: Stores the progress and publishes it.
-- KEYS: row, base
-- ARGV: progress, id, token
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
--- Escapes of control characters that have a short form.
local SHORT = {["\8"] = "\\b", ["\9"] = "\\t", ["\10"] = "\\n", ["\12"] = "\\f", ["\13"] = "\\r", ['"'] = '\\"', ["\\"] = "\\\\"}
--- The number of further bytes after a lead byte, and the range of the first of them; nil for a byte that cannot lead.
local function lead(byte)
    if byte >= 194 and byte <= 223 then return 1, 128, 191 end
    if byte == 224 then return 2, 160, 191 end
    if byte == 237 then return 2, 128, 159 end
    if byte >= 225 and byte <= 239 then return 2, 128, 191 end
    if byte == 240 then return 3, 144, 191 end
    if byte >= 241 and byte <= 243 then return 3, 128, 191 end
    if byte == 244 then return 3, 128, 143 end
    return nil
end
--- Replaces each maximal part that is no UTF-8 by U+FFFD.
local function repair(text)
    local out, at, size = {}, 1, #text
    while at <= size do
        local byte = string.byte(text, at)
        local more, low, high = lead(byte)
        local stop = at
        local whole = byte < 128
        if more then
            while stop - at < more do
                local following = string.byte(text, stop + 1)
                if not following or following < low or following > high then break end
                low, high = 128, 191
                stop = stop + 1
            end
            whole = stop - at == more
        end
        out[#out + 1] = whole and string.sub(text, at, stop) or "\239\191\189"
        at = stop + 1
    end
    return table.concat(out)
end
--- The text as a JSON string with its quotes.
local function json(text)
    local valid = string.find(text, "[\128-\255]") and repair(text) or text
    local escaped = string.gsub(valid, '[%z\1-\31"\\]', function(char)
        return SHORT[char] or string.format("\\u%04x", string.byte(char))
    end)
    return '"' .. escaped .. '"'
end
local s = {base = base, call = redis.call, error = redis.error_reply, int = int, json = json}
--- Shape, values and layout of `EMQ.PROGRESS`: the text of the refusal, empty when all is well.
local function checkProgress(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.PROGRESS takes 2 keys"
    end
    if #args < 2 or #args > 3 then
        return "ERR wrong number of arguments for 'EMQ.PROGRESS' command"
    end
    if #args > 2 and not s.int(args[3], 0, 9007199254740991) then
        return "ERR EMQ.PROGRESS bad argument token"
    end
    local base = keys[2]
    if not s.base(base) or keys[1] ~= base .. "job:" .. args[2] then
        return "ERR EMQ.PROGRESS keys do not match the wire-4 layout"
    end
    return ""
end
--- Whether a token is the current one. No claim ever gave `0`, although a row is born with that number.
local function isCurrent(attempts, token)
    return token ~= "0" and attempts == token
end
--- Keys: row, base. Arguments: progress, id and perhaps a token. Answers 1, or -1 when the job is gone.
local function progress(s, keys, args)
    local refusal = checkProgress(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local fields = s.call("HMGET", keys[1], "attempts", "alias")
    local attempts = fields[1]
    local alias = fields[2] == false and "" or ",\"alias\":" .. s.json(fields[2])
    if attempts == false then
        return -1
    end
    if #args > 2 and not isCurrent(attempts, args[3]) then
        return s.error("EMQSTALE progress token mismatch")
    end
    local job = s.json(args[2])
    local progress = s.json(args[1])
    s.call("PUBLISH", keys[2] .. "events", "{\"event\":\"progress\",\"job\":" .. job .. ",\"progress\":" .. progress .. alias .. "}")
    s.call("HSET", keys[1], "progress", args[1])
    return 1
end
return progress(s, KEYS, ARGV)
