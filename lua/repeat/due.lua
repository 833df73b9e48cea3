-- EMQ.DUE: Tells which repeats are due, with all that firing them takes.
-- KEYS: repeat, cron, base
-- ARGV: cron_offset, repeat_offset, limit
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
--- The decimal text of a whole number up to 2^53, all of its digits.
local function text(number)
    return string.format("%.0f", number)
end
local s = {base = base, call = redis.call, error = redis.error_reply, int = int, now = now, num = tonumber, text = text}
--- Shape, values and layout of `EMQ.DUE`: the text of the refusal, empty when all is well.
local function checkDue(s, keys, args)
    if #keys ~= 3 then
        return "ERR EMQ.DUE takes 3 keys"
    end
    if #args ~= 3 then
        return "ERR wrong number of arguments for 'EMQ.DUE' command"
    end
    if not s.int(args[1], 0, 100000) then
        return "ERR EMQ.DUE bad argument cron_offset"
    end
    if not s.int(args[2], 0, 100000) then
        return "ERR EMQ.DUE bad argument repeat_offset"
    end
    if not s.int(args[3], 0, 1000) then
        return "ERR EMQ.DUE bad argument limit"
    end
    local base = keys[3]
    if not s.base(base) or keys[1] ~= base .. "repeat" or keys[2] ~= base .. "cron" then
        return "ERR EMQ.DUE keys do not match the wire-4 layout"
    end
    return ""
end
--- Appends what the due members of a set are, at most `limit` after the first `offset`.
local function addDue(s, entries, base, ____type, offset, limit)
    if limit == 0 then
        return
    end
    local call = s.call
    local set = base .. ____type
    local due = call(
        "ZRANGEBYSCORE",
        set,
        "-inf",
        s.now(),
        "LIMIT",
        offset,
        limit
    )
    for ____, name in ipairs(due) do
        local score = call("ZSCORE", set, name)
        local record = base .. ____type .. ":" .. name
        local fields = call(
            "HMGET",
            record,
            "every_ms",
            "rev",
            "rule",
            "policy",
            "limit",
            "until",
            "fired"
        )
        local size = #entries
        entries[size + 1] = ____type
        entries[size + 2] = name
        entries[size + 3] = score == false and "" or score
        for ____, field in ipairs(fields) do
            entries[#entries + 1] = field == false and "" or field
        end
    end
end
--- The first instant of a set after now, `ENDED_AT` for none.
local function comingOf(s, set)
    local call = s.call
    local next = call(
        "ZRANGEBYSCORE",
        set,
        "(" .. s.text(s.now()),
        "+inf",
        "LIMIT",
        0,
        1
    )
    if #next == 0 then
        return 9007199254740991
    end
    local score = call("ZSCORE", set, next[1])
    return score ~= false and s.int(score, 0, 9007199254740991) and s.num(score) or 9007199254740991
end
--- Keys: repeat, cron, base. Arguments: cron_offset, repeat_offset, limit. Answers now, the first instant after it or
-- -1, and the entries of those that are due.
local function due(s, keys, args)
    local refusal = checkDue(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local entries = {}
    local limit = s.num(args[3])
    addDue(
        s,
        entries,
        keys[3],
        "cron",
        s.num(args[1]),
        limit
    )
    addDue(
        s,
        entries,
        keys[3],
        "repeat",
        s.num(args[2]),
        limit
    )
    local coming = math.min(
        comingOf(s, keys[1]),
        comingOf(s, keys[2])
    )
    return {
        s.now(),
        coming == 9007199254740991 and -1 or coming,
        entries
    }
end
return due(s, KEYS, ARGV)
