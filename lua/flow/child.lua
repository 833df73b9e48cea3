-- EMQ.CHILD: Admits a child of a parent, with its link, in one act.
-- KEYS: row, pending, base
-- ARGV: parent_id, parent_queue, policy, shape, id, payload, ...
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
local s = {base = base, branded = branded, call = redis.call, char = char, error = redis.error_reply, int = int, json = json, name = name, now = now, num = tonumber, text = text}
local seldom = nil
--- The instant that a delay from now reaches; a longer one ends at the latest that there is.
local function dueIn(s, ms)
    return math.min(
        s.now() + ms,
        9007199254740991
    )
end
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
--- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
local function isResting(s, base, lane)
    return s.call("ZSCORE", base .. "rest", lane) ~= false
end
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
    return seldom("badName")(s, letter, value)
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
    return s.call("EXISTS", base .. "listeners") == 0 and 0 or seldom("wantOf")(s, base)
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
--- Whether an id is of the kind that the queue admits. Its other eleven bytes are the host's concern.
local function isJobId(id)
    return string.sub(id, 1, 3) == "JOB"
end
--- The score at which a job waits: its priority, 0 when it has none.
local function scoreOf(s, priority)
    return priority == false and 0 or s.num(priority)
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
--- Whether the lane of a row is in strict order. To be asked before the first write.
local function isOrdered(s, base, group)
    return group ~= false and s.call("SISMEMBER", base .. "gordered", group) == 1
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
--- Pushes if one of the ids that this act scheduled stands at the head of the schedule now.
local function pushIfHead(s, base, id)
    local head = s.call("ZRANGE", base .. "schedule", 0, 0)
    if #head > 0 and head[1] == id then
        push(s, base .. "wake")
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
--- The name of the queue of a base key.
local function queueOf(base)
    return string.sub(base, 6, -3)
end
--- Reads the place where a job waits, before the first write: a foreign type ends the act there.
local function readPlace(s, base, group)
    if group == false then
        s.call("ZCARD", base .. "pending")
    else
        readLanes(s, base, {group}, 1)
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
--- The arguments that a job takes.
local function widthOfJob(shape)
    return 3 + #shape
end
--- The name of the first bad part of the job at `at`, empty when it is well formed. `letters` are those it may have.
local function badJob(s, args, at, letters)
    if at >= #args then
        return "shape"
    end
    local shape = args[at + 1]
    local stop = #shape
    if stop > 0 and lettersOf(s, shape)[1] == "" then
        return "shape"
    end
    if at + widthOfJob(shape) > #args then
        return "row"
    end
    if not s.branded(args[at + 2]) then
        return "id"
    end
    for i = 0, stop - 1 do
        local letter = s.char(shape, i)
        if (string.find(letters, letter, nil, true) or 0) - 1 < 0 then
            return "shape"
        end
        local bad = badValue(s, letter, args[at + 3 + i + 1])
        if bad ~= "" then
            return bad
        end
    end
    return ""
end
--- The value of a letter of the job at `at`, empty where it has no such letter.
local function valueOf(args, at, letter)
    local index = (string.find(args[at + 1], letter, nil, true) or 0) - 1
    return index < 0 and "" or args[at + 3 + index + 1]
end
--- The lane of the job at `at`, `false` for none.
local function laneOf(args, at)
    local lane = valueOf(args, at, "g")
    local ____temp_0
    if lane == "" then
        ____temp_0 = false
    else
        ____temp_0 = lane
    end
    return ____temp_0
end
--- The priority of the job at `at`, `false` for none.
local function priorityOf(args, at)
    local priority = valueOf(args, at, "p")
    local ____temp_1
    if priority == "" then
        ____temp_1 = false
    else
        ____temp_1 = priority
    end
    return ____temp_1
end
--- When the job at `at` falls due, -1 for at once.
local function dueAt(s, args, at)
    local instant = valueOf(args, at, "a")
    if instant ~= "" then
        return s.num(instant)
    end
    local delay = valueOf(args, at, "i")
    return delay == "" and -1 or dueIn(
        s,
        s.num(delay)
    )
end
--- Where the job at `at` is going to wait: its state.
local function stateOf(s, base, args, at)
    return dueAt(s, args, at) >= 0 and not isOrdered(
        s,
        base,
        laneOf(args, at)
    ) and "scheduled" or "pending"
end
--- Reads the places that the job at `at` may go to.
local function readJobPlace(s, base, args, at)
    s.call("ZCARD", base .. "schedule")
    s.call("ZCARD", base .. "ttl")
    readPlace(
        s,
        base,
        laneOf(args, at)
    )
end
--- Tells that the job at `at` is added.
local function tellAdded(s, base, args, at, state)
    local more = {
        "state",
        state,
        "name",
        valueOf(args, at, "n"),
        "lane",
        valueOf(args, at, "g")
    }
    more[7] = "alias"
    more[8] = valueOf(args, at, "j")
    tell(
        s,
        base,
        "added",
        args[at + 2],
        more
    )
end
--- Appends one field and its value, unless the value says nothing.
local function addField(fields, name, value, silent)
    if value == "" or value == silent then
        return
    end
    fields[#fields + 1] = name
    fields[#fields + 1] = value
end
--- Adds to the fields of a row those that the letters of the job at `at` name.
local function addLetters(fields, args, at)
    addField(
        fields,
        "group",
        valueOf(args, at, "g"),
        ""
    )
    addField(
        fields,
        "name",
        valueOf(args, at, "n"),
        "default"
    )
    addField(
        fields,
        "priority",
        valueOf(args, at, "p"),
        "0"
    )
    addField(
        fields,
        "opts",
        valueOf(args, at, "o"),
        ""
    )
    addField(
        fields,
        "cost",
        valueOf(args, at, "c"),
        "1"
    )
    local dedup = valueOf(args, at, "d")
    local alias = valueOf(args, at, "j")
    if dedup == "" and alias == "" then
        return
    end
    fields[#fields + 1] = "dedup"
    fields[#fields + 1] = dedup
    addField(fields, "alias", alias, "")
end
--- Writes the row of the job at `at`; `links` are the fields that name its parent, and others of its own.
local function writeRow(s, base, args, at, state, links)
    local fields = {
        "state",
        state,
        "attempts",
        "0",
        "payload",
        args[at + 3]
    }
    for ____, part in ipairs(links) do
        fields[#fields + 1] = part
    end
    if args[at + 1] ~= "" then
        addLetters(fields, args, at)
    end
    local id = args[at + 2]
    s.call(
        "HSET",
        base .. "job:" .. id,
        unpack(fields)
    )
    local expire = valueOf(args, at, "x")
    if expire ~= "" then
        limitTime(
            s,
            base,
            id,
            dueAt(s, args, at),
            expire
        )
    end
end
--- Writes the job at `at` as one that waits for its turn or its time; answers its state.
local function writeJob(s, base, args, at, links)
    local id = args[at + 2]
    local due = dueAt(s, args, at)
    local state = stateOf(s, base, args, at)
    if state == "scheduled" then
        s.call("ZADD", base .. "schedule", due, id)
    else
        letWait(
            s,
            base,
            id,
            laneOf(args, at),
            priorityOf(args, at)
        )
    end
    writeRow(
        s,
        base,
        args,
        at,
        state,
        links
    )
    if state == "pending" and due >= 0 then
        s.call("HSET", base .. "job:" .. id, "due", due)
    end
    return state
end
--- Whether a word is a policy.
local function isPolicy(word)
    return word == "fp" or word == "id" or word == "co" or word == "rm"
end
--- The name of the first bad value of the link at `at`, empty when all suit.
local function badLink(s, args, at)
    if not s.branded(args[at + 1]) then
        return "parent_id"
    end
    if args[at + 2] ~= "" and not s.name(args[at + 2]) then
        return "parent_queue"
    end
    return isPolicy(args[at + 3]) and "" or "policy"
end
--- The policy as the job's own row has it.
local function storedPolicy(word)
    return word == "fp" and word or "id"
end
--- The queue of a link as it is stored: empty for the job's own.
local function storedQueue(base, queue)
    return queue == queueOf(base) and "" or queue
end
--- The fields of a row that name its first parent, by the link at `at`. `childId` is empty for the job's own id.
local function linkFields(base, args, at, childId)
    local fields = {"parent", args[at + 1]}
    local queue = storedQueue(base, args[at + 2])
    if queue ~= "" then
        fields[3] = "parent_queue"
        fields[4] = queue
    end
    fields[#fields + 1] = "parent_policy"
    fields[#fields + 1] = storedPolicy(args[at + 3])
    if args[at + 3] == "rm" then
        fields[#fields + 1] = "forget"
        fields[#fields + 1] = "1"
    end
    if childId ~= "" then
        fields[#fields + 1] = "parent_as"
        fields[#fields + 1] = childId
    end
    return fields
end
--- Writes one further parent of a job, by the link at `at`.
local function addParent(s, base, row, args, at, childId)
    local field = childId == "" and args[at + 1] or args[at + 1] .. "\0" .. childId
    s.call(
        "HSET",
        row .. ":parents",
        field,
        storedPolicy(args[at + 3]) .. "\0" .. storedQueue(base, args[at + 2])
    )
end
--- Whether text may be the name under which a parent knows a child: up to 256 bytes, no NUL.
local function isKey(text)
    return #text <= 256 and (string.find(text, "\0", nil, true) or 0) - 1 < 0
end
--- The name of the first bad value of the child at `at`: id, queue or empty, policy.
local function badChildOf(s, args, at)
    if not s.branded(args[at + 1]) then
        return "child_id"
    end
    if args[at + 2] ~= "" and not s.name(args[at + 2]) then
        return "child_queue"
    end
    return isPolicy(args[at + 3]) and "" or "policy"
end
--- The name of the first bad value of the group at `at`.
local function badGroup(s, args, at, own)
    local isChild = args[at + 1] == "c"
    if not isChild and args[at + 1] ~= "p" then
        return "group"
    end
    local bad = isChild and badChildOf(s, args, at + 1) or badLink(s, args, at + 1)
    if bad ~= "" then
        return bad
    end
    if args[at + 2] == own then
        return isChild and "child_id" or "parent_id"
    end
    return isKey(args[at + 5]) and (isChild or args[at + 5] == "") and "" or "key"
end
--- The name of the first bad value of the groups from `at` on; how many of them are children must be `open`. `own` is
-- the id of the job, which is neither its own parent nor its own child.
local function badGroups(s, args, from, open, own)
    local stop = #args
    local seen = {}
    local children = 0
    if stop - from > 1000 * 5 then
        return "group"
    end
    for at = from, stop - 1, 5 do
        local bad = at + 5 > stop and "group" or badGroup(s, args, at, own)
        if bad ~= "" then
            return bad
        end
        if args[at + 1] == "c" then
            if seen["s:" .. args[at + 2]] == true then
                return "child_id"
            end
            seen["s:" .. args[at + 2]] = true
            children = children + 1
        end
    end
    return (children == 0 or children == open) and "" or "n"
end
--- The name of the first bad argument of `CHILD`: link, job, then perhaps further links.
local function badChild(s, args, from)
    local bad = badLink(s, args, 0)
    if bad ~= "" then
        return bad
    end
    local wrong = badJob(s, args, from - 3, "npgoaidtjxc")
    if wrong ~= "" then
        return wrong
    end
    if args[1] == args[from - 2 + 1] then
        return "parent_id"
    end
    return badGroups(
        s,
        args,
        from - 3 + widthOfJob(args[from - 3 + 1]),
        -1,
        args[from - 2 + 1]
    )
end
--- Shape, values and layout of `EMQ.CHILD`: the text of the refusal, empty when all is well.
local function checkChild(s, keys, args)
    if #keys ~= 3 then
        return "ERR EMQ.CHILD takes 3 keys"
    end
    if #args < 6 then
        return "ERR wrong number of arguments for 'EMQ.CHILD' command"
    end
    if args[2] ~= "" and not s.name(args[2]) then
        return "ERR EMQ.CHILD bad argument parent_queue"
    end
    if args[3] ~= "fp" and args[3] ~= "id" and args[3] ~= "co" and args[3] ~= "rm" then
        return "ERR EMQ.CHILD bad argument policy"
    end
    local bad = badChild(s, args, 6)
    if bad ~= "" then
        return "ERR EMQ.CHILD bad argument " .. bad
    end
    local base = keys[3]
    if not s.base(base) or keys[1] ~= base .. "job:" .. args[5] or keys[2] ~= base .. "pending" then
        return "ERR EMQ.CHILD keys do not match the wire-4 layout"
    end
    return ""
end
--- Where the links to parents stand: before the job, and behind it.
local function linksOf(args)
    local links = {0}
    local stop = #args
    for at = 3 + widthOfJob(args[3 + 1]), stop - 1, 5 do
        links[#links + 1] = at + 1
    end
    return links
end
--- The job that holds an alias, as id and state; empty when its row is gone.
local function holderOf(s, base, name)
    local id = s.call("GET", base .. "de:" .. name)
    if id == false or not s.branded(id) then
        return {}
    end
    local state = s.call("HGET", base .. "job:" .. id, "state")
    return state == false and ({}) or ({id, state})
end
--- Lets the names of the child hold it.
local function writeNames(s, base, id, dedup, ms, alias)
    if dedup ~= "" and ms ~= "" then
        s.call(
            "SET",
            base .. "de:" .. dedup,
            id,
            "PXAT",
            dueIn(
                s,
                s.num(ms)
            )
        )
    elseif dedup ~= "" then
        s.call("SET", base .. "de:" .. dedup, id)
    end
    if alias ~= "" then
        s.call("SET", base .. "de:" .. alias, id)
    end
end
--- Lets the job `id` stand for the child; answers `reply`, or the refusal.
local function standIn(s, base, id, args, reply)
    local links = linksOf(args)
    for ____, at in ipairs(links) do
        if args[at + 1] == id then
            return s.error("EMQSTATE job is its own parent")
        end
    end
    local full = seldom("linkExisting")(
        s,
        base,
        id,
        args,
        links,
        args[3 + 2]
    )
    local ____temp_0
    if full == "" then
        ____temp_0 = reply
    else
        ____temp_0 = s.error(full)
    end
    return ____temp_0
end
--- Any of the functions that most acts do not call; they are made when the first is asked for.
local rare = nil
seldom = function(name)
    if rare == nil then
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
        --- What those who listen want: 1 events, 2 results in them too. They are there; the text of `listeners` is until when
        -- somebody wants results, in server milliseconds.
        -- 
        -- @cold
        local function wantOf(s, base)
            local ____until = s.call("GET", base .. "listeners")
            return ____until ~= false and s.int(____until, 0, 9007199254740991) and s.num(____until) > s.now() and 2 or 1
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
        --- Links a job that exists to the parents of the links at these places, as the child `childId`, unless it is. Answers
        -- the refusal, empty for none.
        -- 
        -- @cold
        local linkExistingOnce = nil
        local function linkExisting(s, base, id, args, links, childId)
            if linkExistingOnce == nil then
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
                --- Signals a completion to all that do not hear of it in the act. `result` is `false` for none.
                -- 
                -- @cold
                local function signalDone(s, base, kin, result)
                    local far = kin.far
                    local stop = #far
                    for i = 0, stop - 1, 4 do
                        local said = result == false and far[i + 3] or result
                        s.call("RPUSH", base .. "flow:outbox", far[i + 1] .. "\0" .. far[i + 2] .. "\0" .. far[i + 3] .. "\0" .. said)
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
                --- Whether a job is linked to the parent of the link at `at` under this id.
                local function isLinked(s, base, id, args, at, childId)
                    local row = base .. "job:" .. id
                    local fields = s.call(
                        "HMGET",
                        row,
                        "parent",
                        "parent_queue",
                        "parent_as"
                    )
                    local queue = fields[2] == false and "" or fields[2]
                    local known = fields[3] == false and id or fields[3]
                    if fields[1] == args[at + 1] and queue == storedQueue(base, args[at + 2]) and known == childId then
                        return true
                    end
                    return s.call("HEXISTS", row .. ":parents", childId == id and args[at + 1] or args[at + 1] .. "\0" .. childId) == 1
                end
                --- The places of those links that a job does not have yet. Reads what writing them touches.
                local function missingLinks(s, base, id, args, links, childId)
                    local missing = {}
                    s.call("HLEN", base .. "job:" .. id .. ":parents")
                    for ____, at in ipairs(links) do
                        if not isLinked(
                            s,
                            base,
                            id,
                            args,
                            at,
                            childId
                        ) then
                            missing[#missing + 1] = at
                        end
                    end
                    return missing
                end
                --- Answers for a job that is over: its outcome goes to the parents of these links.
                local function answerFor(s, base, fields, args, links, childId)
                    local own = queueOf(base)
                    local far = {}
                    for ____, at in ipairs(links) do
                        local next = #far
                        far[next + 1] = args[at + 2] == "" and own or args[at + 2]
                        far[next + 2] = args[at + 1]
                        far[next + 3] = childId
                        far[next + 4] = storedPolicy(args[at + 3])
                    end
                    local kin = {parent = "", child = childId, policy = "id", far = far}
                    callDeliverer(
                        s,
                        base,
                        nothingTold()
                    )
                    if fields[1] == "completed" then
                        signalDone(s, base, kin, fields[2])
                    else
                        signalFailed(
                            s,
                            base,
                            kin,
                            fields[3] == false and "" or fields[3],
                            false
                        )
                    end
                end
                linkExistingOnce = function(s, base, id, args, links, childId)
                    local row = base .. "job:" .. id
                    local missing = missingLinks(
                        s,
                        base,
                        id,
                        args,
                        links,
                        childId
                    )
                    if #missing == 0 then
                        return ""
                    end
                    local fields = s.call(
                        "HMGET",
                        row,
                        "state",
                        "result",
                        "last_error",
                        "parent"
                    )
                    if fields[1] == "completed" or fields[1] == "dead" then
                        answerFor(
                            s,
                            base,
                            fields,
                            args,
                            missing,
                            childId
                        )
                        return ""
                    end
                    if s.call("HLEN", row .. ":parents") + #missing > 1000 then
                        return "EMQFULL parents of a job"
                    end
                    local name = childId == id and "" or childId
                    local hasFirst = fields[4] ~= false
                    for ____, at in ipairs(missing) do
                        if hasFirst then
                            addParent(
                                s,
                                base,
                                row,
                                args,
                                at,
                                name
                            )
                        else
                            s.call(
                                "HSET",
                                row,
                                unpack(linkFields(base, args, at, name))
                            )
                        end
                        hasFirst = true
                    end
                    return ""
                end
            end
            return linkExistingOnce(s, base, id, args, links, childId)
        end
        rare = {badName = badName, wantOf = wantOf, isHeldBack = isHeldBack, linkExisting = linkExisting}
    end
    return rare[name]
end
--- Keys: row, pending, base. Arguments: link, job, groups. Answers 1, 0, or the verdict of a name.
local function child(s, keys, args)
    local refusal = checkChild(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local base = keys[3]
    local id = args[3 + 2]
    if not isJobId(id) then
        return s.error("EMQKIND job id must be JOB-namespaced")
    end
    if s.call("EXISTS", keys[1]) == 1 then
        return standIn(
            s,
            base,
            id,
            args,
            0
        )
    end
    local alias = valueOf(args, 3, "j")
    local named = alias == "" and ({}) or holderOf(s, base, alias)
    if #named > 0 then
        return standIn(
            s,
            base,
            named[1],
            args,
            {1, named[1], named[2]}
        )
    end
    local dedup = valueOf(args, 3, "d")
    local held = dedup == "" and ({}) or holderOf(s, base, dedup)
    if #held > 0 and held[2] ~= "dead" and held[2] ~= "completed" then
        return standIn(
            s,
            base,
            held[1],
            args,
            {2, held[1]}
        )
    end
    local open = isOpen(s, base)
    readJobPlace(s, base, args, 3)
    if heardBy(s, base) > 0 then
        tellAdded(
            s,
            base,
            args,
            3,
            stateOf(s, base, args, 3)
        )
    end
    local links = linksOf(args)
    local state = writeJob(
        s,
        base,
        args,
        3,
        linkFields(base, args, 0, "")
    )
    do
        local i = 1
        while i < #links do
            addParent(
                s,
                base,
                keys[1],
                args,
                links[i + 1],
                ""
            )
            i = i + 1
        end
    end
    writeNames(
        s,
        base,
        id,
        dedup,
        valueOf(args, 3, "t"),
        alias
    )
    pushIfClaimable(s, base, open)
    if state == "scheduled" then
        pushIfHead(s, base, id)
    end
    return 1
end
return child(s, KEYS, ARGV)
