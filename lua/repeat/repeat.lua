-- EMQ.REPEAT: Registers a repeat, or gives it another content.
-- KEYS: set, record, base
-- ARGV: name, mode, every_ms, template, first_at, ...
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
--- One byte of a text, counted from 0.
local function char(text, index)
    return string.sub(text, index + 1, index + 1)
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
local s = {base = base, call = redis.call, char = char, error = redis.error_reply, int = int, name = name, now = now, num = tonumber, text = text}
local seldom = nil
--- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
local function isResting(s, base, lane)
    return s.call("ZSCORE", base .. "rest", lane) ~= false
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
--- The letter of `ADMIT` that a word stands for, empty for a word of the repeat itself.
local function letterOf(word)
    if word == "name" then
        return "n"
    end
    if word == "priority" then
        return "p"
    end
    if word == "group" then
        return "g"
    end
    if word == "opts" then
        return "o"
    end
    if word == "due_in" then
        return "i"
    end
    if word == "dedup" then
        return "d"
    end
    if word == "mode" then
        return "m"
    end
    if word == "dedup_ms" then
        return "t"
    end
    if word == "max_wait_ms" then
        return "w"
    end
    if word == "lane_limit" then
        return "l"
    end
    if word == "expire_ms" then
        return "x"
    end
    return word == "cost" and "c" or ""
end
--- Whether a value suits a word of the repeat itself.
local function isOwnValue(s, word, value)
    if word == "limit" then
        return s.int(value, 1, 9007199254740991)
    end
    if word == "until" then
        return s.int(value, 0, 9007199254740991)
    end
    if word == "overlap" then
        return value ~= "" and (string.find(value, " ", nil, true) or 0) - 1 < 0 and (string.find(" allow skip queue ", " " .. value .. " ", nil, true) or 0) - 1 >= 0
    end
    return #value <= 4096
end
--- Whether options are an object, as far as its braces tell: the acts put the slot in at its beginning.
local function isObject(s, opts)
    return s.char(opts, 0) == "{" and s.char(opts, #opts - 1) == "}"
end
--- The name of the first bad argument from position `from` on, empty when all pairs are well formed.
local function badRepeat(s, args, from)
    local stop = #args
    local values = {}
    local shape = ""
    local last = -1
    local isQueued = false
    local at = from
    while at < stop do
        local word = args[at + 1]
        local place = (word == "" or (string.find(word, " ", nil, true) or 0) - 1 >= 0) and -1 or (string.find(" name priority group opts due_in dedup mode dedup_ms max_wait_ms lane_limit expire_ms cost limit until overlap rule policy ", " " .. word .. " ", nil, true) or 0) - 1
        if place <= last then
            return "word"
        end
        if at + 1 >= stop then
            return "value"
        end
        last = place
        local letter = letterOf(word)
        local value = args[at + 2]
        if letter ~= "" then
            shape = shape .. letter
            values[#values + 1] = value
            if letter == "o" and not isObject(s, value) then
                return "opts"
            end
        elseif not isOwnValue(s, word, value) then
            return word
        end
        if word == "overlap" and value == "queue" then
            isQueued = true
        end
        at = at + 2
    end
    if isQueued and (string.find(shape, "g", nil, true) or 0) - 1 < 0 then
        return "group"
    end
    local row = {shape, "1", "", args[3 + 1]}
    for ____, value in ipairs(values) do
        row[#row + 1] = value
    end
    return badAdmitRow(s, row, 0)
end
--- The value of a word among the pairs of a call, `false` where there is none.
local function pairOf(args, word)
    local stop = #args
    for i = 5, stop - 1, 2 do
        if args[i + 1] == word then
            return args[i + 2]
        end
    end
    return false
end
--- Shape, values and layout of `EMQ.REPEAT`: the text of the refusal, empty when all is well.
local function checkRepeat(s, keys, args)
    if #keys ~= 3 then
        return "ERR EMQ.REPEAT takes 3 keys"
    end
    if #args < 5 then
        return "ERR wrong number of arguments for 'EMQ.REPEAT' command"
    end
    if not s.name(args[1]) then
        return "ERR EMQ.REPEAT bad argument name"
    end
    if args[2] ~= "create" and args[2] ~= "replace" then
        return "ERR EMQ.REPEAT bad argument mode"
    end
    if not s.int(args[3], 0, 9007199254740991) then
        return "ERR EMQ.REPEAT bad argument every_ms"
    end
    if not s.int(args[5], 0, 9007199254740991) then
        return "ERR EMQ.REPEAT bad argument first_at"
    end
    local bad = badRepeat(s, args, 5)
    if bad ~= "" then
        return "ERR EMQ.REPEAT bad argument " .. bad
    end
    local base = keys[3]
    local plane = keys[1] == base .. "cron" and "cron" or "repeat"
    if not s.base(base) or keys[1] ~= base .. plane or keys[2] ~= base .. plane .. ":" .. args[1] then
        return "ERR EMQ.REPEAT keys do not match the wire-4 layout"
    end
    return ""
end
--- The number in a counter field, 0 when it is absent.
local function countOf(s, field)
    return field == false and 0 or s.num(field)
end
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
--- Sets the limit of a lane, 0 for none, and takes the lane over the line of the ring if that moves it there. Everything
-- that it touches is read before its first write, which does not grow.
local function setLimit(s, base, group, limit)
    local call = s.call
    local before = call("HGET", base .. "glimit", group)
    local active = countOf(
        s,
        call("HGET", base .. "gactive", group)
    )
    local mayWait = call("SISMEMBER", base .. "paused", group) == 0 and not isResting(s, base, group)
    local waits = mayWait and call(
        "ZCARD",
        laneKey(base, group)
    ) > 0
    call("LLEN", base .. "ring")
    local was = waits and (before == false or active < s.num(before))
    local is = waits and (limit == 0 or active < limit)
    call("HDEL", base .. "glimit", group)
    if limit > 0 then
        call("HSET", base .. "glimit", group, limit)
    end
    if was and not is then
        call("LREM", base .. "ring", 1, group)
    end
    if is and not was then
        call("RPUSH", base .. "ring", group)
    end
end
--- Whether the lane of a repeat has settings that may go: there are any, and nothing is in it. Reads what
-- {@link freeLane} will meet, so it stands before the first write.
local function mayFreeLane(s, base, overlap, group)
    local call = s.call
    if overlap ~= "queue" or group == false then
        return false
    end
    readLanes(s, base, {group}, 1)
    call("SCARD", base .. "gordered")
    return call(
        "ZCARD",
        laneKey(base, group)
    ) == 0 and call("HEXISTS", base .. "gactive", group) == 0
end
--- Takes the limit and the order of such a lane away.
local function freeLane(s, base, group)
    setLimit(s, base, group, 0)
    s.call("SREM", base .. "gordered", group)
end
--- A number of a record, 0 where it is absent or none.
local function numberOf(s, field)
    return field ~= false and s.int(field, 0, 9007199254740991) and s.num(field) or 0
end
--- The fields that a call decides, in the order of the words of its pairs, and how far the repeat has come.
local function contentFields()
    return {
        "every_ms",
        "template",
        "name",
        "priority",
        "group",
        "opts",
        "due_in",
        "dedup",
        "mode",
        "dedup_ms",
        "max_wait_ms",
        "lane_limit",
        "expire_ms",
        "cost",
        "limit",
        "until",
        "overlap",
        "rule",
        "policy",
        "rev",
        "fired"
    }
end
--- Whether the record holds what the call says, and nothing else that a call says.
local function isSame(fields, before, args)
    if before[1] ~= args[3] or before[2] ~= args[4] then
        return false
    end
    for i = 2, 19 - 1 do
        if before[i + 1] ~= pairOf(args, fields[i + 1]) then
            return false
        end
    end
    return true
end
--- Whether the call leaves it as it was when the repeat occurs.
local function isSameRule(before, args)
    return before[1] == args[3] and before[17 + 1] == pairOf(args, "rule")
end
--- The next occurrence that the call leaves: what it was, `first_at`, or none.
local function nextAfterChange(s, before, score, args, fired)
    local first = s.num(args[5])
    local limit = pairOf(args, "limit")
    local ____until = pairOf(args, "until")
    local isKept = isSameRule(before, args) and before[15 + 1] == ____until and before[14 + 1] == limit
    local old = score ~= false and s.int(score, 0, 9007199254740991) and s.num(score) or 9007199254740991
    local next = isKept and old < 9007199254740991 and old or first
    if limit ~= false and fired >= s.num(limit) then
        return 9007199254740991
    end
    return ____until ~= false and next > s.num(____until) and 9007199254740991 or next
end
--- Whether an instant comes before all others of the set.
local function isFirst(s, set, at)
    if at == 9007199254740991 then
        return false
    end
    local head = s.call("ZRANGE", set, 0, 0)
    if #head == 0 then
        return true
    end
    local score = s.call("ZSCORE", set, head[1])
    return score == false or not s.int(score, 0, 9007199254740991) or at <= s.num(score)
end
--- Whether the jobs of the repeat leave a lane in which they ran one after another, and nothing else is in it.
local function leavesLane(s, base, before, args)
    local group = before[4 + 1]
    if pairOf(args, "overlap") == "queue" and pairOf(args, "group") == group then
        return false
    end
    return mayFreeLane(s, base, before[16 + 1], group)
end
--- Takes out of the record what the call does not say any more, and puts in what it says.
local function writeContent(s, record, fields, before, args, rev)
    local gone = {}
    for i = 2, 19 - 1 do
        if before[i + 1] ~= false and pairOf(args, fields[i + 1]) == false then
            gone[#gone + 1] = fields[i + 1]
        end
    end
    local said = {"every_ms", args[3], "template", args[4]}
    local stop = #args
    for i = 5, stop - 1 do
        said[#said + 1] = args[i + 1]
    end
    if rev > 0 then
        said[#said + 1] = "rev"
        said[#said + 1] = s.text(rev)
    end
    s.call(
        "HSET",
        record,
        unpack(said)
    )
    if #gone > 0 then
        s.call(
            "HDEL",
            record,
            unpack(gone)
        )
    end
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
        rare = {badNamed = badNamed, readShape = readShape, badValues = badValues}
    end
    return rare[name]
end
--- Keys: set, record, base. Arguments: name, mode, every_ms, template, first_at, pairs. Answers 1, 0 or 2.
local function repeatAct(s, keys, args)
    local refusal = checkRepeat(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local name = args[1]
    local fields = contentFields()
    local before = call(
        "HMGET",
        keys[2],
        unpack(fields)
    )
    local exists = before[2] ~= false
    local score = call("ZSCORE", keys[1], name)
    local mayReplace = args[2] == "replace"
    if exists and (not mayReplace or score ~= false and isSame(fields, before, args)) then
        return 0
    end
    if score == false and call("ZCARD", keys[1]) >= 100000 then
        return s.error("EMQFULL repeats")
    end
    local fired = exists and isSameRule(before, args) and numberOf(s, before[20 + 1]) or 0
    local next = nextAfterChange(
        s,
        before,
        score,
        args,
        fired
    )
    local ____leavesLane_result_0
    if leavesLane(s, keys[3], before, args) then
        ____leavesLane_result_0 = before[4 + 1]
    else
        ____leavesLane_result_0 = false
    end
    local lane = ____leavesLane_result_0
    if isFirst(s, keys[1], next) then
        call("PUBLISH", keys[3] .. "control", "r")
    end
    call("ZADD", keys[1], next, name)
    local rev = mayReplace and math.max(
        s.now(),
        numberOf(s, before[19 + 1]) + 1
    ) or 0
    writeContent(
        s,
        keys[2],
        fields,
        before,
        args,
        rev
    )
    if exists and fired == 0 then
        call("HDEL", keys[2], "fired")
    end
    if lane ~= false then
        freeLane(s, keys[3], lane)
    end
    return exists and 2 or 1
end
return repeatAct(s, KEYS, ARGV)
