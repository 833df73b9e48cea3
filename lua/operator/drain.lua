-- EMQ.DRAIN: Removes jobs that wait, oldest first.
-- KEYS: pending, base, ...
-- ARGV: budget, lanes
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
local s = {base = base, call = redis.call, char = char, error = redis.error_reply, int = int, json = json, now = now, num = tonumber, text = text}
local seldom = nil
--- Shape, values and layout of `EMQ.DRAIN`: the text of the refusal, empty when all is well.
local function checkDrain(s, keys, args)
    if #keys < 2 then
        return "ERR EMQ.DRAIN takes 2 keys"
    end
    if #args ~= 2 then
        return "ERR wrong number of arguments for 'EMQ.DRAIN' command"
    end
    if not s.int(args[1], 0, 1000) then
        return "ERR EMQ.DRAIN bad argument budget"
    end
    if not s.int(args[2], 0, 1) then
        return "ERR EMQ.DRAIN bad argument lanes"
    end
    local base = keys[2]
    if not s.base(base) or keys[1] ~= base .. "pending" then
        return "ERR EMQ.DRAIN keys do not match the wire-4 layout"
    end
    do
        local i = 2
        while i < #keys do
            if keys[i + 1] ~= base .. "schedule" then
                return "ERR EMQ.DRAIN keys do not match the wire-4 layout"
            end
            i = i + 1
        end
    end
    return ""
end
--- Removes members from a sorted set.
local function removeMembers(s, set, members)
    local stop = #members
    if stop > 0 and stop <= 400 then
        s.call(
            "ZREM",
            set,
            unpack(members)
        )
        return
    end
    local part = {}
    for i = 0, stop - 1 do
        part[#part + 1] = members[i + 1]
        if #part >= 400 or i == stop - 1 then
            s.call(
                "ZREM",
                set,
                unpack(part)
            )
            part = {}
        end
    end
end
--- Deletes keys; answers how many there were. `UNLINK` leaves giving the memory back to a thread of the server.
local function deleteKeys(s, command, doomed)
    local stop = #doomed
    if stop > 0 and stop <= 400 then
        return s.call(
            command,
            unpack(doomed)
        )
    end
    local part = {}
    local deleted = 0
    for i = 0, stop - 1 do
        part[#part + 1] = doomed[i + 1]
        if #part >= 400 or i == stop - 1 then
            deleted = deleted + s.call(
                command,
                unpack(part)
            )
            part = {}
        end
    end
    return deleted
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
--- The lane whose rate a field of `rate` sets, empty for any other field.
local function ratedLane(s, field)
    return s.char(field, 0) == "m" and string.sub(field, 2) or ""
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
--- The names of a job that is ending, `false` for none; to be read before the first write. `dedup` is that field of its
-- row, and `rowGoes` whether the row goes too, and with it its alias.
local function readNames(s, base, id, dedup, rowGoes)
    local ____temp_1
    if dedup == false then
        ____temp_1 = false
    else
        ____temp_1 = seldom("readNamesOf")(
            s,
            base,
            id,
            dedup,
            rowGoes
        )
    end
    return ____temp_1
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
        seldom("startNext")(s, base, names)
    end
end
--- An act that has said nothing.
local function nothingTold()
    return {outbox = false, decided = {}, read = {}}
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
--- Adds a row and every side key that a job may have to a list of keys to delete.
local function gatherRow(doomed, row)
    local next = #doomed
    doomed[next + 1] = row
    doomed[next + 2] = row .. ":logs"
    doomed[next + 3] = row .. ":lock"
    doomed[next + 4] = row .. ":result"
    doomed[next + 5] = row .. ":dependencies"
    doomed[next + 6] = row .. ":processed"
    doomed[next + 7] = row .. ":failed"
    doomed[next + 8] = row .. ":unsuccessful"
    doomed[next + 9] = row .. ":parents"
    doomed[next + 10] = row .. ":children"
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
--- Notes an end before the first write; `false` for a job without parents. `parent` is that field of its row, `how` is
-- `done`, `failed` or `removed`, and `wakes` is whether a parent that is released wakes a worker: not in a `TURN`,
-- which sees to all work that it leaves. `told` is what an act that ends many jobs has told, `false` for any other.
local function noteEnd(s, base, id, parent, how, ____error, wakes, told)
    local ____temp_0
    if parent == false then
        ____temp_0 = false
    else
        ____temp_0 = seldom("noteKin")(
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
        seldom("childFailed")(
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
    seldom("signalFailed")(
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
--- Tells that a job is removed which waited.
local function tellRemoved(s, base, id, dedup, state)
    tellOfJob(
        s,
        base,
        "removed",
        id,
        dedup,
        {"state", state}
    )
end
--- Removes up to `most` jobs from a set of waiting jobs, flat or of a lane; answers how many.
local function drainWaiting(s, base, set, most, heard)
    if most <= 0 then
        return 0
    end
    local ids = s.call("ZRANGE", set, 0, most - 1)
    local doomed = {}
    local held = {}
    local waited = {}
    local tokens = {}
    local notices = {}
    local told = nothingTold()
    for ____, id in ipairs(ids) do
        local row = base .. "job:" .. id
        local fields = s.call(
            "HMGET",
            row,
            "dedup",
            "wait",
            "attempts",
            "parent"
        )
        tokens[#tokens + 1] = lastToken(s, base, fields[3])
        local names = readNames(
            s,
            base,
            id,
            fields[1],
            true
        )
        if waitedUntil(s, fields[2], 0) > 0 then
            waited[#waited + 1] = id
        end
        local notice = noteEnd(
            s,
            base,
            id,
            fields[4],
            "removed",
            "removed",
            true,
            told
        )
        if notice ~= false then
            notices[#notices + 1] = notice
        end
        if heard > 0 then
            tellRemoved(
                s,
                base,
                id,
                fields[1],
                "pending"
            )
        end
        gatherRow(doomed, row)
        if names ~= false then
            held[#held + 1] = names
        end
    end
    local timed = s.call("ZCARD", base .. "ttl")
    for ____, id in ipairs(waited) do
        tellWaiters(s, base, id)
    end
    removeMembers(s, set, ids)
    if timed > 0 then
        removeMembers(s, base .. "ttl", ids)
    end
    deleteKeys(s, "DEL", doomed)
    rememberTokens(s, base, ids, tokens)
    for ____, notice in ipairs(notices) do
        tellGone(s, base, notice)
    end
    for ____, names in ipairs(held) do
        letGo(s, base, names)
    end
    return #ids
end
--- Removes up to `most` jobs from the schedule, the next due first; answers how many.
local function drainScheduled(s, base, schedule, most, heard)
    if most <= 0 then
        return 0
    end
    local call = s.call
    local ids = call("ZRANGE", schedule, 0, most - 1)
    for ____, id in ipairs(ids) do
        local fields = call("HMGET", base .. "job:" .. id, "group", "dedup")
        if heard > 0 then
            tellRemoved(
                s,
                base,
                id,
                fields[2],
                "scheduled"
            )
        end
        erase(
            s,
            base,
            id,
            fields[1],
            fields[2]
        )
    end
    return #ids
end
--- Takes one step of a scan over the lanes that a key of settings names.
local function scanLanes(s, base, settings, cursor)
    local call = s.call
    local key = base .. settings
    local isSet = settings == "paused"
    local page = isSet and call(
        "SSCAN",
        key,
        cursor,
        "COUNT",
        100
    ) or call(
        "HSCAN",
        key,
        cursor,
        "COUNT",
        100
    )
    local found = page[2]
    local stop = #found
    local width = isSet and 1 or 2
    local lanes = {}
    local entries = {}
    for i = 0, stop - 1, width do
        local lane = settings == "rate" and ratedLane(s, found[i + 1]) or found[i + 1]
        if lane ~= "" then
            lanes[#lanes + 1] = lane
            entries[#entries + 1] = found[i + 1]
        end
    end
    return {cursor = page[1], lanes = lanes, entries = entries}
end
--- Drains lanes from the head of the ring; one that is empty leaves it. Answers how many jobs went.
local function drainRing(s, base, budget, heard)
    local call = s.call
    local ring = base .. "ring"
    local drained = 0
    local empty = 0
    while drained < budget and empty < budget do
        local group = call("LINDEX", ring, 0)
        if group == false then
            return drained
        end
        local lane = laneKey(base, group)
        local removed = drainWaiting(
            s,
            base,
            lane,
            budget - drained,
            heard
        )
        if removed == 0 then
            empty = empty + 1
        end
        drained = drained + removed
        if call("EXISTS", lane) == 0 then
            call("LPOP", ring)
        end
    end
    return drained
end
--- Drains lanes that a key of settings names, none of which is on the ring any more. Answers how many jobs went.
local function drainNamed(s, base, settings, budget, heard)
    local drained = 0
    local looks = 0
    local cursor = "0"
    while drained < budget and looks < budget do
        local page = scanLanes(s, base, settings, cursor)
        for ____, lane in ipairs(page.lanes) do
            looks = looks + 1
            if drained < budget then
                drained = drained + drainWaiting(
                    s,
                    base,
                    laneKey(base, lane),
                    budget - drained,
                    heard
                )
            end
        end
        cursor = page.cursor
        if cursor == "0" then
            return drained
        end
    end
    return drained
end
--- Any of the functions that most acts do not call; they are made when the first is asked for.
local rare = nil
seldom = function(name)
    if rare == nil then
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
        --- What those who listen want: 1 events, 2 results in them too. They are there; the text of `listeners` is until when
        -- somebody wants results, in server milliseconds.
        -- 
        -- @cold
        local function wantOf(s, base)
            local ____until = s.call("GET", base .. "listeners")
            return ____until ~= false and s.int(____until, 0, 9007199254740991) and s.num(____until) > s.now() and 2 or 1
        end
        --- Tells a parent that a child has failed, or was removed. `policy` is what the news says, for a parent that was not
        -- told of the child. Answers 1, 2 when the parent is dead by it and has signalled its own parents, or 0 when it says
        -- nothing new. The first write is one that a full server admits.
        -- 
        -- @cold
        local childFailedOnce = nil
        local function childFailed(s, base, parent, child, ____error, policy, isRemoved, open)
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
            if childFailedOnce == nil then
                --- The instant that a delay from now reaches; a longer one ends at the latest that there is.
                local function dueIn(s, ms)
                    return math.min(
                        s.now() + ms,
                        9007199254740991
                    )
                end
                --- Pushes if one of the ids that this act scheduled stands at the head of the schedule now.
                local function pushIfHead(s, base, id)
                    local head = s.call("ZRANGE", base .. "schedule", 0, 0)
                    if #head > 0 and head[1] == id then
                        push(s, base .. "wake")
                    end
                end
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
        rare = {isHeldBack = isHeldBack, readNamesOf = readNamesOf, startNext = startNext, signalFailed = signalFailed, wantOf = wantOf, childFailed = childFailed, noteKin = noteKin}
    end
    return rare[name]
end
--- Keys: pending, base and perhaps schedule. Arguments: budget, lanes. Answers how many jobs were removed.
local function drain(s, keys, args)
    local refusal = checkDrain(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local base = keys[2]
    local budget = s.num(args[1])
    local open = isOpen(s, base)
    local heard = heardBy(s, base)
    local drained = drainWaiting(
        s,
        base,
        keys[1],
        budget,
        heard
    )
    if #keys > 2 then
        drained = drained + drainScheduled(
            s,
            base,
            keys[3],
            budget - drained,
            heard
        )
    end
    if args[2] == "1" then
        drained = drained + drainRing(s, base, budget - drained, heard)
        if s.call("LLEN", base .. "ring") == 0 then
            drained = drained + drainNamed(
                s,
                base,
                "paused",
                budget - drained,
                heard
            )
            drained = drained + drainNamed(
                s,
                base,
                "glimit",
                budget - drained,
                heard
            )
            drained = drained + drainNamed(
                s,
                base,
                "rate",
                budget - drained,
                heard
            )
        end
    end
    pushIfClaimable(s, base, open)
    return drained
end
return drain(s, KEYS, ARGV)
