-- EMQ.ADMIT: Admits up to 1000 jobs in one act.
-- KEYS: base, pending
-- ARGV: ...
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
local seldom = nil
--- The instant that a delay from now reaches; a longer one ends at the latest that there is.
local function dueIn(s, ms)
    return math.min(
        s.now() + ms,
        9007199254740991
    )
end
--- Whether rows of a shape carry a name, or give their lane a limit.
local function isNamedShape(shape)
    return (string.find(shape, "d", nil, true) or 0) - 1 >= 0 or (string.find(shape, "j", nil, true) or 0) - 1 >= 0 or (string.find(shape, "k", nil, true) or 0) - 1 >= 0 or (string.find(shape, "l", nil, true) or 0) - 1 >= 0
end
--- Whether rows of a shape say no more than a name and options, as nearly all do.
local function isPlainShape(shape)
    return shape == "" or shape == "n" or shape == "no" or shape == "o"
end
--- The payload bytes of the rows of a run; -1 where the shape is plain and a row has a name that is too long.
local function payloadOf(shape, args, from, past)
    local width = 2 + #shape
    local bytes = 0
    if shape == "n" or shape == "no" then
        for row = from, past - 1, width do
            bytes = bytes + #args[row + 2]
            if #args[row + 3] > 256 then
                return -1
            end
        end
    else
        for row = from, past - 1, width do
            bytes = bytes + #args[row + 2]
        end
    end
    return bytes
end
--- The name of the first bad argument from position `from` on, empty when all runs are well formed.
local function badAdmitRow(s, args, from)
    local stop = #args
    local at = from
    local rows = 0
    local payload = 0
    local areNamed = false
    if at >= stop then
        return "shape"
    end
    while at < stop do
        local shape = args[at + 1]
        local isPlain = isPlainShape(shape)
        local letters = isPlain and ({}) or seldom("readShape")(s, shape)
        if not isPlain and letters[1] == "" then
            return "shape"
        end
        if at + 1 >= stop or not s.int(args[at + 2], 1, 1000) then
            return "count"
        end
        local count = s.num(args[at + 2])
        local width = 2 + #shape
        local past = at + 2 + count * width
        rows = rows + count
        if rows > 1000 then
            return "count"
        end
        if past > stop then
            return "row"
        end
        local bytes = payloadOf(shape, args, at + 2, past)
        if bytes < 0 then
            return "name"
        end
        payload = payload + bytes
        if not isPlain then
            local bad = seldom("badValues")(
                s,
                letters,
                args,
                at + 2,
                past
            )
            if bad ~= "" then
                return bad
            end
            areNamed = areNamed or isNamedShape(shape)
        end
        at = past
    end
    if rows > 1 and payload > 1048576 then
        return "payload"
    end
    return areNamed and seldom("badNamed")(s, args, from) or ""
end
--- Shape, values and layout of `EMQ.ADMIT`: the text of the refusal, empty when all is well.
local function checkAdmit(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.ADMIT takes 2 keys"
    end
    local bad = badAdmitRow(s, args, 0)
    if bad ~= "" then
        return "ERR EMQ.ADMIT bad argument " .. bad
    end
    local base = keys[1]
    if not s.base(base) or keys[2] ~= base .. "pending" then
        return "ERR EMQ.ADMIT keys do not match the wire-4 layout"
    end
    return ""
end
--- Whether an id is of the kind that the queue admits. Its other eleven bytes are the host's concern.
local function isJobId(id)
    return string.sub(id, 1, 3) == "JOB"
end
--- Whether the queue is not paused. A `meta` of a foreign type raises, so a claim fails closed.
local function isOpen(s, base)
    return s.call("HEXISTS", base .. "meta", "paused") == 0
end
--- Pushes one token unless one lies there already.
-- 
-- The trim does nothing to a list that is absent, but it is a write that a full server admits, and after one such write
-- the server admits the push as well: settling must work at `maxmemory`.
local function push(s, wake)
    local call = s.call
    if call("EXISTS", wake) == 0 then
        call("LTRIM", wake, 0, 62)
        call("LPUSH", wake, "1")
    end
end
--- Pushes if the queue is claimable: not paused, below its limits, and flat work or a servable lane waits. `open` is
-- what {@link isOpen} said before the first write of the act.
local function pushIfClaimable(s, base, open)
    local call = s.call
    local wake = base .. "wake"
    if not open or call("EXISTS", wake) == 1 or call("EXISTS", base .. "pending", base .. "ring") == 0 then
        return
    end
    if call("EXISTS", base .. "meta", base .. "rest") > 0 and seldom("isHeldBack")(s, base) then
        return
    end
    push(s, wake)
end
--- A run of a plain shape, with no rows yet. The keys of all its rows make room for those of its new ones.
local function startPlain(shape, keys)
    return {
        shape = shape,
        name = (shape == "n" or shape == "no") and 2 or 0,
        priority = 0,
        lane = 0,
        opts = shape == "no" and 3 or (shape == "o" and 2 or 0),
        dueAt = 0,
        dueIn = 0,
        expire = 0,
        cost = 0,
        isNamed = false,
        fresh = {},
        keys = keys
    }
end
--- How many of up to any number of keys exist.
local function countExisting(s, rows)
    local part = {}
    local count = 0
    local stop = #rows
    if stop <= 400 then
        return s.call(
            "EXISTS",
            unpack(rows)
        )
    end
    for i = 0, stop - 1 do
        part[#part + 1] = rows[i + 1]
        if #part >= 400 or i == stop - 1 then
            count = count + s.call(
                "EXISTS",
                unpack(part)
            )
            part = {}
        end
    end
    return count
end
--- Judges the rows of a run none of which exists and that say no more than a name and options, as nearly all do.
local function judgeFlat(s, admission, run, args, first, position)
    local width = 2 + #run.shape
    local past = first + s.num(args[first]) * width
    local admitted = admission.admitted
    local flat = admission.flat
    local fresh = run.fresh
    local keys = run.keys
    local ascends = admission.ascends
    local last = admission.last
    local size = #flat
    local index = 0
    local news = 0
    for row = first, past - 1, width do
        local id = args[row + 1]
        if ascends and id <= last then
            seldom("tabulate")(admission, args)
            ascends = false
        end
        if not ascends and admitted[id] ~= nil then
            seldom("exceptTwin")(
                s,
                admission,
                id,
                keys[index + 1],
                position + index
            )
        else
            if not ascends then
                admitted[id] = "pending"
            end
            last = id
            flat[size + 1] = 0
            flat[size + 2] = id
            fresh[news + 1] = row
            if news < index then
                keys[news + 1] = keys[index + 1]
            end
            size = size + 2
            news = news + 1
        end
        index = index + 1
    end
    admission.last = last
end
--- Judges the rows of one run, which begins at `at`; `position` is that of its first row. Answers the refusal of the
-- whole act, empty for none.
local function judgeRun(s, admission, args, at, position)
    local shape = args[at + 1]
    local width = 2 + #shape
    local first = at + 2
    local past = first + s.num(args[at + 2]) * width
    local prefix = admission.base .. "job:"
    local keys = {}
    local count = 0
    for row = first, past - 1, width do
        local id = args[row + 1]
        if not isJobId(id) then
            return "EMQKIND job id must be JOB-namespaced"
        end
        keys[count + 1] = prefix .. id
        count = count + 1
    end
    if position == 0 then
        keys[count + 1] = admission.base .. "listeners"
    end
    local existing = countExisting(s, keys)
    if position == 0 and existing > 0 and s.call("EXISTS", admission.base .. "listeners") == 1 then
        admission.heard = seldom("wantOf")(s, admission.base)
        existing = existing - 1
    end
    local run = isPlainShape(shape) and startPlain(shape, keys) or seldom("startRun")(shape, keys)
    admission.runs[#admission.runs + 1] = run
    local isFlat = run.priority + run.lane + run.dueAt + run.dueIn == 0 and not run.isNamed
    if isFlat and existing == 0 then
        judgeFlat(
            s,
            admission,
            run,
            args,
            first,
            position
        )
    else
        local refusal = seldom("judgeRows")(
            s,
            admission,
            run,
            args,
            first,
            position,
            existing > 0
        )
        if refusal ~= "" then
            return refusal
        end
    end
    return ""
end
--- Writes the rows of one run. The two usual shapes, none and a name alone, are written without gathering fields.
local function writeRun(s, admission, run, args)
    if run.priority + run.lane + run.opts + run.dueAt + run.dueIn + run.expire + run.cost > 0 then
        seldom("writeRows")(s, admission, run, args)
        return
    end
    local call = s.call
    local fresh = run.fresh
    local keys = run.keys
    local nameAt = run.name
    local stop = #fresh
    for i = 0, stop - 1 do
        local at = fresh[i + 1]
        local name = nameAt > 0 and args[at + nameAt + 1] or ""
        if name == "" or name == "default" then
            call(
                "HSET",
                keys[i + 1],
                "state",
                "pending",
                "attempts",
                "0",
                "payload",
                args[at + 2]
            )
        else
            call(
                "HSET",
                keys[i + 1],
                "state",
                "pending",
                "attempts",
                "0",
                "payload",
                args[at + 2],
                "name",
                name
            )
        end
    end
end
--- Adds scores and members to a set, in calls that can be spread.
local function addMembers(s, set, members)
    local part = {}
    local stop = #members
    if stop > 0 and stop <= 400 then
        s.call(
            "ZADD",
            set,
            unpack(members)
        )
        return
    end
    for i = 0, stop - 1 do
        part[#part + 1] = members[i + 1]
        if #part >= 400 or i == stop - 1 then
            s.call(
                "ZADD",
                set,
                unpack(part)
            )
            part = {}
        end
    end
end
--- An admission into the queue of `base` that has gathered nothing yet.
local function startAdmission(base)
    return {
        base = base,
        runs = {},
        exceptions = {},
        admitted = {},
        ascends = true,
        last = "",
        flat = {},
        later = {},
        lanes = {},
        laneScores = {},
        dues = {},
        named = false,
        heard = 0
    }
end
--- Judges and writes all runs of `args` from its beginning: values have been checked. Answers the refusal of the whole,
-- empty for none, in which case the exceptions of the admission say what did not go as asked.
local function admitRuns(s, admission, pending, args)
    local base = admission.base
    local stop = #args
    local at = 0
    local position = 0
    while at < stop do
        local verdict = judgeRun(
            s,
            admission,
            args,
            at,
            position
        )
        if verdict ~= "" then
            return verdict
        end
        local count = s.num(args[at + 2])
        position = position + count
        at = at + (2 + count * (2 + #args[at + 1]))
    end
    local named = admission.named ~= false
    if not named and #admission.exceptions == position * 2 then
        return ""
    end
    if named then
        seldom("placeNamed")(s, admission, args)
    end
    local open = isOpen(s, base)
    for ____, run in ipairs(admission.runs) do
        if run.expire > 0 then
            s.call("ZCARD", base .. "ttl")
        end
    end
    if #admission.later + #admission.lanes > 0 then
        seldom("readTargets")(s, admission, pending)
    end
    if admission.heard > 0 then
        seldom("tellAdmitted")(s, admission, args)
    end
    addMembers(s, pending, admission.flat)
    addMembers(s, base .. "schedule", admission.later)
    for ____, run in ipairs(admission.runs) do
        writeRun(s, admission, run, args)
    end
    if #admission.lanes > 0 then
        seldom("addToLanes")(s, admission)
    end
    if named then
        seldom("writeNamed")(s, admission, args)
    end
    pushIfClaimable(s, base, open)
    if #admission.later > 0 then
        local head = s.call("ZRANGE", base .. "schedule", 0, 0)
        if #head > 0 and admission.admitted[head[1]] == "scheduled" then
            push(s, base .. "wake")
        end
    end
    return ""
end
--- Any of the functions that most acts do not call; they are made when the first is asked for.
local rare = nil
seldom = function(name)
    if rare == nil then
        --- What is wrong with the rows of well-formed runs that carry a name: there are too many, or one has a mode that says
        -- nothing without a time, and no time. Empty when all suits.
        -- 
        -- @cold
        local badNamedOnce = nil
        local function badNamed(s, args, from)
            if badNamedOnce == nil then
                --- Whether a word stands in a list whose words stand between blanks.
                local function isWord(words, word)
                    return word ~= "" and (string.find(word, " ", nil, true) or 0) - 1 < 0 and (string.find(words, " " .. word .. " ", nil, true) or 0) - 1 >= 0
                end
                badNamedOnce = function(s, args, from)
                    local stop = #args
                    local at = from
                    local rows = 0
                    while at < stop do
                        local shape = args[at + 1]
                        local width = 2 + #shape
                        local mode = (string.find(shape, "m", nil, true) or 0) - 1
                        local past = at + 2 + s.num(args[at + 2]) * width
                        if isNamedShape(shape) then
                            rows = rows + s.num(args[at + 2])
                        end
                        if rows > 250 then
                            return "count"
                        end
                        if mode >= 0 and (string.find(shape, "t", nil, true) or 0) - 1 < 0 then
                            for row = at + 2, past - 1, width do
                                if isWord(" extend throttle slide ", args[row + 2 + mode + 1]) then
                                    return "dedup_ms"
                                end
                            end
                        end
                        at = past
                    end
                    return ""
                end
            end
            return badNamedOnce(s, args, from)
        end
        --- The letters of a shape that is not plain.
        -- 
        -- @cold
        local readShapeOnce = nil
        local function readShape(s, shape)
            if s.char == nil then
                --- One byte of a text, counted from 0.
                local function char(text, index)
                    return string.sub(text, index + 1, index + 1)
                end
                s.char = char
            end
            if readShapeOnce == nil then
                --- The letters of a shape, or one empty text when it is no shape: a letter unknown, twice or out of order.
                local function lettersOf(s, shape)
                    local letters = {}
                    local last = -1
                    local stop = #shape
                    for i = 0, stop - 1 do
                        local letter = s.char(shape, i)
                        local at = (string.find("npgoaidmtwjklxc", letter, nil, true) or 0) - 1
                        if at <= last then
                            return {""}
                        end
                        last = at
                        letters[i + 1] = letter
                    end
                    if (string.find(shape, "ai", nil, true) or 0) - 1 >= 0 or (string.find(shape, "jk", nil, true) or 0) - 1 >= 0 then
                        return {""}
                    end
                    local needsDedup = (string.find(shape, "m", nil, true) or 0) - 1 >= 0 or (string.find(shape, "t", nil, true) or 0) - 1 >= 0 or (string.find(shape, "w", nil, true) or 0) - 1 >= 0
                    if needsDedup and (string.find(shape, "d", nil, true) or 0) - 1 < 0 then
                        return {""}
                    end
                    return ((string.find(shape, "l", nil, true) or 0) - 1 < 0 or (string.find(shape, "g", nil, true) or 0) - 1 >= 0) and letters or ({""})
                end
                readShapeOnce = function(s, shape)
                    return lettersOf(s, shape)
                end
            end
            return readShapeOnce(s, shape)
        end
        --- The name of the first bad value of rows of some letters, empty when each suits its letter.
        -- 
        -- @cold
        local badValuesOnce = nil
        local function badValues(s, letters, args, from, past)
            if s.name == nil then
                --- Whether text may name a lane: 1 to 256 bytes, no brace, no NUL.
                local function name(text)
                    return #text >= 1 and #text <= 256 and not string.find(text, "[{}%z]")
                end
                s.name = name
            end
            if badValuesOnce == nil then
                --- The name of a bad value of a letter that says how a job is named, empty when it suits.
                -- 
                -- @cold
                local badNameOnce = nil
                local function badName(s, letter, value)
                    if badNameOnce == nil then
                        --- Whether a word stands in a list whose words stand between blanks.
                        local function isWord(words, word)
                            return word ~= "" and (string.find(word, " ", nil, true) or 0) - 1 < 0 and (string.find(words, " " .. word .. " ", nil, true) or 0) - 1 >= 0
                        end
                        badNameOnce = function(s, letter, value)
                            if letter == "d" then
                                return s.name(value) and "" or "dedup"
                            end
                            if letter == "m" then
                                return isWord(" keep extend replace throttle slide debounce short follow latest ", value) and "" or "mode"
                            end
                            if letter == "t" then
                                return s.int(value, 1, 9007199254740991) and "" or "dedup_ms"
                            end
                            if letter == "w" then
                                return s.int(value, 0, 9007199254740991) and "" or "max_wait_ms"
                            end
                            if letter == "l" then
                                return s.int(value, 1, 2147483648) and "" or "limit"
                            end
                            return s.name(value) and "" or "alias"
                        end
                    end
                    return badNameOnce(s, letter, value)
                end
                --- The name of a bad value, empty when the value suits its letter.
                local function badValue(s, letter, value)
                    if letter == "p" then
                        return s.int(value, 0, 2097152) and "" or "priority"
                    end
                    if letter == "g" then
                        return s.name(value) and "" or "lane"
                    end
                    if letter == "n" then
                        return #value <= 256 and "" or "name"
                    end
                    if letter == "o" then
                        return ""
                    end
                    if letter == "a" or letter == "i" then
                        return s.int(value, 0, 9007199254740991) and "" or "due"
                    end
                    if letter == "x" then
                        return s.int(value, 1, 9007199254740991) and "" or "expire_ms"
                    end
                    if letter == "c" then
                        return s.int(value, 1, 1048576) and "" or "cost"
                    end
                    return badName(s, letter, value)
                end
                badValuesOnce = function(s, letters, args, from, past)
                    local stop = #letters
                    do
                        local row = from
                        while row < past do
                            for i = 0, stop - 1 do
                                local bad = badValue(s, letters[i + 1], args[row + 2 + i + 1])
                                if bad ~= "" then
                                    return bad
                                end
                            end
                            row = row + (2 + stop)
                        end
                    end
                    return ""
                end
            end
            return badValuesOnce(s, letters, args, from, past)
        end
        --- What those who listen want: 1 events, 2 results in them too. They are there; the text of `listeners` is until when
        -- somebody wants results, in server milliseconds.
        -- 
        -- @cold
        local function wantOf(s, base)
            local ____until = s.call("GET", base .. "listeners")
            return ____until ~= false and s.int(____until, 0, 9007199254740991) and s.num(____until) > s.now() and 2 or 1
        end
        --- Tells what an act admits and what it does not.
        -- 
        -- @cold
        local tellAdmittedOnce = nil
        local function tellAdmitted(s, admission, args)
            if s.json == nil then
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
                s.json = json
            end
            if s.text == nil then
                --- The decimal text of a whole number up to 2^53, all of its digits.
                local function text(number)
                    return string.format("%.0f", number)
                end
                s.text = text
            end
            if tellAdmittedOnce == nil then
                --- Brings what is spent up to this instant. A clock that was set back begins anew.
                local function age(s, rate)
                    local now = s.now()
                    local duration = rate.duration
                    if rate.burst == -1 then
                        if rate.at <= now or rate.at > now + duration then
                            rate.at = now + duration
                            rate.level = 0
                        end
                        return
                    end
                    local elapsed = now - rate.at
                    if rate.burst > 0 then
                        local gone = math.min(rate.level, rate.burst * duration)
                        if elapsed > 0 then
                            rate.level = elapsed * rate.max >= gone and 0 or gone - elapsed * rate.max
                        else
                            rate.level = gone
                        end
                        rate.at = now
                    elseif elapsed < 0 or elapsed >= 2 * duration then
                        rate.at = now
                        rate.level = 0
                        rate.before = 0
                    elseif elapsed >= duration then
                        rate.at = rate.at + duration
                        rate.before = rate.level
                        rate.level = 0
                    end
                end
                --- The state of a job that this act admits.
                local function stateOf(admission, id)
                    local state = admission.admitted[id]
                    return state == nil and "pending" or state
                end
                --- Offset of a letter's value within a row, 0 for none.
                local function offsetOf(shape, letter)
                    local at = (string.find(shape, letter, nil, true) or 0) - 1
                    return at < 0 and 0 or at + 2
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
                --- The value of a letter in the row at `at`, empty where the shape has no such letter.
                local function valueOf(run, args, at, letter)
                    local offset = offsetOf(run.shape, letter)
                    return offset > 0 and args[at + offset + 1] or ""
                end
                --- Tells that the row at `at` becomes a job.
                local function tellAdded(s, base, run, args, at, id, state)
                    local name = valueOf(run, args, at, "n")
                    local alias = valueOf(run, args, at, "j") .. valueOf(run, args, at, "k")
                    local more = {
                        "state",
                        state,
                        "name",
                        name,
                        "lane",
                        valueOf(run, args, at, "g"),
                        "alias",
                        alias
                    }
                    tell(
                        s,
                        base,
                        "added",
                        id,
                        more
                    )
                end
                --- The word for what became of a row that is no job, empty for what is not told: an id that exists already.
                local function wordOf(code)
                    if code == 1 then
                        return "jobId"
                    end
                    if code == 2 then
                        return "held"
                    end
                    return code == 3 and "replaced" or ""
                end
                --- The alias of a job that stands for a row, as this act leaves it; `known` has those that it writes.
                local function holderAlias(s, base, known, id)
                    local planned = known["s:" .. id]
                    if planned ~= nil then
                        return planned
                    end
                    local stored = s.call("HGET", base .. "job:" .. id, "alias")
                    return stored == false and "" or stored
                end
                --- Tells of the rows that a name held back, or whose values went to another job. Exceptions stand in order.
                local function tellHeldBack(s, admission, named, args)
                    local known = {}
                    for ____, entry in ipairs(named.entries) do
                        known["s:" .. entry.id] = entry.alias
                    end
                    local exceptions = admission.exceptions
                    local stop = #args
                    local next = 0
                    local at = 0
                    local position = 0
                    while at < stop do
                        local shape = args[at + 1]
                        local count = s.num(args[at + 2])
                        local width = 2 + #shape
                        while next < #exceptions and exceptions[next + 1] < position + count do
                            local row = at + 2 + (exceptions[next + 1] - position) * width
                            local verdict = exceptions[next + 2]
                            local how = wordOf(verdict[1])
                            local dedup = offsetOf(shape, "d") > 0 and verdict[1] ~= 1 and args[row + offsetOf(shape, "d") + 1] or ""
                            if how ~= "" then
                                local holder = verdict[2]
                                local alias = holderAlias(s, admission.base, known, holder)
                                local more = {
                                    "how",
                                    how,
                                    "refused",
                                    args[row + 1],
                                    "dedup",
                                    dedup,
                                    "alias",
                                    alias
                                }
                                tell(
                                    s,
                                    admission.base,
                                    "deduplicated",
                                    holder,
                                    more
                                )
                            end
                            next = next + 2
                        end
                        position = position + count
                        at = at + (2 + count * width)
                    end
                end
                --- Puts a job that has ended into its set, with the instant at which it is to go if there is one.
                local function keep(s, base, set, id, ms)
                    local now = s.now()
                    s.call("ZADD", base .. set, set == "completed" and now or 0, id)
                    if ms > 0 then
                        s.call(
                            "ZADD",
                            base .. "expiry",
                            math.min(now + ms, 9007199254740991),
                            id
                        )
                    end
                end
                tellAdmittedOnce = function(s, admission, args)
                    local base = admission.base
                    for ____, run in ipairs(admission.runs) do
                        for ____, at in ipairs(run.fresh) do
                            tellAdded(
                                s,
                                base,
                                run,
                                args,
                                at,
                                args[at + 1],
                                stateOf(admission, args[at + 1])
                            )
                        end
                    end
                    local named = admission.named
                    if named == false then
                        return
                    end
                    for ____, entry in ipairs(named.entries) do
                        if #entry.stored == 0 then
                            tellAdded(
                                s,
                                base,
                                entry.run,
                                args,
                                entry.at,
                                entry.id,
                                entry.state
                            )
                        end
                    end
                    tellHeldBack(s, admission, named, args)
                end
            end
            return tellAdmittedOnce(s, admission, args)
        end
        --- Whether limits keep the queue from being claimed from.
        -- 
        -- @cold
        local isHeldBackOnce = nil
        local function isHeldBack(s, base)
            if s.holds == nil then
                --- What kind of value a key holds. The server answers with a status, which its Lua gives as a table.
                local function holds(key)
                    return redis.call("TYPE", key).ok
                end
                s.holds = holds
            end
            if isHeldBackOnce == nil then
                --- A whole number in a field that others may have written; `other` for anything else.
                local function numberIn(s, field, most, other)
                    return field ~= false and s.int(field, 0, most) and s.num(field) or other
                end
                --- Until when a lane, or with the empty name the queue, is not to be claimed from; 0 for no such time.
                local function restsUntil(s, base, subject)
                    local ____until = s.call("ZSCORE", base .. "rest", subject)
                    return ____until == false and 0 or s.num(____until)
                end
                --- Whether limits keep the queue from being claimed from. Asked after the writes of an act, so a foreign type is no
                -- error here.
                local function isLimited(s, base)
                    local call = s.call
                    if s.holds(base .. "rest") == "zset" and restsUntil(s, base, "") > s.now() then
                        return true
                    end
                    local ceiling = numberIn(
                        s,
                        call("HGET", base .. "meta", "concurrency"),
                        9007199254740991,
                        0
                    )
                    return ceiling > 0 and s.holds(base .. "active") == "zset" and call("ZCARD", base .. "active") >= ceiling
                end
                isHeldBackOnce = function(s, base)
                    return isLimited(s, base)
                end
            end
            return isHeldBackOnce(s, base)
        end
        --- Decides where the jobs of named rows wait, and reads what writing them will meet.
        -- 
        -- @cold
        local placeNamedOnce = nil
        local function placeNamed(s, admission, args)
            if placeNamedOnce == nil then
                --- Whether the lane of a row is in strict order. To be asked before the first write.
                local function isOrdered(s, base, group)
                    return group ~= false and s.call("SISMEMBER", base .. "gordered", group) == 1
                end
                --- When a row asks to fall due, -1 for at once.
                local function dueOf(s, run, args, at)
                    if run.dueAt > 0 then
                        return s.num(args[at + run.dueAt + 1])
                    end
                    return run.dueIn > 0 and dueIn(
                        s,
                        s.num(args[at + run.dueIn + 1])
                    ) or -1
                end
                --- Decides where a job will wait; answers its state. A job of an ordered lane keeps its place there although it falls
                -- due later. `due` is when it falls due, -1 for at once, and `at` the position
                -- of the row that says the rest.
                local function place(s, admission, run, args, at, id, due)
                    if due >= 0 and run.lane > 0 and isOrdered(s, admission.base, args[at + run.lane + 1]) then
                        admission.dues[id] = due
                    elseif due >= 0 then
                        local later = admission.later
                        local size = #later
                        later[size + 1] = due
                        later[size + 2] = id
                        return "scheduled"
                    end
                    local score = run.priority > 0 and s.num(args[at + run.priority + 1]) or 0
                    if run.lane > 0 then
                        admission.lanes[#admission.lanes + 1] = args[at + run.lane + 1]
                        admission.lanes[#admission.lanes + 1] = id
                        admission.laneScores[#admission.laneScores + 1] = score
                    else
                        local flat = admission.flat
                        local size = #flat
                        flat[size + 1] = score
                        flat[size + 2] = id
                    end
                    return "pending"
                end
                placeNamedOnce = function(s, admission, args)
                    local named = admission.named
                    if named == false then
                        return
                    end
                    for ____, entry in ipairs(named.entries) do
                        local due = dueOf(s, entry.run, args, entry.at)
                        entry.due = (due < 0 or entry.latest < 0) and due or math.min(due, entry.latest)
                        if entry.follows == "" then
                            entry.state = place(
                                s,
                                admission,
                                entry.run,
                                args,
                                entry.at,
                                entry.id,
                                entry.due
                            )
                        else
                            local later = admission.later
                            local size = #later
                            entry.state = "scheduled"
                            later[size + 1] = 9007199254740991
                            later[size + 2] = entry.id
                        end
                        admission.admitted[entry.id] = entry.state
                    end
                    if #named.entries > 0 then
                        s.call("ZCARD", admission.base .. "schedule")
                        s.call("ZCARD", admission.base .. "ttl")
                    end
                    if #named.finished > 0 then
                        for ____, set in ipairs({"active", "dead", "completed", "expiry"}) do
                            s.call("ZCARD", admission.base .. set)
                        end
                    end
                end
            end
            return placeNamedOnce(s, admission, args)
        end
        --- Writes the jobs of named rows, whose members have been added, and their names.
        -- 
        -- @cold
        local writeNamedOnce = nil
        local function writeNamed(s, admission, args)
            if s.branded == nil then
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
                s.branded = branded
            end
            if s.char == nil then
                --- One byte of a text, counted from 0.
                local function char(text, index)
                    return string.sub(text, index + 1, index + 1)
                end
                s.char = char
            end
            if s.json == nil then
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
                s.json = json
            end
            if s.text == nil then
                --- The decimal text of a whole number up to 2^53, all of its digits.
                local function text(number)
                    return string.format("%.0f", number)
                end
                s.text = text
            end
            if writeNamedOnce == nil then
                --- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
                local function isResting(s, base, lane)
                    return s.call("ZSCORE", base .. "rest", lane) ~= false
                end
                --- Deletes a row and every side key that a job may have.
                local function deleteRow(s, row)
                    s.call(
                        "DEL",
                        row,
                        row .. ":logs",
                        row .. ":lock",
                        row .. ":result",
                        row .. ":dependencies",
                        row .. ":processed",
                        row .. ":failed",
                        row .. ":unsuccessful",
                        row .. ":children",
                        row .. ":parents"
                    )
                end
                --- The sorted set of a lane's waiting jobs.
                local function laneKey(base, group)
                    return base .. "g:" .. group .. ":pending"
                end
                --- Whether a lane may be served as far as an act without a base can see: not paused, and fewer jobs leased than its
                -- limit.
                local function isUnderLimit(s, base, group)
                    local call = s.call
                    if call("SISMEMBER", base .. "paused", group) == 1 then
                        return false
                    end
                    local limit = call("HGET", base .. "glimit", group)
                    if limit == false then
                        return true
                    end
                    local active = call("HGET", base .. "gactive", group)
                    return (active == false and 0 or s.num(active)) < s.num(limit)
                end
                --- Whether a lane may be served when it has work: not paused, fewer jobs leased than its limit, and not at rest.
                local function isServable(s, base, group)
                    return isUnderLimit(s, base, group) and not isResting(s, base, group)
                end
                --- Reads each key that the steps of these lanes touch, so that a foreign type ends the act while nothing is written. To
                -- be called before the first write. Names of lanes stand at every `step`-th place; each is read once.
                local function readLanes(s, base, groups, step)
                    local call = s.call
                    local stop = #groups
                    if stop == 0 then
                        return
                    end
                    local seen = {}
                    call("LLEN", base .. "ring")
                    call("ZCARD", base .. "rest")
                    for i = 0, stop - 1, step do
                        local group = groups[i + 1]
                        local lane = laneKey(base, group)
                        if seen[lane] ~= true then
                            seen[lane] = true
                            call("SISMEMBER", base .. "paused", group)
                            call("HGET", base .. "glimit", group)
                            call("HGET", base .. "gactive", group)
                            call("ZCARD", lane)
                        end
                    end
                end
                --- Takes a waiting job out of its lane. The last member out takes the lane off the ring.
                local function leaveLane(s, base, group, id)
                    local call = s.call
                    local lane = laneKey(base, group)
                    local removed = call("ZREM", lane, id)
                    if removed == 1 and call("ZCARD", lane) == 0 and isServable(s, base, group) then
                        call("LREM", base .. "ring", 1, group)
                    end
                    return removed
                end
                --- Counts one leased job less. A lane that comes from at its limit to under it returns to the ring.
                local function releaseLane(s, base, group)
                    local call = s.call
                    local active = call("HINCRBY", base .. "gactive", group, -1)
                    if active <= 0 then
                        call("HDEL", base .. "gactive", group)
                    end
                    local limit = call("HGET", base .. "glimit", group)
                    if limit == false then
                        return
                    end
                    local ceiling = s.num(limit)
                    if active >= ceiling or active + 1 < ceiling then
                        return
                    end
                    if call(
                        "ZCARD",
                        laneKey(base, group)
                    ) == 0 then
                        return
                    end
                    if call("SISMEMBER", base .. "paused", group) == 1 or isResting(s, base, group) then
                        return
                    end
                    call("RPUSH", base .. "ring", group)
                end
                --- Appends one field and its value, unless the value says nothing.
                local function addField(fields, name, value, silent)
                    if value == "" or value == silent then
                        return
                    end
                    fields[#fields + 1] = name
                    fields[#fields + 1] = value
                end
                --- Appends the fields that a row's letters name.
                local function addLetters(fields, run, args, at)
                    if run.lane > 0 then
                        addField(fields, "group", args[at + run.lane + 1], "")
                    end
                    if run.name > 0 then
                        addField(fields, "name", args[at + run.name + 1], "default")
                    end
                    if run.priority > 0 then
                        addField(fields, "priority", args[at + run.priority + 1], "0")
                    end
                    if run.opts > 0 then
                        addField(fields, "opts", args[at + run.opts + 1], "")
                    end
                    if run.cost > 0 then
                        addField(fields, "cost", args[at + run.cost + 1], "1")
                    end
                end
                --- Reads the names of a job that is ending. `rowGoes` is whether its row goes too, and with it its alias.
                -- 
                -- @cold
                local readNamesOfOnce = nil
                local function readNamesOf(s, base, id, dedup, rowGoes)
                    if readNamesOfOnce == nil then
                        --- Whether a key is free once the job `id` is over.
                        local function isFree(held, id)
                            return held == false or held == id
                        end
                        readNamesOfOnce = function(s, base, id, dedup, rowGoes)
                            local call = s.call
                            local own = call("HMGET", base .. "job:" .. id, "alias", "next")
                            local keys = {}
                            local key = dedup == "" and "" or base .. "de:" .. dedup
                            local ____temp_0
                            if key == "" then
                                ____temp_0 = false
                            else
                                ____temp_0 = call("GET", key)
                            end
                            local holder = ____temp_0
                            if holder == id then
                                keys[1] = key
                            end
                            if not isFree(holder, id) then
                                key = ""
                            end
                            if rowGoes and own[1] ~= false and own[1] ~= "" then
                                local alias = base .. "de:" .. own[1]
                                if call("GET", alias) == id then
                                    keys[#keys + 1] = alias
                                end
                            end
                            local next = own[2]
                            if next == false then
                                return {
                                    keys = keys,
                                    key = key,
                                    next = "",
                                    at = false,
                                    alias = ""
                                }
                            end
                            local fields = call(
                                "HMGET",
                                base .. "job:" .. next,
                                "state",
                                "alias",
                                "follow_at",
                                "dedup"
                            )
                            if fields[4] ~= dedup then
                                key = ""
                            end
                            local score = call("ZSCORE", base .. "schedule", next)
                            if fields[1] ~= "scheduled" or score == false or s.num(score) ~= 9007199254740991 then
                                return {
                                    keys = keys,
                                    key = key,
                                    next = "",
                                    at = false,
                                    alias = ""
                                }
                            end
                            local alias = ""
                            if fields[2] ~= false and fields[2] ~= "" then
                                alias = base .. "de:" .. fields[2]
                                if not isFree(
                                    call("GET", alias),
                                    id
                                ) then
                                    alias = ""
                                end
                            end
                            return {
                                keys = keys,
                                key = key,
                                next = next,
                                at = fields[3],
                                alias = alias
                            }
                        end
                    end
                    return readNamesOfOnce(s, base, id, dedup, rowGoes)
                end
                --- The names of a job that is ending, `false` for none; to be read before the first write. `dedup` is that field of its
                -- row, and `rowGoes` whether the row goes too, and with it its alias.
                local function readNames(s, base, id, dedup, rowGoes)
                    local ____temp_1
                    if dedup == false then
                        ____temp_1 = false
                    else
                        ____temp_1 = readNamesOf(
                            s,
                            base,
                            id,
                            dedup,
                            rowGoes
                        )
                    end
                    return ____temp_1
                end
                --- Lets the job that was to run after another fall due, under the name that both have. It is promoted like any other, so
                -- no end of a job has to know of lanes for its sake.
                -- 
                -- @cold
                local startNextOnce = nil
                local function startNext(s, base, names)
                    if startNextOnce == nil then
                        --- Pushes if one of the ids that this act scheduled stands at the head of the schedule now.
                        local function pushIfHead(s, base, id)
                            local head = s.call("ZRANGE", base .. "schedule", 0, 0)
                            if #head > 0 and head[1] == id then
                                push(s, base .. "wake")
                            end
                        end
                        startNextOnce = function(s, base, names)
                            local call = s.call
                            local next = names.next
                            local now = s.now()
                            call("HDEL", base .. "job:" .. next, "follows", "follow_at")
                            if names.key ~= "" then
                                call("SET", names.key, next)
                            end
                            if names.alias ~= "" then
                                call("SET", names.alias, next)
                            end
                            call(
                                "ZADD",
                                base .. "schedule",
                                names.at == false and now or math.max(
                                    now,
                                    s.num(names.at)
                                ),
                                next
                            )
                            pushIfHead(s, base, next)
                        end
                    end
                    return startNextOnce(s, base, names)
                end
                --- Lets the names of a job go that has ended, and the job run that waited for its end.
                local function letGo(s, base, names)
                    if names == false then
                        return
                    end
                    if #names.keys > 0 then
                        s.call(
                            "DEL",
                            unpack(names.keys)
                        )
                    end
                    if names.next ~= "" then
                        startNext(s, base, names)
                    end
                end
                --- Signals a failure to all that do not hear of it in the act. A removal counts as ignored, whatever the policy.
                -- 
                -- @cold
                local function signalFailed(s, base, kin, ____error, isRemoved)
                    local far = kin.far
                    local stop = #far
                    for i = 0, stop - 1, 4 do
                        local policy = isRemoved and "id" or far[i + 4]
                        local head = "\0fail\0" .. far[i + 1] .. "\0" .. far[i + 2] .. "\0" .. far[i + 3]
                        s.call("RPUSH", base .. "flow:outbox", head .. "\0" .. policy .. "\0" .. ____error)
                    end
                end
                --- Until when the outcome of a job must be left, 0 for nobody who asked. `resultMs` is how long it is to be left from
                -- now on whoever asks; 0 leaves that to the mark.
                local function waitedUntil(s, wait, resultMs)
                    local now = s.now()
                    local ____until = resultMs > 0 and math.min(now + resultMs, 9007199254740991) or 0
                    if wait == false or not s.int(wait, 0, 9007199254740991) then
                        return ____until
                    end
                    local marked = s.num(wait)
                    return marked > now and math.max(marked, ____until) or ____until
                end
                --- Tells whoever waits that a job ends in this act.
                local function tellWaiters(s, base, id)
                    s.call("PUBLISH", base .. "results", id)
                end
                --- The token to remember of a row that is about to be deleted, 0 when it was never claimed. Reads the set, so that a
                -- foreign type ends the act while nothing is written.
                local function lastToken(s, base, attempts)
                    if attempts == false or not s.int(attempts, 1, 9007199254740991) then
                        return 0
                    end
                    s.call("ZCARD", base .. "tokens")
                    return math.min(
                        s.num(attempts),
                        134217728 - 1
                    )
                end
                --- Remembers the last tokens of rows that were deleted, id for id; 0 is nothing to remember.
                local function rememberTokens(s, base, ids, tokens)
                    local call = s.call
                    local key = base .. "tokens"
                    local stop = #ids
                    local kept = 0
                    for i = 0, stop - 1 do
                        if tokens[i + 1] > 0 then
                            call(
                                "ZADD",
                                key,
                                math.floor(s.now() / 60000) * 134217728 + tokens[i + 1],
                                ids[i + 1]
                            )
                            kept = kept + 1
                        end
                    end
                    if kept == 0 then
                        return
                    end
                    local over = call("ZCARD", key) - 10000
                    if over > 0 then
                        call("ZREMRANGEBYRANK", key, 0, over - 1)
                    end
                    call("PEXPIRE", key, 86400000)
                end
                --- Takes a job from where it waits; 1 if it waited there.
                local function stopWaiting(s, base, id, group)
                    if group == false then
                        return s.call("ZREM", base .. "pending", id)
                    end
                    return leaveLane(s, base, group, id)
                end
                --- Tells a parent that a child has failed, or was removed. `policy` is what the news says, for a parent that was not
                -- told of the child. Answers 1, 2 when the parent is dead by it and has signalled its own parents, or 0 when it says
                -- nothing new. The first write is one that a full server admits.
                -- 
                -- @cold
                local childFailedOnce = nil
                local function childFailed(s, base, parent, child, ____error, policy, isRemoved, open)
                    if childFailedOnce == nil then
                        --- The score at which a job waits: its priority, 0 when it has none.
                        local function scoreOf(s, priority)
                            return priority == false and 0 or s.num(priority)
                        end
                        --- Lets a job wait in its lane. The first member of a servable lane brings it onto the ring.
                        local function enterLane(s, base, group, id, score)
                            local call = s.call
                            local lane = laneKey(base, group)
                            local added = call("ZADD", lane, score, id)
                            if added == 1 and call("ZCARD", lane) == 1 and isServable(s, base, group) then
                                call("RPUSH", base .. "ring", group)
                            end
                        end
                        --- Pushes if one of the ids that this act scheduled stands at the head of the schedule now.
                        local function pushIfHead(s, base, id)
                            local head = s.call("ZRANGE", base .. "schedule", 0, 0)
                            if #head > 0 and head[1] == id then
                                push(s, base .. "wake")
                            end
                        end
                        --- Lets a job wait at its place. The caller sets the row's state.
                        local function letWait(s, base, id, group, priority)
                            local score = scoreOf(s, priority)
                            if group == false then
                                s.call("ZADD", base .. "pending", score, id)
                            else
                                enterLane(
                                    s,
                                    base,
                                    group,
                                    id,
                                    score
                                )
                            end
                        end
                        --- Whether what a parent knows of a child says that it is forgotten.
                        local function isForgotten(s, known)
                            return known ~= false and s.char(known, 0) == "-"
                        end
                        --- How many children a count says are open; what is no count says none.
                        local function openIn(s, count)
                            return count ~= false and s.int(count, 0, 9007199254740991) and s.num(count) or 0
                        end
                        --- The policy of a failed child: what its parent was told, else what came with the news.
                        local function policyFor(known, told, isRemoved)
                            local word = known == false and told or string.sub(known, 1, 2)
                            return isRemoved and word ~= "rm" and "id" or word
                        end
                        --- Takes a parent from where it waits for its children.
                        local function stopAwaiting(s, base, parent)
                            s.call("ZREM", base .. "awaiting", parent)
                            s.call("ZREM", base .. "schedule", parent)
                        end
                        --- The fields of a parent that say how it is released.
                        local RELEASE_FIELDS = {
                            "state",
                            "group",
                            "priority",
                            "wait_until",
                            "attempts",
                            "delay"
                        }
                        --- Lets a parent rest for its own delay, which counts from now: its children are what it waited for before.
                        local function letParentRest(s, base, parent, delay)
                            s.call("HSET", base .. "job:" .. parent, "state", "scheduled")
                            s.call(
                                "ZADD",
                                base .. "schedule",
                                dueIn(
                                    s,
                                    s.num(delay)
                                ),
                                parent
                            )
                            pushIfHead(s, base, parent)
                        end
                        --- Lets a parent run, which has then not waited in vain: a time that it set ends with this. One that has never run may
                        -- have a delay. `open` is whether to wake a worker for it, if that is what the queue lets happen.
                        local function releaseParent(s, base, parent, fields, open)
                            stopAwaiting(s, base, parent)
                            local delay = fields[6]
                            if delay ~= false and fields[5] == "0" and s.int(delay, 1, 9007199254740991) then
                                letParentRest(s, base, parent, delay)
                                return
                            end
                            if fields[4] ~= false then
                                s.call("HDEL", base .. "job:" .. parent, "wait_until")
                            end
                            s.call("HSET", base .. "job:" .. parent, "state", "pending")
                            letWait(
                                s,
                                base,
                                parent,
                                fields[2],
                                fields[3]
                            )
                            if open then
                                pushIfClaimable(s, base, true)
                            end
                        end
                        --- Ends a parent because of a child. Its own parents hear of it by signals, also the one of its queue, so an act kills
                        -- one level; answers whether there are any. An entry in `ttl` has the next sweep keep it as the terms of its worker
                        -- say.
                        -- 
                        -- @cold
                        local killParentOnce = nil
                        local function killParent(s, base, parent, child, ____error)
                            if killParentOnce == nil then
                                --- Reads the parents of a job. `parent` is that field of its row; `near` is whether a first parent of the same queue is
                                -- told in the act.
                                -- 
                                -- @cold
                                local readKinOnce = nil
                                local function readKin(s, base, id, parent, near)
                                    if readKinOnce == nil then
                                        --- The name of the queue of a base key.
                                        local function queueOf(base)
                                            return string.sub(base, 6, -3)
                                        end
                                        --- The policy that a signal carries: `fp`, or `id` for all others.
                                        local function policyOf(word)
                                            return word == "id" and "id" or "fp"
                                        end
                                        readKinOnce = function(s, base, id, parent, near)
                                            local call = s.call
                                            local row = base .. "job:" .. id
                                            local own = queueOf(base)
                                            local fields = call(
                                                "HMGET",
                                                row,
                                                "parent_queue",
                                                "parent_policy",
                                                "parent_as"
                                            )
                                            local further = call("HGETALL", row .. ":parents")
                                            local far = {}
                                            local child = fields[3] == false and id or fields[3]
                                            local policy = policyOf(fields[2])
                                            local queue = (fields[1] == false or fields[1] == "") and own or fields[1]
                                            local isNear = near and queue == own
                                            if s.branded(parent) and parent ~= id and not isNear then
                                                far[1] = queue
                                                far[2] = parent
                                                far[3] = child
                                                far[4] = policy
                                            end
                                            local stop = #further
                                            for i = 0, stop - 1, 2 do
                                                local field = further[i + 1]
                                                local value = further[i + 2]
                                                local at = #far
                                                far[at + 1] = #value > 3 and string.sub(value, 4) or own
                                                far[at + 2] = string.sub(field, 1, 14)
                                                far[at + 3] = #field > 14 and string.sub(field, 16) or id
                                                far[at + 4] = policyOf(string.sub(value, 1, 2))
                                            end
                                            return {
                                                parent = isNear and s.branded(parent) and parent ~= id and parent or "",
                                                child = child,
                                                policy = policy,
                                                far = far
                                            }
                                        end
                                    end
                                    return readKinOnce(s, base, id, parent, near)
                                end
                                --- Leaves the outcome of a job that has ended.
                                local function leaveOutcome(s, base, id, outcome, ____until)
                                    s.call(
                                        "SET",
                                        base .. "job:" .. id .. ":result",
                                        outcome,
                                        "PXAT",
                                        ____until
                                    )
                                end
                                --- The terms where nobody says any.
                                local function plainTerms()
                                    return {
                                        doneCount = -1,
                                        doneMs = 0,
                                        deadCount = 9007199254740991,
                                        deadMs = 0,
                                        resultMs = 0,
                                        heard = 0,
                                        wakes = true
                                    }
                                end
                                --- Puts a job that has ended into its set, with the instant at which it is to go if there is one.
                                local function keep(s, base, set, id, ms)
                                    local now = s.now()
                                    s.call("ZADD", base .. set, set == "completed" and now or 0, id)
                                    if ms > 0 then
                                        s.call(
                                            "ZADD",
                                            base .. "expiry",
                                            math.min(now + ms, 9007199254740991),
                                            id
                                        )
                                    end
                                end
                                --- Drops the minutes that are too old, and fields that are no minutes.
                                -- 
                                -- @cold
                                local function dropOld(s, minutes, minute)
                                    local call = s.call
                                    if call("HLEN", minutes) <= 240 then
                                        return
                                    end
                                    for ____, field in ipairs(call("HKEYS", minutes)) do
                                        if not s.int(field, 0, 9007199254740991) or s.num(field) <= minute - 240 then
                                            call("HDEL", minutes, field)
                                        end
                                    end
                                end
                                --- Counts jobs that ended `completed` or `failed`.
                                local function tally(s, base, which, count)
                                    local call = s.call
                                    local minutes = base .. "metrics:" .. which .. ":minutes"
                                    local minute = math.floor(s.now() / 60000)
                                    call("HINCRBY", base .. "metrics:" .. which, "count", count)
                                    if call("HINCRBY", minutes, minute, count) == count then
                                        dropOld(s, minutes, minute)
                                    end
                                end
                                --- Ends a job as dead whose lease has ended: it is kept as the terms say, or its row goes. `until` is until when its
                                -- outcome is left, 0 for nobody who asked.
                                local function bury(s, base, id, ____error, terms, ____until)
                                    local call = s.call
                                    local row = base .. "job:" .. id
                                    if terms.deadCount == 0 then
                                        local token = lastToken(
                                            s,
                                            base,
                                            call("HGET", row, "attempts")
                                        )
                                        deleteRow(s, row)
                                        rememberTokens(s, base, {id}, {token})
                                    else
                                        call(
                                            "HSET",
                                            row,
                                            "state",
                                            "dead",
                                            "last_error",
                                            ____error,
                                            "finished_at",
                                            s.now()
                                        )
                                        keep(
                                            s,
                                            base,
                                            "dead",
                                            id,
                                            terms.deadMs
                                        )
                                    end
                                    tally(s, base, "failed", 1)
                                    if ____until > 0 then
                                        leaveOutcome(
                                            s,
                                            base,
                                            id,
                                            "k" .. ____error,
                                            ____until
                                        )
                                    end
                                end
                                killParentOnce = function(s, base, parent, child, ____error)
                                    local call = s.call
                                    local row = base .. "job:" .. parent
                                    local fields = call(
                                        "HMGET",
                                        row,
                                        "dedup",
                                        "wait",
                                        "parent"
                                    )
                                    local names = readNames(
                                        s,
                                        base,
                                        parent,
                                        fields[1],
                                        false
                                    )
                                    stopAwaiting(s, base, parent)
                                    call("HDEL", row, "expires")
                                    call("HSET", row, "failed_child", child)
                                    call(
                                        "ZADD",
                                        base .. "ttl",
                                        s.now(),
                                        parent
                                    )
                                    bury(
                                        s,
                                        base,
                                        parent,
                                        ____error,
                                        plainTerms(),
                                        waitedUntil(s, fields[2], 0)
                                    )
                                    local own = fields[3]
                                    if own ~= false then
                                        signalFailed(
                                            s,
                                            base,
                                            readKin(
                                                s,
                                                base,
                                                parent,
                                                own,
                                                false
                                            ),
                                            ____error,
                                            false
                                        )
                                    end
                                    letGo(s, base, names)
                                    return own ~= false
                                end
                            end
                            return killParentOnce(s, base, parent, child, ____error)
                        end
                        --- The count of open children, which every parent has from then on: whoever deletes its row finds the rest by it.
                        local function countIn(s, row)
                            local count = s.call("GET", row .. ":dependencies")
                            if count == false then
                                s.call("SET", row .. ":dependencies", 0)
                            end
                            return count
                        end
                        --- Counts open children less; answers how many are left, -1 where nothing was counted.
                        local function countDown(s, row, by)
                            local count = countIn(s, row)
                            if count == false or by == 0 then
                                return -1
                            end
                            local left = math.max(
                                0,
                                openIn(s, count) - by
                            )
                            s.call("SET", row .. ":dependencies", left)
                            return left
                        end
                        --- Records a failure that does not end the parent; answers whether it lets the parent run.
                        local function ignoreFailure(s, row, child, ____error, known, word)
                            local call = s.call
                            if word == "rm" and known ~= false then
                                call(
                                    "HSET",
                                    row .. ":children",
                                    child,
                                    "-" .. string.sub(known, 3)
                                )
                            else
                                call("HSET", row .. ":unsuccessful", child, ____error)
                            end
                            local isCounted = known ~= false or call("EXISTS", row .. ":children") == 0
                            return countDown(s, row, isCounted and 1 or 0) == 0 or word == "co"
                        end
                        childFailedOnce = function(s, base, parent, child, ____error, policy, isRemoved, open)
                            local call = s.call
                            local row = base .. "job:" .. parent
                            local fields = call(
                                "HMGET",
                                row,
                                unpack(RELEASE_FIELDS)
                            )
                            local state = fields[1]
                            if state == false or call("HEXISTS", row .. ":processed", child) == 1 then
                                return 0
                            end
                            if call("HEXISTS", row .. ":unsuccessful", child) == 1 then
                                return 0
                            end
                            local known = call("HGET", row .. ":children", child)
                            if isForgotten(s, known) then
                                return 0
                            end
                            local word = policyFor(known, policy, isRemoved)
                            if word == "fp" then
                                if call("HEXISTS", row .. ":failed", child) == 1 then
                                    return 0
                                end
                                call("HDEL", row .. ":processed", child)
                                call("HSET", row .. ":failed", child, ____error)
                                if call("EXISTS", row .. ":dependencies") == 0 then
                                    call("SET", row .. ":dependencies", 0)
                                end
                                if state == "awaiting_children" and killParent(
                                    s,
                                    base,
                                    parent,
                                    child,
                                    ____error
                                ) then
                                    return 2
                                end
                                return 1
                            end
                            call("HDEL", row .. ":failed", child)
                            local mayRun = ignoreFailure(
                                s,
                                row,
                                child,
                                ____error,
                                known,
                                word
                            )
                            local isWaiting = state == "awaiting_children"
                            local asks = state == "active" or isWaiting and fields[5] ~= "0"
                            if word == "co" and asks then
                                call("HSET", row, "eager", "1")
                            end
                            if mayRun and isWaiting then
                                releaseParent(
                                    s,
                                    base,
                                    parent,
                                    fields,
                                    open
                                )
                            end
                            return 1
                        end
                    end
                    return childFailedOnce(s, base, parent, child, ____error, policy, isRemoved, open)
                end
                --- Notes the end of a job that has parents.
                -- 
                -- @cold
                local noteKinOnce = nil
                local function noteKin(s, base, id, parent, how, ____error, wakes, before)
                    if noteKinOnce == nil then
                        --- Reads the parents of a job. `parent` is that field of its row; `near` is whether a first parent of the same queue is
                        -- told in the act.
                        -- 
                        -- @cold
                        local readKinOnce = nil
                        local function readKin(s, base, id, parent, near)
                            if readKinOnce == nil then
                                --- The name of the queue of a base key.
                                local function queueOf(base)
                                    return string.sub(base, 6, -3)
                                end
                                --- The policy that a signal carries: `fp`, or `id` for all others.
                                local function policyOf(word)
                                    return word == "id" and "id" or "fp"
                                end
                                readKinOnce = function(s, base, id, parent, near)
                                    local call = s.call
                                    local row = base .. "job:" .. id
                                    local own = queueOf(base)
                                    local fields = call(
                                        "HMGET",
                                        row,
                                        "parent_queue",
                                        "parent_policy",
                                        "parent_as"
                                    )
                                    local further = call("HGETALL", row .. ":parents")
                                    local far = {}
                                    local child = fields[3] == false and id or fields[3]
                                    local policy = policyOf(fields[2])
                                    local queue = (fields[1] == false or fields[1] == "") and own or fields[1]
                                    local isNear = near and queue == own
                                    if s.branded(parent) and parent ~= id and not isNear then
                                        far[1] = queue
                                        far[2] = parent
                                        far[3] = child
                                        far[4] = policy
                                    end
                                    local stop = #further
                                    for i = 0, stop - 1, 2 do
                                        local field = further[i + 1]
                                        local value = further[i + 2]
                                        local at = #far
                                        far[at + 1] = #value > 3 and string.sub(value, 4) or own
                                        far[at + 2] = string.sub(field, 1, 14)
                                        far[at + 3] = #field > 14 and string.sub(field, 16) or id
                                        far[at + 4] = policyOf(string.sub(value, 1, 2))
                                    end
                                    return {
                                        parent = isNear and s.branded(parent) and parent ~= id and parent or "",
                                        child = child,
                                        policy = policy,
                                        far = far
                                    }
                                end
                            end
                            return readKinOnce(s, base, id, parent, near)
                        end
                        --- An act that has said nothing.
                        local function nothingTold()
                            return {outbox = false, decided = {}, read = {}}
                        end
                        --- Says that the outbox is about to be filled, unless it is filled already or the act has said so. To be called before
                        -- the first write.
                        -- 
                        -- @cold
                        local function callDeliverer(s, base, told)
                            if told.outbox then
                                return
                            end
                            told.outbox = true
                            if s.call("LLEN", base .. "flow:outbox") == 0 then
                                s.call("PUBLISH", base .. "control", "f")
                            end
                        end
                        --- Reads all that the end of a child may write to of its parent, before the first write, and says what that end is going
                        -- to say. `how` is `done`, `failed` or `removed`.
                        -- 
                        -- @cold
                        local readParentOnce = nil
                        local function readParent(s, base, parent, child, how, policy, ____error, told)
                            if readParentOnce == nil then
                                --- Brings what is spent up to this instant. A clock that was set back begins anew.
                                local function age(s, rate)
                                    local now = s.now()
                                    local duration = rate.duration
                                    if rate.burst == -1 then
                                        if rate.at <= now or rate.at > now + duration then
                                            rate.at = now + duration
                                            rate.level = 0
                                        end
                                        return
                                    end
                                    local elapsed = now - rate.at
                                    if rate.burst > 0 then
                                        local gone = math.min(rate.level, rate.burst * duration)
                                        if elapsed > 0 then
                                            rate.level = elapsed * rate.max >= gone and 0 or gone - elapsed * rate.max
                                        else
                                            rate.level = gone
                                        end
                                        rate.at = now
                                    elseif elapsed < 0 or elapsed >= 2 * duration then
                                        rate.at = now
                                        rate.level = 0
                                        rate.before = 0
                                    elseif elapsed >= duration then
                                        rate.at = rate.at + duration
                                        rate.before = rate.level
                                        rate.level = 0
                                    end
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
                                --- The alias of a job, empty for none. `dedup` is that field of its row, without which there is none.
                                local function aliasOfRow(s, base, id, dedup)
                                    if dedup == false then
                                        return ""
                                    end
                                    local alias = s.call("HGET", base .. "job:" .. id, "alias")
                                    return alias == false and "" or alias
                                end
                                --- Tells an event of a job whose row stands, with its alias.
                                local function tellOfJob(s, base, event, id, dedup, more)
                                    more[#more + 1] = "alias"
                                    more[#more + 1] = aliasOfRow(s, base, id, dedup)
                                    tell(
                                        s,
                                        base,
                                        event,
                                        id,
                                        more
                                    )
                                end
                                --- Puts a job that has ended into its set, with the instant at which it is to go if there is one.
                                local function keep(s, base, set, id, ms)
                                    local now = s.now()
                                    s.call("ZADD", base .. set, set == "completed" and now or 0, id)
                                    if ms > 0 then
                                        s.call(
                                            "ZADD",
                                            base .. "expiry",
                                            math.min(now + ms, 9007199254740991),
                                            id
                                        )
                                    end
                                end
                                --- Reads what {@link tally} writes to, before the first write.
                                local function readTally(s, base, which)
                                    s.call("HGET", base .. "metrics:" .. which, "count")
                                    s.call("HLEN", base .. "metrics:" .. which .. ":minutes")
                                end
                                --- Reads the place where a job waits, before the first write: a foreign type ends the act there.
                                local function readPlace(s, base, group)
                                    if group == false then
                                        s.call("ZCARD", base .. "pending")
                                    else
                                        readLanes(s, base, {group}, 1)
                                    end
                                end
                                --- Whether what a parent knows of a child says that it is forgotten.
                                local function isForgotten(s, known)
                                    return known ~= false and s.char(known, 0) == "-"
                                end
                                --- The policy of a failed child: what its parent was told, else what came with the news.
                                local function policyFor(known, told, isRemoved)
                                    local word = known == false and told or string.sub(known, 1, 2)
                                    return isRemoved and word ~= "rm" and "id" or word
                                end
                                --- Says what a parent's death says, and reads what it writes to.
                                local function readKill(s, base, parent, fields, ____error, told)
                                    local call = s.call
                                    call("ZCARD", base .. "dead")
                                    call("ZCARD", base .. "ttl")
                                    readTally(s, base, "failed")
                                    readNames(
                                        s,
                                        base,
                                        parent,
                                        fields[3],
                                        false
                                    )
                                    if fields[5] ~= false then
                                        call("HLEN", base .. "job:" .. parent .. ":parents")
                                        callDeliverer(s, base, told)
                                    end
                                    if waitedUntil(s, fields[4], 0) > 0 then
                                        tellWaiters(s, base, parent)
                                    end
                                    if heardBy(s, base) > 0 then
                                        tellOfJob(
                                            s,
                                            base,
                                            "dead",
                                            parent,
                                            fields[3],
                                            {"error", ____error}
                                        )
                                    end
                                end
                                readParentOnce = function(s, base, parent, child, how, policy, ____error, told)
                                    local call = s.call
                                    local row = base .. "job:" .. parent
                                    if how ~= "failed" and told.read["p:" .. parent] == true then
                                        return
                                    end
                                    told.read["p:" .. parent] = true
                                    local fields = call(
                                        "HMGET",
                                        row,
                                        "state",
                                        "group",
                                        "dedup",
                                        "wait",
                                        "parent"
                                    )
                                    if fields[1] == false then
                                        return
                                    end
                                    local known = call("HGET", row .. ":children", child)
                                    local isDone = call("HEXISTS", row .. ":processed", child) == 1
                                    local isIgnored = call("HEXISTS", row .. ":unsuccessful", child) == 1
                                    local isFailed = call("HEXISTS", row .. ":failed", child) == 1
                                    call("GET", row .. ":dependencies")
                                    if fields[1] ~= "awaiting_children" then
                                        return
                                    end
                                    call("ZCARD", base .. "awaiting")
                                    call("ZCARD", base .. "schedule")
                                    readPlace(s, base, fields[2])
                                    if how == "done" or isDone or isIgnored or isForgotten(s, known) then
                                        return
                                    end
                                    local word = policyFor(known, policy, how == "removed")
                                    if word ~= "fp" and word ~= "co" then
                                        return
                                    end
                                    if word == "fp" and not isFailed and told.decided["p:" .. parent] ~= true then
                                        readKill(
                                            s,
                                            base,
                                            parent,
                                            fields,
                                            ____error,
                                            told
                                        )
                                    end
                                    told.decided["p:" .. parent] = true
                                end
                            end
                            return readParentOnce(s, base, parent, child, how, policy, ____error, told)
                        end
                        noteKinOnce = function(s, base, id, parent, how, ____error, wakes, before)
                            local told = before == false and nothingTold() or before
                            local kin = readKin(
                                s,
                                base,
                                id,
                                parent,
                                true
                            )
                            local open = false
                            if kin.parent ~= "" then
                                open = wakes and isOpen(s, base)
                                readParent(
                                    s,
                                    base,
                                    kin.parent,
                                    kin.child,
                                    how,
                                    kin.policy,
                                    ____error,
                                    told
                                )
                            end
                            if #kin.far > 0 then
                                callDeliverer(s, base, told)
                            end
                            return {kin = kin, open = open}
                        end
                    end
                    return noteKinOnce(s, base, id, parent, how, ____error, wakes, before)
                end
                --- Notes an end before the first write; `false` for a job without parents. `parent` is that field of its row, `how` is
                -- `done`, `failed` or `removed`, and `wakes` is whether a parent that is released wakes a worker: not in a `TURN`,
                -- which sees to all work that it leaves. `told` is what an act that ends many jobs has told, `false` for any other.
                local function noteEnd(s, base, id, parent, how, ____error, wakes, told)
                    local ____temp_0
                    if parent == false then
                        ____temp_0 = false
                    else
                        ____temp_0 = noteKin(
                            s,
                            base,
                            id,
                            parent,
                            how,
                            ____error,
                            wakes,
                            told
                        )
                    end
                    return ____temp_0
                end
                --- Tells that a job was removed before it was over.
                local function tellGone(s, base, ending)
                    if ending == false then
                        return
                    end
                    local kin = ending.kin
                    if kin.parent ~= "" then
                        childFailed(
                            s,
                            base,
                            kin.parent,
                            kin.child,
                            "removed",
                            kin.policy,
                            true,
                            ending.open
                        )
                    end
                    signalFailed(
                        s,
                        base,
                        kin,
                        "removed",
                        true
                    )
                end
                --- Removes an id from the sets and its lane, then deletes the row. Membership decides, not the row's word, so a
                -- member that strayed goes as well.
                local function erase(s, base, id, group, dedup)
                    local call = s.call
                    call("ZCARD", base .. "active")
                    call("ZCARD", base .. "schedule")
                    call("ZCARD", base .. "dead")
                    call("ZCARD", base .. "completed")
                    call("ZCARD", base .. "expiry")
                    call("ZCARD", base .. "ttl")
                    if group ~= false then
                        readLanes(s, base, {group}, 1)
                    end
                    local holds = group ~= false and call("HEXISTS", base .. "job:" .. id, "held") == 1
                    local names = readNames(
                        s,
                        base,
                        id,
                        dedup,
                        true
                    )
                    local fields = call(
                        "HMGET",
                        base .. "job:" .. id,
                        "wait",
                        "attempts",
                        "state",
                        "parent"
                    )
                    local token = lastToken(s, base, fields[2])
                    local state = fields[3]
                    local isAwaiting = state == "awaiting_children"
                    if isAwaiting then
                        call("ZCARD", base .. "awaiting")
                    end
                    if state == "dead" or state == "completed" then
                        fields[4] = false
                    end
                    local notice = noteEnd(
                        s,
                        base,
                        id,
                        fields[4],
                        "removed",
                        "removed",
                        true,
                        false
                    )
                    if waitedUntil(s, fields[1], 0) > 0 then
                        tellWaiters(s, base, id)
                    end
                    call("ZREM", base .. "pending", id)
                    local wasActive = call("ZREM", base .. "active", id)
                    local wasScheduled = call("ZREM", base .. "schedule", id)
                    call("ZREM", base .. "dead", id)
                    call("ZREM", base .. "completed", id)
                    call("ZREM", base .. "expiry", id)
                    call("ZREM", base .. "ttl", id)
                    if isAwaiting then
                        call("ZREM", base .. "awaiting", id)
                    end
                    if group ~= false then
                        leaveLane(s, base, group, id)
                        if wasActive == 1 or wasScheduled == 1 and holds then
                            releaseLane(s, base, group)
                        end
                    end
                    deleteRow(s, base .. "job:" .. id)
                    rememberTokens(s, base, {id}, {token})
                    tellGone(s, base, notice)
                    letGo(s, base, names)
                end
                --- Gives a job `ms` from when it falls due, -1 for at once, to begin.
                local function limitTime(s, base, id, due, ms)
                    local ____until = math.min(
                        math.max(
                            due,
                            s.now()
                        ) + s.num(ms),
                        9007199254740991
                    )
                    s.call("HSET", base .. "job:" .. id, "expires", ____until)
                    s.call("ZADD", base .. "ttl", ____until, id)
                end
                --- Takes the limit of a job's time away.
                local function unlimitTime(s, base, id)
                    s.call("HDEL", base .. "job:" .. id, "expires")
                    s.call("ZREM", base .. "ttl", id)
                end
                --- Takes a job that is replaced from where it waited, unless it waits there still.
                local function leaveOldPlace(s, base, entry, args)
                    local stored = entry.stored
                    local later = entry.state == "scheduled"
                    if stored[0 + 1] == "scheduled" then
                        if not later then
                            s.call("ZREM", base .. "schedule", entry.id)
                        end
                        return
                    end
                    local group = stored[1 + 1]
                    local lane = entry.run.lane > 0 and args[entry.at + entry.run.lane + 1] or false
                    if later or group ~= lane then
                        stopWaiting(s, base, entry.id, group)
                    end
                end
                --- Lets the job that a new one follows know of it, whoever holds the name of both by the end of the act.
                local function tellLeader(s, base, entry)
                    local call = s.call
                    local leader = base .. "job:" .. entry.follows
                    if call("HEXISTS", leader, "dedup") == 0 then
                        call("HSET", leader, "dedup", "")
                    end
                    call("HSET", leader, "next", entry.id)
                end
                --- Writes the row of a new job, or gives a row that is replaced a fresh life: what its last one left says nothing.
                local function writeEntry(s, admission, entry, args)
                    local at = entry.at
                    local stored = entry.stored
                    local fields = {"state", entry.state}
                    if #stored == 0 then
                        fields[3] = "attempts"
                        fields[4] = "0"
                    else
                        s.call(
                            "HDEL",
                            entry.row,
                            "owner",
                            "last_error",
                            "progress",
                            "stalled",
                            "deferred",
                            "cancel",
                            "held",
                            "due"
                        )
                        s.call(
                            "HDEL",
                            entry.row,
                            "group",
                            "name",
                            "priority",
                            "opts",
                            "cost",
                            "follow_at"
                        )
                        unlimitTime(s, admission.base, entry.id)
                        local attempts = stored[5 + 1]
                        if attempts ~= false and attempts ~= "0" then
                            fields[3] = "deferred"
                            fields[4] = attempts
                        end
                    end
                    fields[#fields + 1] = "payload"
                    fields[#fields + 1] = args[at + 2]
                    addLetters(fields, entry.run, args, at)
                    if entry.dedup ~= "" or entry.alias ~= "" then
                        fields[#fields + 1] = "dedup"
                        fields[#fields + 1] = entry.dedup
                    end
                    if entry.alias ~= "" then
                        fields[#fields + 1] = "alias"
                        fields[#fields + 1] = entry.alias
                    end
                    s.call(
                        "HSET",
                        entry.row,
                        unpack(fields)
                    )
                    local due = admission.dues[entry.id]
                    if due ~= nil then
                        s.call("HSET", entry.row, "due", due)
                    end
                    if entry.latest >= 0 then
                        s.call("HSET", entry.row, "latest", entry.latest)
                    end
                    if entry.follows ~= "" then
                        s.call("HSET", entry.row, "follows", entry.follows)
                        if entry.due >= 0 then
                            s.call("HSET", entry.row, "follow_at", entry.due)
                        end
                        if #stored == 0 then
                            tellLeader(s, admission.base, entry)
                        end
                    end
                    local expire = entry.run.expire
                    if expire > 0 then
                        limitTime(
                            s,
                            admission.base,
                            entry.id,
                            entry.due,
                            args[at + expire + 1]
                        )
                    end
                    if #stored > 0 then
                        leaveOldPlace(s, admission.base, entry, args)
                    end
                end
                --- Gives lanes their first limit; one that is at it by now leaves the ring.
                local function limitLanes(s, base, limits)
                    local call = s.call
                    local stop = #limits
                    for i = 0, stop - 1, 2 do
                        local lane = limits[i + 1]
                        call("HSET", base .. "glimit", lane, limits[i + 2])
                        local active = call("HGET", base .. "gactive", lane)
                        if active ~= false and s.num(active) >= s.num(limits[i + 2]) then
                            call("LREM", base .. "ring", 0, lane)
                        end
                    end
                end
                --- Writes what becomes of one name.
                local function writeSlot(s, slot)
                    local call = s.call
                    if slot.isWritten then
                        if slot.ms == "" then
                            call("SET", slot.key, slot.id)
                        else
                            call(
                                "SET",
                                slot.key,
                                slot.id,
                                "PXAT",
                                dueIn(
                                    s,
                                    s.num(slot.ms)
                                )
                            )
                        end
                    elseif slot.ms ~= "" then
                        call(
                            "PEXPIREAT",
                            slot.key,
                            dueIn(
                                s,
                                s.num(slot.ms)
                            )
                        )
                    end
                end
                writeNamedOnce = function(s, admission, args)
                    local named = admission.named
                    if named == false then
                        return
                    end
                    local base = admission.base
                    for ____, entry in ipairs(named.entries) do
                        writeEntry(s, admission, entry, args)
                    end
                    limitLanes(s, base, named.limits)
                    for ____, old in ipairs(named.finished) do
                        erase(
                            s,
                            base,
                            old.id,
                            old.group,
                            old.dedup
                        )
                    end
                    for ____, key in ipairs(named.loose) do
                        s.call("DEL", key)
                    end
                    for ____, slot in ipairs(named.used) do
                        writeSlot(s, slot)
                    end
                end
            end
            return writeNamedOnce(s, admission, args)
        end
        --- A run of any shape, with no rows yet.
        -- 
        -- @cold
        local startRunOnce = nil
        local function startRun(shape, keys)
            if startRunOnce == nil then
                --- Offset of a letter's value within a row, 0 for none.
                local function offsetOf(shape, letter)
                    local at = (string.find(shape, letter, nil, true) or 0) - 1
                    return at < 0 and 0 or at + 2
                end
                startRunOnce = function(shape, keys)
                    return {
                        shape = shape,
                        name = offsetOf(shape, "n"),
                        priority = offsetOf(shape, "p"),
                        lane = offsetOf(shape, "g"),
                        opts = offsetOf(shape, "o"),
                        dueAt = offsetOf(shape, "a"),
                        dueIn = offsetOf(shape, "i"),
                        expire = offsetOf(shape, "x"),
                        cost = offsetOf(shape, "c"),
                        isNamed = isNamedShape(shape),
                        fresh = {},
                        keys = keys
                    }
                end
            end
            return startRunOnce(shape, keys)
        end
        --- Reports a row whose id exists, or stands further up in this act.
        -- 
        -- @cold
        local exceptTwinOnce = nil
        local function exceptTwin(s, admission, id, row, position)
            if exceptTwinOnce == nil then
                --- Reports what became of a row that was not simply admitted.
                local function except(admission, position, verdict)
                    local exceptions = admission.exceptions
                    exceptions[#exceptions + 1] = position
                    exceptions[#exceptions + 1] = verdict
                end
                exceptTwinOnce = function(s, admission, id, row, position)
                    local own = admission.admitted[id]
                    local ____temp_0
                    if own == nil then
                        ____temp_0 = s.call("HGET", row, "state")
                    else
                        ____temp_0 = own
                    end
                    local stored = ____temp_0
                    except(admission, position, {0, stored == false and "unknown" or stored})
                end
            end
            return exceptTwinOnce(s, admission, id, row, position)
        end
        --- Begins the table of ids with those of the rows judged so far, since they ascend no more.
        -- 
        -- @cold
        local function tabulate(admission, args)
            local admitted = admission.admitted
            for ____, run in ipairs(admission.runs) do
                for ____, at in ipairs(run.fresh) do
                    admitted[args[at + 1]] = "pending"
                end
            end
            admission.ascends = false
        end
        --- Judges the rows of a run some of which may exist (`mixed`), or that say more than a name and options. They begin at
        -- `first`, and `position` is that of the first. Answers the refusal of the whole act, empty for none.
        -- 
        -- @cold
        local judgeRowsOnce = nil
        local function judgeRows(s, admission, run, args, first, position, mixed)
            if judgeRowsOnce == nil then
                --- Whether the lane of a row is in strict order. To be asked before the first write.
                local function isOrdered(s, base, group)
                    return group ~= false and s.call("SISMEMBER", base .. "gordered", group) == 1
                end
                --- When a row asks to fall due, -1 for at once.
                local function dueOf(s, run, args, at)
                    if run.dueAt > 0 then
                        return s.num(args[at + run.dueAt + 1])
                    end
                    return run.dueIn > 0 and dueIn(
                        s,
                        s.num(args[at + run.dueIn + 1])
                    ) or -1
                end
                --- Decides where a job will wait; answers its state. A job of an ordered lane keeps its place there although it falls
                -- due later. `due` is when it falls due, -1 for at once, and `at` the position
                -- of the row that says the rest.
                local function place(s, admission, run, args, at, id, due)
                    if due >= 0 and run.lane > 0 and isOrdered(s, admission.base, args[at + run.lane + 1]) then
                        admission.dues[id] = due
                    elseif due >= 0 then
                        local later = admission.later
                        local size = #later
                        later[size + 1] = due
                        later[size + 2] = id
                        return "scheduled"
                    end
                    local score = run.priority > 0 and s.num(args[at + run.priority + 1]) or 0
                    if run.lane > 0 then
                        admission.lanes[#admission.lanes + 1] = args[at + run.lane + 1]
                        admission.lanes[#admission.lanes + 1] = id
                        admission.laneScores[#admission.laneScores + 1] = score
                    else
                        local flat = admission.flat
                        local size = #flat
                        flat[size + 1] = score
                        flat[size + 2] = id
                    end
                    return "pending"
                end
                --- Judges one row of a run whose rows carry a name, and whose own id is new. Answers the refusal of the whole act, empty
                -- for none.
                -- 
                -- @cold
                local judgeNamedOnce = nil
                local function judgeNamed(s, admission, run, args, at, pos)
                    if judgeNamedOnce == nil then
                        --- The sorted set of a lane's waiting jobs.
                        local function laneKey(base, group)
                            return base .. "g:" .. group .. ":pending"
                        end
                        --- Reads each key that the steps of these lanes touch, so that a foreign type ends the act while nothing is written. To
                        -- be called before the first write. Names of lanes stand at every `step`-th place; each is read once.
                        local function readLanes(s, base, groups, step)
                            local call = s.call
                            local stop = #groups
                            if stop == 0 then
                                return
                            end
                            local seen = {}
                            call("LLEN", base .. "ring")
                            call("ZCARD", base .. "rest")
                            for i = 0, stop - 1, step do
                                local group = groups[i + 1]
                                local lane = laneKey(base, group)
                                if seen[lane] ~= true then
                                    seen[lane] = true
                                    call("SISMEMBER", base .. "paused", group)
                                    call("HGET", base .. "glimit", group)
                                    call("HGET", base .. "gactive", group)
                                    call("ZCARD", lane)
                                end
                            end
                        end
                        --- Offset of a letter's value within a row, 0 for none.
                        local function offsetOf(shape, letter)
                            local at = (string.find(shape, letter, nil, true) or 0) - 1
                            return at < 0 and 0 or at + 2
                        end
                        --- Reports what became of a row that was not simply admitted.
                        local function except(admission, position, verdict)
                            local exceptions = admission.exceptions
                            exceptions[#exceptions + 1] = position
                            exceptions[#exceptions + 1] = verdict
                        end
                        --- Reads the names of a job that is ending. `rowGoes` is whether its row goes too, and with it its alias.
                        -- 
                        -- @cold
                        local readNamesOfOnce = nil
                        local function readNamesOf(s, base, id, dedup, rowGoes)
                            if readNamesOfOnce == nil then
                                --- Whether a key is free once the job `id` is over.
                                local function isFree(held, id)
                                    return held == false or held == id
                                end
                                readNamesOfOnce = function(s, base, id, dedup, rowGoes)
                                    local call = s.call
                                    local own = call("HMGET", base .. "job:" .. id, "alias", "next")
                                    local keys = {}
                                    local key = dedup == "" and "" or base .. "de:" .. dedup
                                    local ____temp_0
                                    if key == "" then
                                        ____temp_0 = false
                                    else
                                        ____temp_0 = call("GET", key)
                                    end
                                    local holder = ____temp_0
                                    if holder == id then
                                        keys[1] = key
                                    end
                                    if not isFree(holder, id) then
                                        key = ""
                                    end
                                    if rowGoes and own[1] ~= false and own[1] ~= "" then
                                        local alias = base .. "de:" .. own[1]
                                        if call("GET", alias) == id then
                                            keys[#keys + 1] = alias
                                        end
                                    end
                                    local next = own[2]
                                    if next == false then
                                        return {
                                            keys = keys,
                                            key = key,
                                            next = "",
                                            at = false,
                                            alias = ""
                                        }
                                    end
                                    local fields = call(
                                        "HMGET",
                                        base .. "job:" .. next,
                                        "state",
                                        "alias",
                                        "follow_at",
                                        "dedup"
                                    )
                                    if fields[4] ~= dedup then
                                        key = ""
                                    end
                                    local score = call("ZSCORE", base .. "schedule", next)
                                    if fields[1] ~= "scheduled" or score == false or s.num(score) ~= 9007199254740991 then
                                        return {
                                            keys = keys,
                                            key = key,
                                            next = "",
                                            at = false,
                                            alias = ""
                                        }
                                    end
                                    local alias = ""
                                    if fields[2] ~= false and fields[2] ~= "" then
                                        alias = base .. "de:" .. fields[2]
                                        if not isFree(
                                            call("GET", alias),
                                            id
                                        ) then
                                            alias = ""
                                        end
                                    end
                                    return {
                                        keys = keys,
                                        key = key,
                                        next = next,
                                        at = fields[3],
                                        alias = alias
                                    }
                                end
                            end
                            return readNamesOfOnce(s, base, id, dedup, rowGoes)
                        end
                        --- The names of a job that is ending, `false` for none; to be read before the first write. `dedup` is that field of its
                        -- row, and `rowGoes` whether the row goes too, and with it its alias.
                        local function readNames(s, base, id, dedup, rowGoes)
                            local ____temp_1
                            if dedup == false then
                                ____temp_1 = false
                            else
                                ____temp_1 = readNamesOf(
                                    s,
                                    base,
                                    id,
                                    dedup,
                                    rowGoes
                                )
                            end
                            return ____temp_1
                        end
                        --- Whether the time of a job is over by its field `expires`.
                        local function isOver(s, expires)
                            return expires ~= false and s.int(expires, 0, 9007199254740991) and s.num(expires) <= s.now()
                        end
                        local function readRow(s, row)
                            return s.call(
                                "HMGET",
                                row,
                                "state",
                                "group",
                                "dedup",
                                "alias",
                                "next",
                                "attempts",
                                "latest",
                                "held"
                            )
                        end
                        --- The slot of a name.
                        local function slotOf(s, base, named, name)
                            local key = base .. "de:" .. name
                            local known = named.slots[key]
                            if known ~= nil then
                                return known
                            end
                            local id = s.call("GET", key)
                            local slot = {
                                key = key,
                                id = id == false and "" or id,
                                fields = id == false and ({false}) or readRow(s, base .. "job:" .. id),
                                entry = false,
                                follower = false,
                                nextId = "",
                                nextFields = {},
                                sought = false,
                                isWritten = false,
                                ms = ""
                            }
                            named.slots[key] = slot
                            named.used[#named.used + 1] = slot
                            return slot
                        end
                        --- The state of a job that this act writes.
                        local function plannedState(s, entry, args)
                            return (entry.follows ~= "" or dueOf(s, entry.run, args, entry.at) >= 0) and "scheduled" or "pending"
                        end
                        --- The state of a slot's holder, `false` when there is none.
                        local function holderState(s, slot, args)
                            local entry = slot.entry
                            local ____temp_0
                            if entry == false then
                                ____temp_0 = slot.fields[0 + 1]
                            else
                                ____temp_0 = plannedState(s, entry, args)
                            end
                            return ____temp_0
                        end
                        --- What a mode makes of a row while `state` is that of the holder of its deduplication id.
                        local function decide(slot, mode, state)
                            if mode == "throttle" or mode == "slide" then
                                return slot.id == "" and 0 or 1
                            end
                            local begun = state == "active" or slot.entry == false and slot.fields[7 + 1] == "1"
                            if begun and (state == "active" or state == "scheduled" or state == "pending") then
                                if mode == "debounce" or mode == "short" then
                                    return 0
                                end
                                return (mode == "follow" or mode == "latest") and 3 or 1
                            end
                            if state == "pending" or state == "scheduled" then
                                return (mode == "replace" or mode == "debounce" or mode == "latest") and 2 or 1
                            end
                            return state == "awaiting_children" and 1 or 0
                        end
                        --- Looks for the job that runs after a slot's holder. One that was promoted by hand, or is gone, is none.
                        local function seekNext(s, base, slot)
                            local next = slot.fields[4 + 1]
                            if slot.sought then
                                return
                            end
                            slot.sought = true
                            if slot.entry ~= false or next == false or next == nil then
                                return
                            end
                            local fields = readRow(s, base .. "job:" .. next)
                            local score = s.call("ZSCORE", base .. "schedule", next)
                            if fields[0 + 1] ~= "scheduled" or score == false or s.num(score) ~= 9007199254740991 then
                                return
                            end
                            slot.nextId = next
                            slot.nextFields = fields
                        end
                        --- Reads where a stored job waits, before the first write.
                        local function readStoredPlace(s, base, fields)
                            local group = fields[1 + 1]
                            if group ~= false then
                                readLanes(s, base, {group}, 1)
                            end
                        end
                        --- Lets an entry give up the alias that this act, or an earlier one, gave it.
                        local function giveUpAlias(s, base, named, entry)
                            local slot = entry.aliasSlot
                            if slot ~= false then
                                slot.id = ""
                                slot.fields = {false}
                                slot.entry = false
                                slot.isWritten = false
                                entry.aliasSlot = false
                            end
                            if #entry.stored == 0 then
                                return
                            end
                            local old = entry.stored[3 + 1]
                            if old == false or old == "" or old == entry.alias then
                                return
                            end
                            local known = slotOf(s, base, named, old)
                            if known.id ~= entry.id then
                                return
                            end
                            named.loose[#named.loose + 1] = known.key
                            known.id = ""
                            known.fields = {false}
                            known.entry = false
                        end
                        --- Lets an entry hold an alias. While the job that it follows holds it, it has to wait for it.
                        local function takeAlias(entry, alias, slot)
                            entry.alias = alias
                            if slot.id ~= "" and slot.id ~= entry.id then
                                return
                            end
                            slot.id = entry.id
                            slot.entry = entry
                            slot.isWritten = true
                            entry.aliasSlot = slot
                        end
                        --- The alias that a row asks for, empty for none.
                        local function aliasOf(run, args, at)
                            local offset = offsetOf(run.shape, "j") + offsetOf(run.shape, "k")
                            return offset > 0 and args[at + offset + 1] or ""
                        end
                        --- Keeps the first bound of a chain of replacements.
                        local function boundDue(s, entry, args)
                            local offset = offsetOf(entry.run.shape, "w")
                            if offset > 0 and entry.latest < 0 then
                                entry.latest = dueIn(
                                    s,
                                    s.num(args[entry.at + offset + 1])
                                )
                            end
                        end
                        --- A job that is to be written, with the values of a row.
                        local function addEntry(s, admission, named, run, at, id, stored, follows)
                            local known = named.known["s:" .. id]
                            if known ~= nil then
                                return known
                            end
                            local ____temp_1
                            if #stored > 0 then
                                ____temp_1 = stored[6 + 1]
                            else
                                ____temp_1 = false
                            end
                            local latest = ____temp_1
                            local entry = {
                                id = id,
                                row = admission.base .. "job:" .. id,
                                stored = stored,
                                follows = follows,
                                run = run,
                                at = at,
                                dedup = "",
                                alias = "",
                                aliasSlot = false,
                                latest = latest == false and -1 or s.num(latest),
                                due = -1,
                                state = ""
                            }
                            named.entries[#named.entries + 1] = entry
                            if #stored > 0 then
                                named.known["s:" .. id] = entry
                                readStoredPlace(s, admission.base, stored)
                            end
                            return entry
                        end
                        --- Gives a job that waits the values of a row.
                        local function rework(s, admission, named, entry, run, args, at)
                            local alias = aliasOf(run, args, at)
                            entry.run = run
                            entry.at = at
                            boundDue(s, entry, args)
                            if alias ~= "" and alias ~= entry.alias then
                                local slot = slotOf(s, admission.base, named, alias)
                                entry.alias = alias
                                giveUpAlias(s, admission.base, named, entry)
                                takeAlias(entry, alias, slot)
                            end
                            admission.admitted[entry.id] = plannedState(s, entry, args)
                        end
                        --- How long a name is to hold at most, empty for no such bound.
                        local function msOf(run, args, at)
                            local offset = offsetOf(run.shape, "t")
                            return offset > 0 and args[at + offset + 1] or ""
                        end
                        --- The mode of a row.
                        local function modeOf(run, args, at)
                            local offset = offsetOf(run.shape, "m")
                            return offset > 0 and args[at + offset + 1] or "keep"
                        end
                        --- Admits a row as a job of its own.
                        local function admitNew(s, admission, named, run, args, at, slot, follows)
                            local id = args[at + 1]
                            local mode = modeOf(run, args, at)
                            local alias = aliasOf(run, args, at)
                            local entry = addEntry(
                                s,
                                admission,
                                named,
                                run,
                                at,
                                id,
                                {},
                                follows
                            )
                            boundDue(s, entry, args)
                            if alias ~= "" then
                                takeAlias(
                                    entry,
                                    alias,
                                    slotOf(s, admission.base, named, alias)
                                )
                            end
                            if slot ~= false then
                                if mode ~= "throttle" and mode ~= "slide" then
                                    entry.dedup = args[at + offsetOf(run.shape, "d") + 1]
                                end
                                if follows == "" then
                                    slot.id = id
                                    slot.entry = entry
                                    slot.follower = false
                                    slot.sought = false
                                    slot.nextId = ""
                                    slot.isWritten = true
                                    slot.ms = msOf(run, args, at)
                                else
                                    slot.follower = entry
                                end
                            end
                            admission.admitted[id] = plannedState(s, entry, args)
                        end
                        --- Admits a row that runs after the active holder, or gives its values to the one that does already.
                        local function follow(s, admission, named, run, args, at, slot, position)
                            if slot.follower == false and slot.nextId ~= "" then
                                local next = addEntry(
                                    s,
                                    admission,
                                    named,
                                    run,
                                    at,
                                    slot.nextId,
                                    slot.nextFields,
                                    slot.id
                                )
                                next.dedup = args[at + offsetOf(run.shape, "d") + 1]
                                local alias = slot.nextFields[3 + 1]
                                if alias ~= false then
                                    next.alias = alias
                                end
                                slot.follower = next
                            end
                            local follower = slot.follower
                            if follower == false then
                                admitNew(
                                    s,
                                    admission,
                                    named,
                                    run,
                                    args,
                                    at,
                                    slot,
                                    slot.id
                                )
                            else
                                rework(
                                    s,
                                    admission,
                                    named,
                                    follower,
                                    run,
                                    args,
                                    at
                                )
                                except(admission, position, {3, follower.id})
                            end
                        end
                        --- Gives the values of a row to the holder of its deduplication id.
                        local function replace(s, admission, named, run, args, at, slot, position)
                            local entry = slot.entry
                            if entry == false then
                                entry = addEntry(
                                    s,
                                    admission,
                                    named,
                                    run,
                                    at,
                                    slot.id,
                                    slot.fields,
                                    ""
                                )
                                local dedup = slot.fields[2 + 1]
                                local alias = slot.fields[3 + 1]
                                if dedup ~= false then
                                    entry.dedup = dedup
                                end
                                if alias ~= false then
                                    entry.alias = alias
                                end
                                slot.entry = entry
                            end
                            rework(
                                s,
                                admission,
                                named,
                                entry,
                                run,
                                args,
                                at
                            )
                            if modeOf(run, args, at) == "debounce" then
                                slot.ms = msOf(run, args, at)
                            end
                            except(admission, position, {3, entry.id})
                        end
                        --- Whether the job that an alias names is the one that the row is going to change, and so not in its way.
                        local function isChanged(slot, what, id)
                            if slot == false or what < 2 then
                                return false
                            end
                            local follower = slot.follower == false and slot.nextId or slot.follower.id
                            return id == slot.id or id == follower
                        end
                        --- Lets a row pass its alias: nobody has it, the job that has it is changed by the row, or it is over and gives way.
                        -- Answers false when the row is a duplicate.
                        local function passAlias(s, admission, named, run, args, at, slot, what, position)
                            local own = slotOf(
                                s,
                                admission.base,
                                named,
                                aliasOf(run, args, at)
                            )
                            local state = holderState(s, own, args)
                            local isOver = own.entry == false and (state == "dead" or state == "completed")
                            local gives = isOver and offsetOf(run.shape, "k") > 0
                            if state ~= false and not gives then
                                if isChanged(slot, what, own.id) then
                                    return true
                                end
                                except(admission, position, {1, own.id, state})
                                return false
                            end
                            if what == 1 then
                                return true
                            end
                            if gives then
                                named.finished[#named.finished + 1] = {id = own.id, group = own.fields[1 + 1], dedup = own.fields[2 + 1]}
                                readStoredPlace(s, admission.base, own.fields)
                                readNames(
                                    s,
                                    admission.base,
                                    own.id,
                                    own.fields[2 + 1],
                                    true
                                )
                                if what == 0 then
                                    except(admission, position, {4, own.id, state})
                                end
                            end
                            own.id = ""
                            own.fields = {false}
                            return true
                        end
                        --- Judges one row that carries a name and whose own id is new.
                        local function judgeRow(s, admission, named, run, args, at, position)
                            local dedupAt = offsetOf(run.shape, "d")
                            local slot = dedupAt > 0 and slotOf(s, admission.base, named, args[at + dedupAt + 1]) or false
                            local mode = modeOf(run, args, at)
                            local what = slot == false and 0 or decide(
                                slot,
                                mode,
                                holderState(s, slot, args)
                            )
                            if slot ~= false and what == 3 then
                                seekNext(s, admission.base, slot)
                            end
                            if aliasOf(run, args, at) ~= "" and not passAlias(
                                s,
                                admission,
                                named,
                                run,
                                args,
                                at,
                                slot,
                                what,
                                position
                            ) then
                                return
                            end
                            if slot == false or what == 0 then
                                admitNew(
                                    s,
                                    admission,
                                    named,
                                    run,
                                    args,
                                    at,
                                    slot,
                                    ""
                                )
                            elseif what == 2 then
                                replace(
                                    s,
                                    admission,
                                    named,
                                    run,
                                    args,
                                    at,
                                    slot,
                                    position
                                )
                            elseif what == 3 then
                                follow(
                                    s,
                                    admission,
                                    named,
                                    run,
                                    args,
                                    at,
                                    slot,
                                    position
                                )
                            else
                                except(admission, position, {2, slot.id})
                                if mode == "extend" or mode == "slide" then
                                    slot.ms = msOf(run, args, at)
                                end
                            end
                        end
                        --- Notes the limit that a row asks for its lane, when neither the queue nor a row before has given it one. Answers false
                        -- when there is no room for it.
                        local function noteLimit(s, admission, named, run, args, at)
                            local offset = offsetOf(run.shape, "l")
                            if offset == 0 or run.lane == 0 then
                                return true
                            end
                            local lane = args[at + run.lane + 1]
                            local limits = admission.base .. "glimit"
                            if named.limited["l:" .. lane] == true or s.call("HEXISTS", limits, lane) == 1 then
                                return true
                            end
                            if s.call("HLEN", limits) + #named.limits / 2 >= 100000 then
                                return false
                            end
                            s.call("HGET", admission.base .. "gactive", lane)
                            s.call("LLEN", admission.base .. "ring")
                            named.limited["l:" .. lane] = true
                            named.limits[#named.limits + 1] = lane
                            named.limits[#named.limits + 1] = args[at + offset + 1]
                            return true
                        end
                        judgeNamedOnce = function(s, admission, run, args, at, pos)
                            local named = admission.named
                            if named == false then
                                named = {
                                    slots = {},
                                    used = {},
                                    entries = {},
                                    known = {},
                                    finished = {},
                                    loose = {},
                                    limits = {},
                                    limited = {}
                                }
                                admission.named = named
                            end
                            if not noteLimit(
                                s,
                                admission,
                                named,
                                run,
                                args,
                                at
                            ) then
                                return "EMQFULL settings of lanes"
                            end
                            judgeRow(
                                s,
                                admission,
                                named,
                                run,
                                args,
                                at,
                                pos
                            )
                            return ""
                        end
                    end
                    return judgeNamedOnce(s, admission, run, args, at, pos)
                end
                judgeRowsOnce = function(s, admission, run, args, first, position, mixed)
                    local width = 2 + #run.shape
                    local past = first + s.num(args[first]) * width
                    if admission.ascends then
                        tabulate(admission, args)
                    end
                    local admitted = admission.admitted
                    local fresh = run.fresh
                    local keys = run.keys
                    local index = 0
                    for row = first, past - 1, width do
                        local id = args[row + 1]
                        local key = keys[index + 1]
                        if admitted[id] ~= nil or mixed and s.call("EXISTS", key) == 1 then
                            exceptTwin(
                                s,
                                admission,
                                id,
                                key,
                                position + index
                            )
                        elseif run.isNamed then
                            local refusal = judgeNamed(
                                s,
                                admission,
                                run,
                                args,
                                row,
                                position + index
                            )
                            if refusal ~= "" then
                                return refusal
                            end
                        else
                            admitted[id] = place(
                                s,
                                admission,
                                run,
                                args,
                                row,
                                id,
                                dueOf(s, run, args, row)
                            )
                            keys[#fresh + 1] = key
                            fresh[#fresh + 1] = row
                        end
                        index = index + 1
                    end
                    return ""
                end
            end
            return judgeRowsOnce(s, admission, run, args, first, position, mixed)
        end
        --- Writes the rows of a run that carry more than a name.
        -- 
        -- @cold
        local writeRowsOnce = nil
        local function writeRows(s, admission, run, args)
            if writeRowsOnce == nil then
                --- The state of a job that this act admits.
                local function stateOf(admission, id)
                    local state = admission.admitted[id]
                    return state == nil and "pending" or state
                end
                --- When a row asks to fall due, -1 for at once.
                local function dueOf(s, run, args, at)
                    if run.dueAt > 0 then
                        return s.num(args[at + run.dueAt + 1])
                    end
                    return run.dueIn > 0 and dueIn(
                        s,
                        s.num(args[at + run.dueIn + 1])
                    ) or -1
                end
                --- Appends one field and its value, unless the value says nothing.
                local function addField(fields, name, value, silent)
                    if value == "" or value == silent then
                        return
                    end
                    fields[#fields + 1] = name
                    fields[#fields + 1] = value
                end
                --- Appends the fields that a row's letters name.
                local function addLetters(fields, run, args, at)
                    if run.lane > 0 then
                        addField(fields, "group", args[at + run.lane + 1], "")
                    end
                    if run.name > 0 then
                        addField(fields, "name", args[at + run.name + 1], "default")
                    end
                    if run.priority > 0 then
                        addField(fields, "priority", args[at + run.priority + 1], "0")
                    end
                    if run.opts > 0 then
                        addField(fields, "opts", args[at + run.opts + 1], "")
                    end
                    if run.cost > 0 then
                        addField(fields, "cost", args[at + run.cost + 1], "1")
                    end
                end
                --- Gives a job `ms` from when it falls due, -1 for at once, to begin.
                local function limitTime(s, base, id, due, ms)
                    local ____until = math.min(
                        math.max(
                            due,
                            s.now()
                        ) + s.num(ms),
                        9007199254740991
                    )
                    s.call("HSET", base .. "job:" .. id, "expires", ____until)
                    s.call("ZADD", base .. "ttl", ____until, id)
                end
                --- Writes one row that carries more than a name: the three fields of birth, then those that apply.
                local function writeRow(s, admission, run, key, args, at)
                    local id = args[at + 1]
                    local fields = {
                        "state",
                        stateOf(admission, id),
                        "attempts",
                        "0",
                        "payload",
                        args[at + 2]
                    }
                    addLetters(fields, run, args, at)
                    s.call(
                        "HSET",
                        key,
                        unpack(fields)
                    )
                    local due = admission.dues[id]
                    if due ~= nil then
                        s.call("HSET", key, "due", due)
                    end
                    if run.expire > 0 then
                        limitTime(
                            s,
                            admission.base,
                            id,
                            dueOf(s, run, args, at),
                            args[at + run.expire + 1]
                        )
                    end
                end
                writeRowsOnce = function(s, admission, run, args)
                    local stop = #run.fresh
                    for i = 0, stop - 1 do
                        writeRow(
                            s,
                            admission,
                            run,
                            run.keys[i + 1],
                            args,
                            run.fresh[i + 1]
                        )
                    end
                end
            end
            return writeRowsOnce(s, admission, run, args)
        end
        --- Adds jobs to their lanes; a lane whose first member it is comes onto the ring.
        -- 
        -- @cold
        local addToLanesOnce = nil
        local function addToLanes(s, admission)
            if addToLanesOnce == nil then
                --- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
                local function isResting(s, base, lane)
                    return s.call("ZSCORE", base .. "rest", lane) ~= false
                end
                --- The sorted set of a lane's waiting jobs.
                local function laneKey(base, group)
                    return base .. "g:" .. group .. ":pending"
                end
                --- Whether a lane may be served as far as an act without a base can see: not paused, and fewer jobs leased than its
                -- limit.
                local function isUnderLimit(s, base, group)
                    local call = s.call
                    if call("SISMEMBER", base .. "paused", group) == 1 then
                        return false
                    end
                    local limit = call("HGET", base .. "glimit", group)
                    if limit == false then
                        return true
                    end
                    local active = call("HGET", base .. "gactive", group)
                    return (active == false and 0 or s.num(active)) < s.num(limit)
                end
                --- Whether a lane may be served when it has work: not paused, fewer jobs leased than its limit, and not at rest.
                local function isServable(s, base, group)
                    return isUnderLimit(s, base, group) and not isResting(s, base, group)
                end
                addToLanesOnce = function(s, admission)
                    local call = s.call
                    local base = admission.base
                    local lanes = admission.lanes
                    local stop = #lanes
                    for i = 0, stop - 1, 2 do
                        local lane = laneKey(base, lanes[i + 1])
                        local added = call("ZADD", lane, admission.laneScores[i / 2 + 1], lanes[i + 2])
                        if added == 1 and call("ZCARD", lane) == 1 and isServable(s, base, lanes[i + 1]) then
                            call("RPUSH", base .. "ring", lanes[i + 1])
                        end
                    end
                end
            end
            return addToLanesOnce(s, admission)
        end
        --- Reads every key that a later write of jobs beyond the flat queue may meet, so that a foreign type refuses the act
        -- while nothing is written. Flat jobs need no such question: theirs is the first write.
        -- 
        -- @cold
        local readTargetsOnce = nil
        local function readTargets(s, admission, pending)
            if readTargetsOnce == nil then
                --- The sorted set of a lane's waiting jobs.
                local function laneKey(base, group)
                    return base .. "g:" .. group .. ":pending"
                end
                --- Reads each key that the steps of these lanes touch, so that a foreign type ends the act while nothing is written. To
                -- be called before the first write. Names of lanes stand at every `step`-th place; each is read once.
                local function readLanes(s, base, groups, step)
                    local call = s.call
                    local stop = #groups
                    if stop == 0 then
                        return
                    end
                    local seen = {}
                    call("LLEN", base .. "ring")
                    call("ZCARD", base .. "rest")
                    for i = 0, stop - 1, step do
                        local group = groups[i + 1]
                        local lane = laneKey(base, group)
                        if seen[lane] ~= true then
                            seen[lane] = true
                            call("SISMEMBER", base .. "paused", group)
                            call("HGET", base .. "glimit", group)
                            call("HGET", base .. "gactive", group)
                            call("ZCARD", lane)
                        end
                    end
                end
                readTargetsOnce = function(s, admission, pending)
                    s.call("ZCARD", pending)
                    s.call("ZCARD", admission.base .. "schedule")
                    readLanes(s, admission.base, admission.lanes, 2)
                end
            end
            return readTargetsOnce(s, admission, pending)
        end
        rare = {badNamed = badNamed, readShape = readShape, badValues = badValues, wantOf = wantOf, tellAdmitted = tellAdmitted, isHeldBack = isHeldBack, placeNamed = placeNamed, writeNamed = writeNamed, startRun = startRun, exceptTwin = exceptTwin, tabulate = tabulate, judgeRows = judgeRows, writeRows = writeRows, addToLanes = addToLanes, readTargets = readTargets}
    end
    return rare[name]
end
--- Keys: base, pending. Arguments: runs of (shape, count, row…). Answers the exceptions.
local function admit(s, keys, args)
    local refusal = checkAdmit(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local admission = startAdmission(keys[1])
    local verdict = admitRuns(s, admission, keys[2], args)
    return verdict == "" and admission.exceptions or s.error(verdict)
end
return admit(s, KEYS, ARGV)
