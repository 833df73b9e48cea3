-- EMQ.SKIP: Leaves out the next occurrence of a repeat and moves on, due or not.
-- KEYS: set, record, base
-- ARGV: name, due_at, rev, next_at, skipped, skip_slot, why
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
--- Whether text may name a lane: 1 to 256 bytes, no brace, no NUL.
local function name(text)
    return #text >= 1 and #text <= 256 and not string.find(text, "[{}%z]")
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
local s = {base = base, call = redis.call, error = redis.error_reply, int = int, json = json, name = name, now = now, num = tonumber, text = text}
--- Shape, values and layout of `EMQ.SKIP`: the text of the refusal, empty when all is well.
local function checkSkip(s, keys, args)
    if #keys ~= 3 then
        return "ERR EMQ.SKIP takes 3 keys"
    end
    if #args ~= 7 then
        return "ERR wrong number of arguments for 'EMQ.SKIP' command"
    end
    if not s.name(args[1]) then
        return "ERR EMQ.SKIP bad argument name"
    end
    if not s.int(args[2], 0, 9007199254740991) then
        return "ERR EMQ.SKIP bad argument due_at"
    end
    if not s.int(args[3], 0, 9007199254740991) then
        return "ERR EMQ.SKIP bad argument rev"
    end
    if not s.int(args[4], 0, 9007199254740991) then
        return "ERR EMQ.SKIP bad argument next_at"
    end
    if not s.int(args[5], 0, 1000000000) then
        return "ERR EMQ.SKIP bad argument skipped"
    end
    if not s.int(args[6], 0, 9007199254740991) then
        return "ERR EMQ.SKIP bad argument skip_slot"
    end
    if args[7] ~= "missed" and args[7] ~= "dst" and args[7] ~= "hand" then
        return "ERR EMQ.SKIP bad argument why"
    end
    local base = keys[3]
    local plane = keys[1] == base .. "cron" and "cron" or "repeat"
    if not s.base(base) or keys[1] ~= base .. plane or keys[2] ~= base .. plane .. ":" .. args[1] then
        return "ERR EMQ.SKIP keys do not match the wire-4 layout"
    end
    return ""
end
--- The bytes told up to and with an entry, whose first field says it; 0 for one that does not.
local function sumOf(s, fields)
    return fields[1] == "sum" and s.int(fields[2], 0, 9007199254740991) and s.num(fields[2]) or 0
end
--- Cuts the head so that at most `most` bytes stay behind the first record that is kept. At most 200 go at a time.
local function cutHead(s, key, sum, most)
    local rows = s.call(
        "XRANGE",
        key,
        "-",
        "+",
        "COUNT",
        200
    )
    local stop = #rows
    local keep = ""
    for i = 0, stop - 1 do
        local row = rows[i + 1]
        keep = row[1]
        if sum - sumOf(s, row[2]) <= most then
            break
        end
    end
    if keep ~= "" then
        s.call(
            "XTRIM",
            key,
            "MINID",
            "=",
            keep
        )
    end
end
--- Appends an event to the stream, if the queue says so. `more` holds names and texts in turn; an empty text is left
-- out, and one that is long is cut unless it is a result. `bytes` is about what the event takes.
local function mirror(s, base, event, id, more, bytes)
    local said = s.call("HMGET", base .. "meta", "events_bytes", "events_ms")
    local most = said[1]
    if most == false or not s.int(most, 65536, 9007199254740991) then
        return
    end
    local key = base .. "stream:events"
    local age = said[2]
    local now = s.now()
    local from = age ~= false and s.int(age, 1, now) and now - s.num(age) or 0
    local oldest = s.text(from) .. "-0"
    local admits = event == "added" or event == "deduplicated"
    if not admits then
        s.call(
            "XTRIM",
            key,
            "MINID",
            "=",
            oldest
        )
    end
    local last = s.call(
        "XREVRANGE",
        key,
        "+",
        "-",
        "COUNT",
        1
    )
    local before = #last == 0 and 0 or sumOf(s, last[1][2])
    local sum = before + bytes + 64
    local fields = {
        "sum",
        s.text(sum),
        "event",
        event
    }
    if id ~= "" then
        fields[5] = "job"
        fields[6] = id
    end
    local stop = #more
    for i = 0, stop - 1, 2 do
        local value = more[i + 2]
        if value ~= "" then
            fields[#fields + 1] = more[i + 1]
            fields[#fields + 1] = #value > 1024 and more[i + 1] ~= "result" and string.sub(value, 1, 1024) or value
        end
    end
    s.call(
        "XADD",
        key,
        "*",
        unpack(fields)
    )
    if admits then
        s.call(
            "XTRIM",
            key,
            "MINID",
            "=",
            oldest
        )
    end
    if math.floor(before / 8192) ~= math.floor(sum / 8192) then
        cutHead(
            s,
            key,
            sum,
            s.num(most) - 32768
        )
    end
end
--- What those who listen want: 1 events, 2 results in them too. They are there; the text of `listeners` is until when
-- somebody wants results, in server milliseconds.
-- 
-- @cold
local function wantOf(s, base)
    local ____until = s.call("GET", base .. "listeners")
    return ____until ~= false and s.int(____until, 0, 9007199254740991) and s.num(____until) > s.now() and 2 or 1
end
--- Whether anybody listens: 0, or what {@link wantOf} says. To be asked before the first write.
local function heardBy(s, base)
    return s.call("EXISTS", base .. "listeners") == 0 and 0 or wantOf(s, base)
end
--- Tells an event of a job. `more` holds names and texts in turn; an empty text says nothing and is left out.
local function tell(s, base, event, id, more)
    local text = "{\"event\":\"" .. event .. "\",\"job\":" .. s.json(id)
    local stop = #more
    for i = 0, stop - 1, 2 do
        local value = more[i + 2]
        if value ~= "" then
            local isLong = #value > 1024 and more[i + 1] ~= "result"
            text = text .. ",\"" .. more[i + 1] .. "\":" .. s.json(isLong and string.sub(value, 1, 1024) or value)
        end
    end
    mirror(
        s,
        base,
        event,
        id,
        more,
        #text
    )
    s.call("PUBLISH", base .. "events", text .. "}")
end
--- The fields of a record that acts decide by. Without a template there is no record.
local function readRecord(s, record)
    return s.call(
        "HMGET",
        record,
        "every_ms",
        "template",
        "rev",
        "limit",
        "until",
        "overlap",
        "fired",
        "last",
        "group",
        "skipped"
    )
end
--- A number of a record, 0 where it is absent or none.
local function numberOf(s, field)
    return field ~= false and s.int(field, 0, 9007199254740991) and s.num(field) or 0
end
--- Whether the score of a repeat is the instant that a caller names. A score that is no whole number is none.
local function isNextAt(s, score, at)
    return score ~= false and s.int(score, 0, 9007199254740991) and s.num(score) == s.num(at)
end
--- Whether the record is of the revision from which a caller has worked out its call; 0 stands for any.
local function isOfRevision(s, fields, rev)
    return rev == "0" or numberOf(s, fields[2 + 1]) == s.num(rev)
end
--- The next occurrence as it is stored: one beyond the end of the repeat, after `fired` occurrences, never comes.
local function withinEnd(s, fields, at, fired)
    local limit = fields[3 + 1]
    local ____until = fields[4 + 1]
    if limit ~= false and fired >= numberOf(s, limit) then
        return 9007199254740991
    end
    if ____until ~= false and at > numberOf(s, ____until) then
        return 9007199254740991
    end
    return at
end
--- Tells those who listen that slots of a repeat are left out. To be called before the first write.
local function tellSkipped(s, base, name, count, slot, why)
    tell(
        s,
        base,
        "skipped",
        "",
        {
            "repeat",
            name,
            "slot",
            slot,
            "count",
            s.text(count),
            "why",
            why
        }
    )
end
--- Notes in the record that slots were left out.
local function noteSkipped(s, record, before, count, slot, why)
    local skipped = math.min(
        numberOf(s, before) + count,
        9007199254740991
    )
    s.call(
        "HSET",
        record,
        "skipped",
        skipped,
        "skip_slot",
        slot,
        "skip_why",
        why
    )
end
--- Keys: set, record, base. Arguments: name, due_at, rev, next_at, skipped, skip_slot, why. Answers 1, 0 or -1.
local function skip(s, keys, args)
    local refusal = checkSkip(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local name = args[1]
    local score = call("ZSCORE", keys[1], name)
    local fields = readRecord(s, keys[2])
    if fields[1 + 1] == false then
        call("ZREM", keys[1], name)
        return -1
    end
    if not isNextAt(s, score, args[2]) or not isOfRevision(s, fields, args[3]) then
        return 0
    end
    local next = withinEnd(
        s,
        fields,
        s.num(args[4]),
        numberOf(s, fields[6 + 1])
    )
    local count = s.num(args[5])
    if count > 0 and heardBy(s, keys[3]) > 0 then
        tellSkipped(
            s,
            keys[3],
            name,
            count,
            args[6],
            args[7]
        )
    end
    call("ZREM", keys[1], name)
    call("ZADD", keys[1], next, name)
    if count > 0 then
        noteSkipped(
            s,
            keys[2],
            fields[9 + 1],
            count,
            args[6],
            args[7]
        )
    end
    return 1
end
return skip(s, KEYS, ARGV)
