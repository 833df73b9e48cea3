-- EMQ.FLOW: Admits a parent and its children of one queue in one act.
-- KEYS: row, pending, base, ...
-- ARGV: shape, id, payload, ...
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
--- Writes fields and values in turn into a hash.
local function writePairs(s, key, ____pairs)
    local stop = #____pairs
    if stop > 0 and stop <= 400 then
        s.call(
            "HSET",
            key,
            unpack(____pairs)
        )
        return
    end
    local part = {}
    for i = 0, stop - 1 do
        part[#part + 1] = ____pairs[i + 1]
        if #part >= 400 or i == stop - 1 then
            s.call(
                "HSET",
                key,
                unpack(part)
            )
            part = {}
        end
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
--- Writes the job at `at` as a parent that waits for `open` children. A delay counts from when they have ended, so it
-- stays in the row.
local function writeParent(s, base, args, at, links, open)
    local id = args[at + 2]
    s.call(
        "ZADD",
        base .. "awaiting",
        s.now(),
        id
    )
    addField(
        links,
        "delay",
        valueOf(args, at, "i"),
        "0"
    )
    writeRow(
        s,
        base,
        args,
        at,
        "awaiting_children",
        links
    )
    s.call("SET", base .. "job:" .. id .. ":dependencies", open)
end
--- Whether a word is a policy.
local function isPolicy(word)
    return word == "fp" or word == "id" or word == "co" or word == "rm"
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
--- Where the children of a `FLOW` begin: behind its parent and their number.
local function childrenAt(args)
    return widthOfJob(args[1]) + 1
end
--- The name of the first bad argument of `FLOW`: parent, number of children, then policy and job of each.
local function badFlow(s, args, from)
    local bad = badJob(s, args, from - 3, "npgoixc")
    if bad ~= "" then
        return bad
    end
    local at = childrenAt(args)
    if at > #args or not s.int(args[at], 1, 999) then
        return "n"
    end
    local count = s.num(args[at])
    local seen = {}
    seen["s:" .. args[2]] = true
    local payload = #args[3]
    for i = 0, count - 1 do
        if at >= #args or not isPolicy(args[at + 1]) then
            return "policy"
        end
        local wrong = badJob(s, args, at + 1, "npgoaixc")
        if wrong ~= "" then
            return wrong
        end
        if seen["s:" .. args[at + 3]] == true then
            return "id"
        end
        seen["s:" .. args[at + 3]] = true
        payload = payload + #args[at + 4]
        at = at + (1 + widthOfJob(args[at + 2]))
    end
    if payload > 1048576 then
        return "payload"
    end
    return at == #args and "" or "row"
end
--- Shape, values and layout of `EMQ.FLOW`: the text of the refusal, empty when all is well.
local function checkFlow(s, keys, args)
    if #keys < 3 then
        return "ERR EMQ.FLOW takes 3 keys"
    end
    if #args < 3 then
        return "ERR wrong number of arguments for 'EMQ.FLOW' command"
    end
    local bad = badFlow(s, args, 3)
    if bad ~= "" then
        return "ERR EMQ.FLOW bad argument " .. bad
    end
    local base = keys[3]
    if not s.base(base) or keys[1] ~= base .. "job:" .. args[2] or keys[2] ~= base .. "pending" then
        return "ERR EMQ.FLOW keys do not match the wire-4 layout"
    end
    do
        local i = 3
        while i < #keys do
            if keys[i + 1] ~= base .. "job:" .. string.sub(keys[i + 1], -14) or not s.branded(string.sub(keys[i + 1], -14)) then
                return "ERR EMQ.FLOW keys do not match the wire-4 layout"
            end
            i = i + 1
        end
    end
    return ""
end
--- Where the jobs of the children stand; the policy of each stands before it.
local function jobsOf(args)
    local jobs = {}
    local at = childrenAt(args)
    while at < #args do
        jobs[#jobs + 1] = at + 1
        at = at + (1 + widthOfJob(args[at + 2]))
    end
    return jobs
end
--- Whether the keys behind the third are the rows of the children, in order.
local function isLaidOut(keys, args, jobs)
    local stop = #jobs
    if #keys ~= 3 + stop then
        return false
    end
    for i = 0, stop - 1 do
        if keys[3 + i + 1] ~= keys[3] .. "job:" .. args[jobs[i + 1] + 2] then
            return false
        end
    end
    return true
end
--- Whether none of the children exists, by a question for many at once.
local function areFresh(s, keys)
    local part = {}
    local stop = #keys
    for i = 3, stop - 1 do
        part[#part + 1] = keys[i + 1]
        if #part >= 400 or i == stop - 1 then
            if s.call(
                "EXISTS",
                unpack(part)
            ) > 0 then
                return false
            end
            part = {}
        end
    end
    return true
end
--- The refusal of a flow by its children, empty for none.
local function judgeChildren(s, keys, args, jobs)
    if areFresh(s, keys) then
        return ""
    end
    local stop = #jobs
    for i = 0, stop - 1 do
        if s.call("EXISTS", keys[3 + i + 1]) == 1 then
            return "EMQSTATE child exists " .. args[jobs[i + 1] + 2]
        end
    end
    return ""
end
--- Reads the places that the jobs may go to.
local function readPlaces(s, base, args, jobs)
    local call = s.call
    local lanes = {}
    for ____, at in ipairs(jobs) do
        local lane = laneOf(args, at)
        if lane ~= false then
            lanes[#lanes + 1] = lane
        end
    end
    call("ZCARD", base .. "pending")
    call("ZCARD", base .. "schedule")
    call("ZCARD", base .. "awaiting")
    call("ZCARD", base .. "ttl")
    readLanes(s, base, lanes, 1)
end
--- Tells of all jobs of the flow.
local function tellAll(s, base, args, jobs)
    tellAdded(
        s,
        base,
        args,
        0,
        "awaiting_children"
    )
    for ____, at in ipairs(jobs) do
        tellAdded(
            s,
            base,
            args,
            at,
            stateOf(s, base, args, at)
        )
    end
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
        rare = {badName = badName, wantOf = wantOf, isHeldBack = isHeldBack}
    end
    return rare[name]
end
--- Keys: row, pending, base, rows of the children. Arguments: parent, n, children. Answers n, or 0 for a duplicate.
local function flow(s, keys, args)
    local refusal = checkFlow(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local base = keys[3]
    local jobs = jobsOf(args)
    if not isLaidOut(keys, args, jobs) then
        return s.error("ERR EMQ.FLOW keys do not match the wire-4 layout")
    end
    if not isJobId(args[2]) then
        return s.error("EMQKIND job id must be JOB-namespaced")
    end
    for ____, at in ipairs(jobs) do
        if not isJobId(args[at + 2]) then
            return s.error("EMQKIND job id must be JOB-namespaced")
        end
    end
    if s.call("EXISTS", keys[1]) == 1 then
        return 0
    end
    local taken = judgeChildren(s, keys, args, jobs)
    if taken ~= "" then
        return s.error(taken)
    end
    local open = isOpen(s, base)
    readPlaces(s, base, args, jobs)
    if heardBy(s, base) > 0 then
        tellAll(s, base, args, jobs)
    end
    writeParent(
        s,
        base,
        args,
        0,
        {},
        #jobs
    )
    local known = {}
    local later = {}
    for ____, at in ipairs(jobs) do
        local id = args[at + 2]
        known[#known + 1] = id
        known[#known + 1] = args[at] .. "\0"
        local state = writeJob(
            s,
            base,
            args,
            at,
            linkFields(base, {args[2], "", args[at]}, 0, "")
        )
        if state == "scheduled" then
            later["s:" .. id] = true
        end
    end
    writePairs(s, keys[1] .. ":children", known)
    pushIfClaimable(s, base, open)
    local head = s.call("ZRANGE", base .. "schedule", 0, 0)
    if #head > 0 and later["s:" .. head[1]] == true then
        push(s, base .. "wake")
    end
    return #jobs
end
return flow(s, KEYS, ARGV)
