-- EMQ.SWEEP: Takes back lapsed leases, and ends jobs that lapsed too often.
-- KEYS: active, pending, dead, base
-- ARGV: max_stalled, limit, dead_n, dead_ms, result_ms
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
local s = {base = base, call = redis.call, error = redis.error_reply, int = int, json = json, now = now, num = tonumber, text = text}
local seldom = nil
--- Shape, values and layout of `EMQ.SWEEP`: the text of the refusal, empty when all is well.
local function checkSweep(s, keys, args)
    if #keys ~= 4 then
        return "ERR EMQ.SWEEP takes 4 keys"
    end
    if #args < 2 or #args > 5 then
        return "ERR wrong number of arguments for 'EMQ.SWEEP' command"
    end
    if not s.int(args[1], 0, 2147483648) then
        return "ERR EMQ.SWEEP bad argument max_stalled"
    end
    if not s.int(args[2], 0, 1000) then
        return "ERR EMQ.SWEEP bad argument limit"
    end
    if #args > 2 and not s.int(args[3], 0, 9007199254740991) then
        return "ERR EMQ.SWEEP bad argument dead_n"
    end
    if #args > 3 and not s.int(args[4], 0, 9007199254740991) then
        return "ERR EMQ.SWEEP bad argument dead_ms"
    end
    if #args > 4 and not s.int(args[5], 0, 9007199254740991) then
        return "ERR EMQ.SWEEP bad argument result_ms"
    end
    local base = keys[4]
    if not s.base(base) or keys[1] ~= base .. "active" or keys[2] ~= base .. "pending" or keys[3] ~= base .. "dead" then
        return "ERR EMQ.SWEEP keys do not match the wire-4 layout"
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
--- The instant that a delay from now reaches; a longer one ends at the latest that there is.
local function dueIn(s, ms)
    return math.min(
        s.now() + ms,
        9007199254740991
    )
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
--- The keys of the aliases that jobs hold whose rows are about to go although they ended long ago; the rest of their
-- names went then. To be read before the first write.
local function aliasesOf(s, base, ids)
    local call = s.call
    local keys = {}
    for ____, id in ipairs(ids) do
        local fields = call("HMGET", base .. "job:" .. id, "dedup", "alias")
        if fields[1] ~= false and fields[2] ~= false then
            local alias = base .. "de:" .. fields[2]
            if call("GET", alias) == id then
                keys[#keys + 1] = alias
            end
        end
    end
    return keys
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
--- The number of an argument, or `absent` where there is none or it is empty.
local function given(s, args, at, absent)
    return at < #args and args[at + 1] ~= "" and s.num(args[at + 1]) or absent
end
--- The terms at the end of a verb that ends jobs as dead: keep_n, keep_ms, result_ms from position `at` on.
local function deadTerms(s, args, at)
    local terms = plainTerms()
    terms.deadCount = given(s, args, at, 9007199254740991)
    terms.deadMs = given(s, args, at + 1, 0)
    terms.resultMs = given(s, args, at + 2, 0)
    return terms
end
--- Deletes a kept job's row and side keys, but not an outcome that somebody waits for: that goes by itself.
local function deleteKept(s, row)
    s.call(
        "DEL",
        row,
        row .. ":logs",
        row .. ":lock",
        row .. ":dependencies",
        row .. ":processed",
        row .. ":failed",
        row .. ":unsuccessful",
        row .. ":children",
        row .. ":parents"
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
--- Finds the oldest members of a set that are beyond `count` once the act has added `adding` more: at most nine more
-- than `added` in all, and never one that is yet to be added. To be called before the first write, as it reads their
-- rows.
local function findOldest(s, base, set, count, adding, added)
    local call = s.call
    local key = base .. set
    local size = call("ZCARD", key)
    call("ZCARD", base .. "expiry")
    local excess = count >= 9007199254740991 and 0 or math.min(size + adding - count, adding + added + 10 - 1, size)
    if excess <= 0 then
        return {ids = {}, aliases = {}}
    end
    local ids = call("ZRANGE", key, 0, excess - 1)
    return {
        ids = ids,
        aliases = aliasesOf(s, base, ids)
    }
end
--- Takes away what {@link findOldest} has found in a set.
local function dropOldest(s, base, set, leavers)
    if #leavers.ids == 0 then
        return
    end
    removeMembers(s, base .. set, leavers.ids)
    removeMembers(s, base .. "expiry", leavers.ids)
    local tokens = {}
    for ____, id in ipairs(leavers.ids) do
        local row = base .. "job:" .. id
        tokens[#tokens + 1] = set == "dead" and lastToken(
            s,
            base,
            s.call("HGET", row, "attempts")
        ) or 0
        deleteKept(s, row)
    end
    rememberTokens(s, base, leavers.ids, tokens)
    deleteKeys(s, "DEL", leavers.aliases)
end
--- Finds at most `limit` entries whose time is over, before the first write.
local function findExpired(s, base, limit)
    local call = s.call
    local over = {}
    local tokens = {}
    local aliases = {}
    if limit <= 0 then
        return {ids = {}, over = over, tokens = tokens, aliases = aliases}
    end
    local ids = call(
        "ZRANGEBYSCORE",
        base .. "expiry",
        "-inf",
        s.now(),
        "LIMIT",
        0,
        limit
    )
    if #ids > 0 then
        call("ZCARD", base .. "completed")
        call("ZCARD", base .. "dead")
        call("ZCARD", base .. "tokens")
    end
    for ____, id in ipairs(ids) do
        local fields = call("HMGET", base .. "job:" .. id, "state", "attempts")
        over["over:" .. id] = fields[1] == "completed" or fields[1] == "dead"
        tokens["over:" .. id] = fields[1] == "dead" and lastToken(s, base, fields[2]) or 0
        aliases["over:" .. id] = aliasesOf(s, base, {id})
    end
    return {ids = ids, over = over, tokens = tokens, aliases = aliases}
end
--- Takes away at most `limit` of what {@link findExpired} has found; answers how many entries that were. An entry whose
-- job is not over, or gone, is dropped and nothing else.
local function dropExpired(s, base, expired, limit)
    local ids = {}
    local over = {}
    local tokens = {}
    local aliases = {}
    for ____, id in ipairs(expired.ids) do
        if #ids < limit then
            ids[#ids + 1] = id
            if expired.over["over:" .. id] == true then
                over[#over + 1] = id
                tokens[#tokens + 1] = expired.tokens["over:" .. id]
                for ____, alias in ipairs(expired.aliases["over:" .. id]) do
                    aliases[#aliases + 1] = alias
                end
            end
        end
    end
    removeMembers(s, base .. "expiry", ids)
    removeMembers(s, base .. "completed", over)
    removeMembers(s, base .. "dead", over)
    for ____, id in ipairs(over) do
        deleteKept(s, base .. "job:" .. id)
    end
    rememberTokens(s, base, over, tokens)
    deleteKeys(s, "DEL", aliases)
    return #ids
end
--- The score at which a job waits: its priority, 0 when it has none.
local function scoreOf(s, priority)
    return priority == false and 0 or s.num(priority)
end
--- The number in a counter field, 0 when it is absent.
local function countOf(s, field)
    return field == false and 0 or s.num(field)
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
--- Reads what {@link tally} writes to, before the first write.
local function readTally(s, base, which)
    s.call("HGET", base .. "metrics:" .. which, "count")
    s.call("HLEN", base .. "metrics:" .. which .. ":minutes")
end
--- Counts jobs that ended `completed` or `failed`.
local function tally(s, base, which, count)
    local call = s.call
    local minutes = base .. "metrics:" .. which .. ":minutes"
    local minute = math.floor(s.now() / 60000)
    call("HINCRBY", base .. "metrics:" .. which, "count", count)
    if call("HINCRBY", minutes, minute, count) == count then
        seldom("dropOld")(s, minutes, minute)
    end
end
--- Reads what `deaths` deaths write to, before the first write; answers the dead jobs that go to make room for them. A
-- job that has just died never goes by its own act, so that it can be seen.
local function readDeaths(s, base, terms, deaths)
    readTally(s, base, "failed")
    s.call("ZCARD", base .. "tokens")
    return findOldest(
        s,
        base,
        "dead",
        terms.deadCount == 0 and 9007199254740991 or terms.deadCount,
        deaths,
        0
    )
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
--- An act that has said nothing.
local function nothingTold()
    return {outbox = false, decided = {}, read = {}}
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
--- Lets a job that was begun wait before all others of its ordered lane.
local function letWaitFirst(s, base, id, group)
    s.call("HSET", base .. "job:" .. id, "held", "1")
    enterLane(
        s,
        base,
        group,
        id,
        -1
    )
end
--- Takes a job from where it waits; 1 if it waited there.
local function stopWaiting(s, base, id, group)
    if group == false then
        return s.call("ZREM", base .. "pending", id)
    end
    return leaveLane(s, base, group, id)
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
--- Tells that a job is dead.
local function tellDead(s, base, ending, ____error)
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
            ____error,
            kin.policy,
            false,
            ending.open
        )
    end
    seldom("signalFailed")(
        s,
        base,
        kin,
        ____error,
        false
    )
end
--- Ends a job that lapsed too often. `until` is until when its outcome is left for those who wait for it.
local function killLapsed(s, base, id, stalled, ____error, terms, ____until)
    local call = s.call
    local row = base .. "job:" .. id
    call("HDEL", row, "owner", "held")
    call("HSET", row, "stalled", stalled)
    bury(
        s,
        base,
        id,
        ____error,
        terms,
        ____until
    )
end
--- Whether this lapse of an active job is its last: it was one too many, or the job was to be cancelled.
local function isDoomed(s, fields, maxStalled)
    if maxStalled < 0 or fields[1] ~= "active" then
        return false
    end
    return countOf(s, fields[4]) + 1 >= maxStalled or fields[5] ~= false
end
--- How many of these lapses are the last of their jobs.
local function countDoomed(s, rows, maxStalled)
    local doomed = 0
    for ____, fields in ipairs(rows) do
        if isDoomed(s, fields, maxStalled) then
            doomed = doomed + 1
        end
    end
    return doomed
end
--- Lets a job whose lease lapsed wait again; in an ordered lane before all others.
local function recover(s, base, id, fields, stalled)
    local group = fields[2]
    s.call(
        "HSET",
        base .. "job:" .. id,
        "state",
        "pending",
        "stalled",
        stalled,
        "owner",
        ""
    )
    if fields[9] ~= false and group ~= false then
        letWaitFirst(s, base, id, group)
    else
        letWait(
            s,
            base,
            id,
            group,
            fields[3]
        )
    end
end
--- Reads the rows of ids whose leases lapsed, and all that taking them back may write to.
local function readLapsed(s, base, ids)
    local call = s.call
    local rows = {}
    local groups = {}
    for ____, id in ipairs(ids) do
        local fields = call(
            "HMGET",
            base .. "job:" .. id,
            "state",
            "group",
            "priority",
            "stalled",
            "cancel",
            "dedup",
            "wait",
            "parent"
        )
        local group = fields[2]
        if group ~= false then
            groups[#groups + 1] = group
        end
        fields[9] = isOrdered(s, base, group) and "1" or false
        rows[#rows + 1] = fields
    end
    call("ZCARD", base .. "pending")
    readLanes(s, base, groups, 1)
    return rows
end
--- Reads the names of each job that is to be killed, `false` for one that lives on or has none.
local function readNamesOfDead(s, base, ids, rows, maxStalled, terms)
    local names = {}
    local stop = #ids
    for i = 0, stop - 1 do
        local fields = rows[i + 1]
        local ____isDoomed_result_0
        if isDoomed(s, fields, maxStalled) then
            ____isDoomed_result_0 = fields[6]
        else
            ____isDoomed_result_0 = false
        end
        local dedup = ____isDoomed_result_0
        names[i + 1] = readNames(
            s,
            base,
            ids[i + 1],
            dedup,
            terms.deadCount == 0
        )
    end
    return names
end
--- Finds out for each row until when its outcome is left, 0 for a job that lives on or that nobody waits for, and tells
-- those who wait.
local function tellOfDeaths(s, base, ids, rows, maxStalled, terms)
    local untils = {}
    local stop = #ids
    for i = 0, stop - 1 do
        local fields = rows[i + 1]
        local ____until = isDoomed(s, fields, maxStalled) and waitedUntil(s, fields[7], terms.resultMs) or 0
        if ____until > 0 then
            tellWaiters(s, base, ids[i + 1])
        end
        untils[i + 1] = ____until
    end
    return untils
end
--- The error of a job whose lapse was its last.
local function lastError(fields)
    return fields[5] == false and "stalled" or fields[5]
end
--- Notes for each job that is to be killed who hears of it, `false` for all others.
local function noteDeaths(s, base, ids, rows, maxStalled)
    local notices = {}
    local told = nothingTold()
    local stop = #ids
    for i = 0, stop - 1 do
        local fields = rows[i + 1]
        local ____isDoomed_result_1
        if isDoomed(s, fields, maxStalled) then
            ____isDoomed_result_1 = fields[8]
        else
            ____isDoomed_result_1 = false
        end
        local parent = ____isDoomed_result_1
        notices[i + 1] = noteEnd(
            s,
            base,
            ids[i + 1],
            parent,
            "failed",
            lastError(fields),
            true,
            told
        )
    end
    return notices
end
--- Takes back at most `limit` lapsed leases. `maxStalled` is the number of lapses that kills; -1 never kills. A member
-- of `active` whose row is gone or is not active is dropped. Those who wait for a job that is to be killed are told
-- before the first write.
local function takeBack(s, active, base, maxStalled, limit, terms)
    local call = s.call
    local lapsed = {recovered = {}, dead = {}, dropped = 0}
    if limit == 0 then
        return lapsed
    end
    local ids = call(
        "ZRANGEBYSCORE",
        active,
        "-inf",
        s.now(),
        "LIMIT",
        0,
        limit
    )
    local stop = #ids
    if stop == 0 then
        return lapsed
    end
    local rows = readLapsed(s, base, ids)
    local names = readNamesOfDead(
        s,
        base,
        ids,
        rows,
        maxStalled,
        terms
    )
    local untils = tellOfDeaths(
        s,
        base,
        ids,
        rows,
        maxStalled,
        terms
    )
    local notices = noteDeaths(
        s,
        base,
        ids,
        rows,
        maxStalled
    )
    local heard = heardBy(s, base)
    local oldest = maxStalled >= 0 and readDeaths(
        s,
        base,
        terms,
        countDoomed(s, rows, maxStalled)
    ) or false
    if heard > 0 then
        seldom("tellLapsed")(
            s,
            base,
            ids,
            rows,
            maxStalled
        )
    end
    removeMembers(s, active, ids)
    for i = 0, stop - 1 do
        local id = ids[i + 1]
        local fields = rows[i + 1]
        if fields[1] == "active" then
            local group = fields[2]
            local stalled = countOf(s, fields[4]) + 1
            if group ~= false then
                releaseLane(s, base, group)
            end
            if isDoomed(s, fields, maxStalled) then
                killLapsed(
                    s,
                    base,
                    id,
                    stalled,
                    lastError(fields),
                    terms,
                    untils[i + 1]
                )
                tellDead(
                    s,
                    base,
                    notices[i + 1],
                    lastError(fields)
                )
                letGo(s, base, names[i + 1])
                lapsed.dead[#lapsed.dead + 1] = id
            else
                recover(
                    s,
                    base,
                    id,
                    fields,
                    stalled
                )
                lapsed.recovered[#lapsed.recovered + 1] = id
            end
        else
            lapsed.dropped = lapsed.dropped + 1
        end
    end
    if oldest ~= false then
        dropOldest(s, base, "dead", oldest)
    end
    return lapsed
end
--- Whether the time of a job is over by its field `expires`.
local function isOver(s, expires)
    return expires ~= false and s.int(expires, 0, 9007199254740991) and s.num(expires) <= s.now()
end
--- Reads what the end of an overdue job needs, and tells those who wait for it. Its `parent` is the sixth field.
local function readOverdue(s, base, id, fields, terms, told)
    local names = readNames(
        s,
        base,
        id,
        fields[3],
        terms.deadCount == 0
    )
    local ____until = waitedUntil(s, fields[4], terms.resultMs)
    local notice = noteEnd(
        s,
        base,
        id,
        fields[6],
        "failed",
        "expired",
        true,
        told
    )
    if ____until > 0 then
        tellWaiters(s, base, id)
    end
    if heardBy(s, base) > 0 then
        tellOfJob(
            s,
            base,
            "expired",
            id,
            fields[3],
            {}
        )
        tellOfJob(
            s,
            base,
            "dead",
            id,
            fields[3],
            {"error", "expired"}
        )
    end
    return {
        id = id,
        state = fields[1],
        group = fields[2],
        dedup = fields[3],
        names = names,
        notice = notice,
        told = told,
        ["until"] = ____until
    }
end
--- Ends an overdue job that has left the place where it waited, and lets its names go.
local function endOverdue(s, base, job, names, terms)
    s.call("HDEL", base .. "job:" .. job.id, "expires", "owner")
    if job.state == "awaiting_children" then
        s.call("HSET", base .. "job:" .. job.id, "failed_child", "")
    end
    bury(
        s,
        base,
        job.id,
        "expired",
        terms,
        job["until"]
    )
    tellDead(s, base, job.notice, "expired")
    letGo(s, base, names)
end
--- Finds at most `limit` entries whose instant has come, and tells those who wait for jobs that end by it.
local function findUntimely(s, base, limit, terms)
    local call = s.call
    local key = base .. "ttl"
    local none = {}
    local ids = limit > 0 and call(
        "ZRANGEBYSCORE",
        key,
        "-inf",
        s.now(),
        "LIMIT",
        0,
        limit
    ) or none
    local overdue = {}
    local ended = {}
    local later = {}
    local untils = {}
    local waiting = {}
    local rows = {}
    for ____, id in ipairs(ids) do
        local fields = call(
            "HMGET",
            base .. "job:" .. id,
            "state",
            "group",
            "dedup",
            "wait",
            "expires",
            "parent",
            "last_error",
            "failed_child"
        )
        local state = fields[1]
        if state == "pending" or state == "scheduled" or state == "awaiting_children" then
            if isOver(s, fields[5]) then
                waiting[#waiting + 1] = id
                rows[#rows + 1] = fields
                if fields[2] ~= false then
                    readLanes(s, base, {fields[2]}, 1)
                end
            elseif fields[5] ~= false and s.int(fields[5], 0, 9007199254740991) then
                later[#later + 1] = id
                untils[#untils + 1] = fields[5]
            end
        elseif state == "dead" and (fields[7] == "expired" or fields[8] ~= false) then
            ended[#ended + 1] = id
        end
    end
    if #waiting + #ended == 0 then
        return {
            ids = ids,
            overdue = overdue,
            ended = ended,
            aliases = {},
            later = later,
            untils = untils,
            oldest = {ids = {}, aliases = {}}
        }
    end
    call("ZCARD", base .. "pending")
    call("ZCARD", base .. "schedule")
    call("ZCARD", base .. "awaiting")
    local told = nothingTold()
    local oldest = readDeaths(s, base, terms, #waiting)
    local aliases = terms.deadCount == 0 and aliasesOf(s, base, ended) or ({})
    local stop = #waiting
    for i = 0, stop - 1 do
        overdue[i + 1] = readOverdue(
            s,
            base,
            waiting[i + 1],
            rows[i + 1],
            terms,
            told
        )
    end
    return {
        ids = ids,
        overdue = overdue,
        ended = ended,
        aliases = aliases,
        later = later,
        untils = untils,
        oldest = oldest
    }
end
--- Keeps a job that a claim has ended as the terms say.
local function settleEnded(s, base, id, terms)
    if terms.deadCount == 0 then
        local token = lastToken(
            s,
            base,
            s.call("HGET", base .. "job:" .. id, "attempts")
        )
        s.call("ZREM", base .. "dead", id)
        deleteKept(s, base .. "job:" .. id)
        rememberTokens(s, base, {id}, {token})
    elseif terms.deadMs > 0 and s.call("ZSCORE", base .. "dead", id) ~= false then
        s.call(
            "ZADD",
            base .. "expiry",
            dueIn(s, terms.deadMs),
            id
        )
    end
end
--- Ends what {@link findUntimely} has found; answers the ids of the jobs that are dead by it.
local function endUntimely(s, base, found, terms)
    local call = s.call
    local dead = {}
    removeMembers(s, base .. "ttl", found.ids)
    local stop = #found.later
    for i = 0, stop - 1 do
        call("ZADD", base .. "ttl", found.untils[i + 1], found.later[i + 1])
    end
    for ____, job in ipairs(found.overdue) do
        if job.state == "awaiting_children" then
            call("ZREM", base .. "awaiting", job.id)
        end
        if job.state == "scheduled" or job.state == "awaiting_children" then
            call("ZREM", base .. "schedule", job.id)
        else
            stopWaiting(s, base, job.id, job.group)
        end
        local names = readNames(
            s,
            base,
            job.id,
            job.dedup,
            terms.deadCount == 0
        )
        endOverdue(
            s,
            base,
            job,
            names,
            terms
        )
        dead[#dead + 1] = job.id
    end
    for ____, id in ipairs(found.ended) do
        settleEnded(s, base, id, terms)
    end
    if #found.aliases > 0 then
        call(
            "DEL",
            unpack(found.aliases)
        )
    end
    dropOldest(s, base, "dead", found.oldest)
    return dead
end
--- Whether a job of the schedule, or the end of a limit's rest, has fallen due.
local function isDue(s, base)
    local call = s.call
    if #call(
        "ZRANGEBYSCORE",
        base .. "schedule",
        "-inf",
        s.now(),
        "LIMIT",
        0,
        1
    ) > 0 then
        return true
    end
    return #call(
        "ZRANGEBYSCORE",
        base .. "rest",
        "-inf",
        s.now(),
        "LIMIT",
        0,
        1
    ) > 0
end
--- How many leases of `limit` have lapsed, which come first; not counted where nothing else asks for the rest.
local function lapsedCount(s, active, base, limit)
    if s.call("ZCARD", base .. "ttl") == 0 then
        return limit
    end
    return math.min(
        limit,
        s.call(
            "ZCOUNT",
            active,
            "-inf",
            s.now()
        )
    )
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
        --- What those who listen want: 1 events, 2 results in them too. They are there; the text of `listeners` is until when
        -- somebody wants results, in server milliseconds.
        -- 
        -- @cold
        local function wantOf(s, base)
            local ____until = s.call("GET", base .. "listeners")
            return ____until ~= false and s.int(____until, 0, 9007199254740991) and s.num(____until) > s.now() and 2 or 1
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
            if s.char == nil then
                --- One byte of a text, counted from 0.
                local function char(text, index)
                    return string.sub(text, index + 1, index + 1)
                end
                s.char = char
            end
            if childFailedOnce == nil then
                --- Pushes if one of the ids that this act scheduled stands at the head of the schedule now.
                local function pushIfHead(s, base, id)
                    local head = s.call("ZRANGE", base .. "schedule", 0, 0)
                    if #head > 0 and head[1] == id then
                        push(s, base .. "wake")
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
            if s.char == nil then
                --- One byte of a text, counted from 0.
                local function char(text, index)
                    return string.sub(text, index + 1, index + 1)
                end
                s.char = char
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
        --- Tells of lapsed leases, before the first write. `maxStalled` is -1 where none of them ends its job.
        -- 
        -- @cold
        local function tellLapsed(s, base, ids, rows, maxStalled)
            local stop = #ids
            for i = 0, stop - 1 do
                local fields = rows[i + 1]
                if fields[1] == "active" then
                    tellOfJob(
                        s,
                        base,
                        "stalled",
                        ids[i + 1],
                        fields[6],
                        {
                            "stalled",
                            s.text(countOf(s, fields[4]) + 1)
                        }
                    )
                    if isDoomed(s, fields, maxStalled) then
                        tellOfJob(
                            s,
                            base,
                            "dead",
                            ids[i + 1],
                            fields[6],
                            {
                                "error",
                                lastError(fields)
                            }
                        )
                    end
                end
            end
        end
        --- How long it is until the next occurrence of any repeat of a queue, in ms: 0 for one that is due, -1 for none.
        -- 
        -- @cold
        local repeatInOnce = nil
        local function repeatIn(s, base)
            if repeatInOnce == nil then
                --- The first occurrence of a set, `ENDED_AT` for none. A score that is no whole number is due.
                local function firstOf(s, set)
                    local head = s.call("ZRANGE", set, 0, 0)
                    if #head == 0 then
                        return 9007199254740991
                    end
                    local score = s.call("ZSCORE", set, head[1])
                    return score ~= false and s.int(score, 0, 9007199254740991) and s.num(score) or 0
                end
                repeatInOnce = function(s, base)
                    local first = math.min(
                        firstOf(s, base .. "repeat"),
                        firstOf(s, base .. "cron")
                    )
                    return first == 9007199254740991 and -1 or math.max(
                        0,
                        first - s.now()
                    )
                end
            end
            return repeatInOnce(s, base)
        end
        rare = {isHeldBack = isHeldBack, readNamesOf = readNamesOf, startNext = startNext, dropOld = dropOld, wantOf = wantOf, signalFailed = signalFailed, childFailed = childFailed, noteKin = noteKin, tellLapsed = tellLapsed, repeatIn = repeatIn}
    end
    return rare[name]
end
--- Keys: active, pending, dead, base. Arguments: max_stalled, limit, perhaps dead_n, dead_ms and result_ms. Answers
-- recovered ids, dead ids; with the terms also how many kept jobs whose time was over it looked at, within the limit,
-- how many leases were dropped because their job was gone or not active, whether a token lies in the wake list
-- now, which says to whoever hears no token that there may be work, the ids of the jobs that are dead because they did
-- not begin in time, how many entries of `ttl` it looked at, whether the outbox holds signals to be delivered, and how
-- long it is until a repeat occurs, -1 for none.
local function sweep(s, keys, args)
    local refusal = checkSweep(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local base = keys[4]
    local wake = base .. "wake"
    local open = isOpen(s, base)
    local limit = s.num(args[2])
    local due = isDue(s, base)
    local repeats = #args > 2 and s.call("EXISTS", base .. "repeat", base .. "cron") > 0 and seldom("repeatIn")(s, base) or -1
    local expired = findExpired(s, base, #args > 2 and limit or 0)
    local terms = deadTerms(s, args, 2)
    local untimely = findUntimely(
        s,
        base,
        #args > 2 and limit - lapsedCount(s, keys[1], base, limit) or 0,
        terms
    )
    local lapsed = takeBack(
        s,
        keys[1],
        base,
        s.num(args[1]),
        limit,
        terms
    )
    local overdue = endUntimely(s, base, untimely, terms)
    if open and due then
        push(s, wake)
    else
        pushIfClaimable(s, base, open)
    end
    if #args == 2 then
        return {lapsed.recovered, lapsed.dead}
    end
    local looked = #lapsed.recovered + #lapsed.dead + lapsed.dropped
    local gone = dropExpired(s, base, expired, limit - looked - #untimely.ids)
    local outbox = base .. "flow:outbox"
    local found = s.call("EXISTS", wake, outbox, outbox)
    local signals = found >= 2 and 1 or 0
    local tokens = found - signals * 2
    local looks = #untimely.ids
    return {
        lapsed.recovered,
        lapsed.dead,
        gone,
        lapsed.dropped,
        tokens,
        overdue,
        looks,
        signals,
        repeats
    }
end
return sweep(s, KEYS, ARGV)
