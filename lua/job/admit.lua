-- EMQ.ADMIT: Admits up to 1000 jobs in one act.
-- KEYS: base, pending
-- ARGV: ...
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
local s = {base = base, call = redis.call, char = char, error = redis.error_reply, int = int, name = name, now = now, num = tonumber}
--- Rows of one act, at most.
local ROWS_MAX = 1000
--- Payload bytes of one act, at most, unless a single row holds more.
local PAYLOAD_MAX = 1048576
--- The letters of a shape in their order; `a` and `i` exclude each other.
local LETTERS = "npgoai"
--- The longest delay or instant, the last that a score holds exactly.
local MS_MAX = 9007199254740991
--- The largest priority, 2^21.
local PRIORITY_MAX = 2097152
--- The longest name of a lane or job, in bytes.
local NAME_MAX = 256
--- The letters of a shape, or one empty text when it is no shape: a letter unknown, twice or out of order.
local function lettersOf(s, shape)
    local letters = {}
    local last = -1
    local stop = #shape
    do
        local i = 0
        while i < stop do
            local letter = s.char(shape, i)
            local at = (string.find(LETTERS, letter, nil, true) or 0) - 1
            if at <= last then
                return {""}
            end
            last = at
            letters[i + 1] = letter
            i = i + 1
        end
    end
    return (string.find(shape, "ai", nil, true) or 0) - 1 < 0 and letters or ({""})
end
--- The name of a bad value, empty when the value suits its letter.
local function badValue(s, letter, value)
    if letter == "p" then
        return s.int(value, 0, PRIORITY_MAX) and "" or "priority"
    end
    if letter == "g" then
        return s.name(value) and "" or "lane"
    end
    if letter == "n" then
        return #value <= NAME_MAX and "" or "name"
    end
    if letter == "o" then
        return ""
    end
    return s.int(value, 0, MS_MAX) and "" or "due"
end
--- The name of the first bad argument from position `from` on, empty when all runs are well formed.
local function badAdmitRow(s, args, from)
    local stop = #args
    local at = from
    local rows = 0
    local payload = 0
    if at >= stop then
        return "shape"
    end
    while at < stop do
        local shape = args[at + 1]
        local letters = lettersOf(s, shape)
        if #shape > 0 and letters[1] == "" then
            return "shape"
        end
        if at + 1 >= stop or not s.int(args[at + 1 + 1], 1, ROWS_MAX) then
            return "count"
        end
        local count = s.num(args[at + 1 + 1])
        local width = 2 + #shape
        local past = at + 2 + count * width
        rows = rows + count
        if rows > ROWS_MAX then
            return "count"
        end
        if past > stop then
            return "row"
        end
        do
            local row = at + 2
            while row < past do
                payload = payload + #args[row + 1 + 1]
                do
                    local i = 2
                    while i < width do
                        local bad = badValue(s, letters[i - 2 + 1], args[row + i + 1])
                        if bad ~= "" then
                            return bad
                        end
                        i = i + 1
                    end
                end
                row = row + width
            end
        end
        at = past
    end
    return rows > 1 and payload > PAYLOAD_MAX and "payload" or ""
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
--- The sorted set of a lane's waiting jobs.
local function laneKey(base, group)
    return ((base .. "g:") .. group) .. ":pending"
end
--- Whether a lane may be served when it has work: not paused, and fewer jobs leased than its limit.
local function isServable(s, base, group)
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
    do
        local i = 0
        while i < stop do
            local group = groups[i + 1]
            local lane = laneKey(base, group)
            if seen[lane] ~= true then
                seen[lane] = true
                call("SISMEMBER", base .. "paused", group)
                call("HGET", base .. "glimit", group)
                call("HGET", base .. "gactive", group)
                call("ZCARD", lane)
            end
            i = i + step
        end
    end
end
--- The refusal of an id of another kind.
local NO_JOB_ID = "EMQKIND job id must be JOB-namespaced"
--- Whether an id is of the kind that the queue admits. Its other eleven bytes are the host's concern.
local function isJobId(id)
    return string.sub(id, 1, 3) == "JOB"
end
--- The largest instant; a longer delay ends there.
local LAST_INSTANT = 9007199254740991
--- The instant that a delay from now reaches.
local function dueIn(s, ms)
    return math.min(
        s.now() + ms,
        LAST_INSTANT
    )
end
--- The list stays within 64 tokens for foreign readers; 62 is the last index kept before one more is pushed.
local LAST_KEPT = 62
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
        call("LTRIM", wake, 0, LAST_KEPT)
        call("LPUSH", wake, "1")
    end
end
--- Pushes if the queue is claimable: not paused, and flat work or a servable lane waits. `open` is what {@link isOpen}
-- said before the first write of the act.
local function pushIfClaimable(s, base, open)
    local call = s.call
    local wake = base .. "wake"
    if open and call("EXISTS", wake) == 0 and call("EXISTS", base .. "pending", base .. "ring") > 0 then
        push(s, wake)
    end
end
--- Keys or members of one call, well below what a call can spread.
local SPREAD_MAX = 400
--- Offset of a letter's value within a row, 0 for none.
local function offsetOf(shape, letter)
    local at = (string.find(shape, letter, nil, true) or 0) - 1
    return at < 0 and 0 or at + 2
end
--- A run of a shape, with no rows yet.
local function startRun(shape)
    return {
        name = offsetOf(shape, "n"),
        priority = offsetOf(shape, "p"),
        lane = offsetOf(shape, "g"),
        opts = offsetOf(shape, "o"),
        dueAt = offsetOf(shape, "a"),
        dueIn = offsetOf(shape, "i"),
        fresh = {},
        keys = {}
    }
end
--- Decides where one new row will wait; answers its state.
local function place(s, admission, run, args, at)
    local id = args[at + 1]
    if run.dueAt + run.dueIn > 0 then
        local later = admission.later
        local size = #later
        later[size + 1] = run.dueAt > 0 and s.num(args[at + run.dueAt + 1]) or dueIn(
            s,
            s.num(args[at + run.dueIn + 1])
        )
        later[size + 1 + 1] = id
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
        flat[size + 1 + 1] = id
    end
    return "pending"
end
--- Whether one of up to any number of rows exists already.
local function anyExists(s, rows)
    local part = {}
    local stop = #rows
    if stop <= SPREAD_MAX then
        return s.call(
            "EXISTS",
            unpack(rows)
        ) > 0
    end
    do
        local i = 0
        while i < stop do
            part[#part + 1] = rows[i + 1]
            if #part >= SPREAD_MAX or i == stop - 1 then
                if s.call(
                    "EXISTS",
                    unpack(part)
                ) > 0 then
                    return true
                end
                part = {}
            end
            i = i + 1
        end
    end
    return false
end
--- Reports a row whose id exists, or stands further up in this act.
local function exceptTwin(s, admission, id, row, position)
    local own = admission.admitted[id]
    local ____temp_0
    if own == nil then
        ____temp_0 = s.call("HGET", row, "state")
    else
        ____temp_0 = own
    end
    local stored = ____temp_0
    local exceptions = admission.exceptions
    exceptions[#exceptions + 1] = position
    exceptions[#exceptions + 1] = {0, stored == false and "unknown" or stored}
end
--- Judges the rows of one run, which begins at `at`; `position` is that of its first row. Answers false for a bad kind.
local function judgeRun(s, admission, args, at, position)
    local shape = args[at + 1]
    local width = 2 + #shape
    local first = at + 2
    local past = first + s.num(args[at + 1 + 1]) * width
    local prefix = admission.base .. "job:"
    local rows = {}
    do
        local row = first
        while row < past do
            if not isJobId(args[row + 1]) then
                return false
            end
            rows[#rows + 1] = prefix .. args[row + 1]
            row = row + width
        end
    end
    local mixed = anyExists(s, rows)
    local run = startRun(shape)
    local admitted = admission.admitted
    local index = 0
    do
        local row = first
        while row < past do
            local id = args[row + 1]
            local key = rows[index + 1]
            if admitted[id] ~= nil or mixed and s.call("EXISTS", key) == 1 then
                exceptTwin(
                    s,
                    admission,
                    id,
                    key,
                    position + index
                )
            else
                admitted[id] = place(
                    s,
                    admission,
                    run,
                    args,
                    row
                )
                run.fresh[#run.fresh + 1] = row
                run.keys[#run.keys + 1] = key
            end
            index = index + 1
            row = row + width
        end
    end
    admission.runs[#admission.runs + 1] = run
    return true
end
--- Appends one field and its value, unless the value says nothing.
local function addField(fields, name, value, silent)
    if value == "" or value == silent then
        return
    end
    fields[#fields + 1] = name
    fields[#fields + 1] = value
end
--- Writes one row that carries more than a name: the three fields of birth, then those that apply.
local function writeRow(s, run, key, args, at)
    local state = run.dueAt + run.dueIn > 0 and "scheduled" or "pending"
    local fields = {
        "state",
        state,
        "attempts",
        "0",
        "payload",
        args[at + 1 + 1]
    }
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
    s.call(
        "HSET",
        key,
        unpack(fields)
    )
end
--- Writes the rows of one run. The two usual shapes, none and a name alone, are written without gathering fields.
local function writeRun(s, run, args)
    local call = s.call
    local plain = run.priority + run.lane + run.opts + run.dueAt + run.dueIn == 0
    local stop = #run.fresh
    do
        local i = 0
        while i < stop do
            local at = run.fresh[i + 1]
            local key = run.keys[i + 1]
            local name = run.name > 0 and args[at + run.name + 1] or ""
            if not plain then
                writeRow(
                    s,
                    run,
                    key,
                    args,
                    at
                )
            elseif name == "" or name == "default" then
                call(
                    "HSET",
                    key,
                    "state",
                    "pending",
                    "attempts",
                    "0",
                    "payload",
                    args[at + 1 + 1]
                )
            else
                call(
                    "HSET",
                    key,
                    "state",
                    "pending",
                    "attempts",
                    "0",
                    "payload",
                    args[at + 1 + 1],
                    "name",
                    name
                )
            end
            i = i + 1
        end
    end
end
--- Adds scores and members to a set, in calls that can be spread.
local function addMembers(s, set, members)
    local part = {}
    local stop = #members
    if stop > 0 and stop <= SPREAD_MAX then
        s.call(
            "ZADD",
            set,
            unpack(members)
        )
        return
    end
    do
        local i = 0
        while i < stop do
            part[#part + 1] = members[i + 1]
            if #part >= SPREAD_MAX or i == stop - 1 then
                s.call(
                    "ZADD",
                    set,
                    unpack(part)
                )
                part = {}
            end
            i = i + 1
        end
    end
end
--- Adds jobs to their lanes; a lane whose first member it is comes onto the ring.
local function addToLanes(s, admission)
    local call = s.call
    local base = admission.base
    local lanes = admission.lanes
    local stop = #lanes
    do
        local i = 0
        while i < stop do
            local lane = laneKey(base, lanes[i + 1])
            local added = call("ZADD", lane, admission.laneScores[i / 2 + 1], lanes[i + 1 + 1])
            if added == 1 and call("ZCARD", lane) == 1 and isServable(s, base, lanes[i + 1]) then
                call("RPUSH", base .. "ring", lanes[i + 1])
            end
            i = i + 2
        end
    end
end
--- Reads every key that a later write may meet, so that a foreign type refuses the act while nothing is written.
local function readTargets(s, admission, pending)
    local call = s.call
    local base = admission.base
    local lanes = admission.lanes
    local stop = #lanes
    if #admission.later + stop > 0 then
        call("ZCARD", pending)
        call("ZCARD", base .. "schedule")
    end
    readLanes(s, base, lanes, 2)
end
--- Keys: base, pending. Arguments: runs of (shape, count, row…). Answers the exceptions.
local function admit(s, keys, args)
    local refusal = checkAdmit(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local base = keys[1]
    local admission = {
        base = base,
        runs = {},
        exceptions = {},
        admitted = {},
        flat = {},
        later = {},
        lanes = {},
        laneScores = {}
    }
    local stop = #args
    local at = 0
    local position = 0
    while at < stop do
        if not judgeRun(
            s,
            admission,
            args,
            at,
            position
        ) then
            return s.error(NO_JOB_ID)
        end
        local count = s.num(args[at + 1 + 1])
        position = position + count
        at = at + (2 + count * (2 + #args[at + 1]))
    end
    if #admission.exceptions == position * 2 then
        return admission.exceptions
    end
    local open = isOpen(s, base)
    readTargets(s, admission, keys[2])
    addMembers(s, keys[2], admission.flat)
    addMembers(s, base .. "schedule", admission.later)
    for ____, run in ipairs(admission.runs) do
        writeRun(s, run, args)
    end
    addToLanes(s, admission)
    pushIfClaimable(s, base, open)
    if #admission.later > 0 then
        local head = s.call("ZRANGE", base .. "schedule", 0, 0)
        if #head > 0 and admission.admitted[head[1]] == "scheduled" then
            push(s, base .. "wake")
        end
    end
    return admission.exceptions
end
return admit(s, KEYS, ARGV)
