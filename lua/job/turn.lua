-- EMQ.TURN: Settles, promotes and claims in one act.
-- KEYS: pending, active, schedule, wake, base
-- ARGV: worker, lease_ms, want, ...
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
--- The gate of a queue without any limit.
local function openGate(want)
    return {
        room = want,
        rate = false,
        limited = false,
        rated = false,
        named = false,
        rested = {}
    }
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
--- Arguments of one row of an op, 0 for an unknown op.
local function widthOf(op)
    if op == "c" or op == "b" then
        return 2
    end
    if op == "r" or op == "k" or op == "d" or op == "a" or op == "l" then
        return 3
    end
    return (op == "f" or op == "t") and 5 or 0
end
--- The name of the first bad value of one run.
local function badRun(s, op, args, from, past)
    local width = widthOf(op)
    if op == "t" then
        return seldom("badTerms")(s, args, from)
    end
    local good = "0"
    for row = from, past - 1, width do
        local token = args[row + 2]
        if token ~= good and not s.int(token, 0, 9007199254740991) then
            return "token"
        end
        good = token
    end
    return (op == "f" or op == "d" or op == "a" or op == "l") and seldom("badRows")(
        s,
        op,
        args,
        from,
        past
    ) or ""
end
--- The name of the first bad argument from position `from` on; `want` stands before it and shares the budget.
local function badSettlement(s, args, from)
    local stop = #args
    local at = from
    local units = s.num(args[from])
    if at < stop and args[at + 1] == "w" then
        local bad = seldom("badPresence")(s, args, at)
        if bad ~= "" then
            return bad
        end
        at = at + 5
    end
    while at < stop do
        local op = args[at + 1]
        local width = widthOf(op)
        if width == 0 then
            return "op"
        end
        if at + 1 >= stop or not s.int(args[at + 2], 1, op == "t" and 1 or 1000) then
            return "count"
        end
        local count = s.num(args[at + 2])
        local past = at + 2 + count * width
        if op ~= "t" then
            units = units + count
        end
        if units > 1000 then
            return "count"
        end
        if past > stop then
            return "row"
        end
        local bad = badRun(
            s,
            op,
            args,
            at + 2,
            past
        )
        if bad ~= "" then
            return bad
        end
        at = past
    end
    return ""
end
--- Adds an exception.
local function except(settled, position, verdict)
    local exceptions = settled.exceptions
    exceptions[#exceptions + 1] = position
    exceptions[#exceptions + 1] = verdict
end
--- Deletes the rows of a run. Logs, lock and the count of children go with each, unseen. Other side keys are deleted
-- only if there was one of those, as no parent of a flow is without the count: an ordinary job pays for three keys and
-- not for nine.
local function deleteEnded(s, rows)
    local stop = #rows
    local doomed = {}
    local at = 0
    for i = 0, stop - 1 do
        local row = rows[i + 1]
        doomed[at + 1] = row
        doomed[at + 2] = row .. ":logs"
        doomed[at + 3] = row .. ":lock"
        doomed[at + 4] = row .. ":dependencies"
        at = at + 4
        if at == 28 or i == stop - 1 then
            local jobs = at / 4
            if s.call(
                "DEL",
                unpack(doomed)
            ) > jobs then
                seldom("deleteRest")(s, rows, i + 1 - jobs, i + 1)
            end
            if stop - 1 - i < 28 / 4 then
                doomed = {}
            end
            at = 0
        end
    end
end
--- Ends what a run has gathered: one `ZREM` for the leases, then the rows, then one step of the counter.
local function endRun(s, base, heard, ending)
    local completed = #ending.rows
    if completed > 0 then
        if #ending.groups > 0 then
            seldom("readEnding")(s, base, ending.groups)
        end
        readTally(s, base, "completed")
    end
    local children = ending.children
    local kins = children == false and ({}) or seldom("noteRun")(s, base, children)
    if heard > 0 then
        seldom("tellEnded")(s, base, heard, ending)
    end
    removeMembers(s, base .. "active", ending.members)
    if completed == 0 then
        return
    end
    deleteEnded(s, ending.rows)
    if children ~= false then
        seldom("deleteParents")(s, base, children.ids)
    end
    if #ending.groups > 0 then
        seldom("releaseAll")(s, base, ending.groups)
    end
    tally(s, base, "completed", completed)
    if children ~= false then
        seldom("tellRun")(s, base, kins, children.results)
    end
end
--- Completes a run of jobs. An id that stands twice in it is gone the second time. While each that is completed comes
-- behind the one before, as ids minted by one host do, none stands twice; from the first that does not, a table says
-- which do.
local function completeRun(s, base, settled, args, from, width, position)
    local call = s.call
    local past = from + s.num(args[from]) * width
    local prefix = base .. "job:"
    local members = {}
    local rows = {}
    local ending = {
        members = members,
        rows = rows,
        groups = {},
        told = {},
        children = false
    }
    local seen = {}
    local ascends = true
    local last = ""
    local plain = settled.plain
    local heard = settled.heard
    local place = position
    local leaving = 0
    local completed = 0
    for at = from, past - 1, width do
        local id = args[at + 1]
        local row = prefix .. id
        local token = args[at + 2]
        local holder = call(
            "HMGET",
            row,
            "attempts",
            "state",
            "group",
            "dedup",
            "wait",
            "parent"
        )
        local isHeld = plain and holder[1] == token and token ~= "0"
        if ascends and id <= last then
            seldom("tabulateRows")(seen, rows)
            ascends = false
        end
        if not ascends and seen[row] == true then
            except(settled, place, "0")
        elseif isHeld and holder[2] == "active" and holder[4] == false and holder[5] == false then
            local group = holder[3]
            local parent = holder[6]
            if not ascends then
                seen[row] = true
            end
            last = id
            members[leaving + 1] = id
            rows[completed + 1] = row
            leaving = leaving + 1
            completed = completed + 1
            if group ~= false or parent ~= false or heard > 0 then
                seldom("gatherMore")(
                    ending,
                    settled,
                    args,
                    at,
                    width,
                    group,
                    parent
                )
            end
        else
            local verdict = seldom("completeOther")(
                s,
                base,
                settled,
                args,
                at,
                width,
                holder,
                place
            )
            if verdict == "0" then
                members[leaving + 1] = id
                leaving = leaving + 1
            end
        end
        place = place + 1
    end
    endRun(s, base, heard, ending)
    if not plain then
        seldom("trimCompleted")(s, base, settled, place - position)
    end
end
--- Settles every run from position `from` on. `isBare`: the queue has no `meta`, so it says nothing about retention.
-- `heard`: what `heardBy` says.
local function settleAll(s, base, args, from, isBare, heard)
    local settled = {
        exceptions = {},
        scheduled = {},
        count = 0,
        flat = true,
        rested = false,
        terms = false,
        plain = true,
        heard = heard
    }
    if not isBare and from < #args then
        seldom("takeQueueTerms")(s, base, settled)
    end
    local stop = #args
    local at = from
    while at < stop do
        local op = args[at + 1]
        local count = s.num(args[at + 2])
        local width = widthOf(op)
        if op == "t" then
            seldom("takeTerms")(
                s,
                base,
                settled,
                args,
                at + 2
            )
        else
            if op == "c" or op == "r" then
                completeRun(
                    s,
                    base,
                    settled,
                    args,
                    at + 2,
                    width,
                    settled.count
                )
            else
                seldom("settleRun")(
                    s,
                    base,
                    settled,
                    args,
                    at + 2,
                    width,
                    settled.count
                )
            end
            settled.count = settled.count + count
        end
        at = at + (2 + count * width)
    end
    return settled
end
--- Shape, values and layout of `EMQ.TURN`: the text of the refusal, empty when all is well.
local function checkTurn(s, keys, args)
    if #keys ~= 5 then
        return "ERR EMQ.TURN takes 5 keys"
    end
    if #args < 3 then
        return "ERR wrong number of arguments for 'EMQ.TURN' command"
    end
    if not s.int(args[2], 1, 2147483648) then
        return "ERR EMQ.TURN bad argument lease_ms"
    end
    if not s.int(args[3], 0, 1000) then
        return "ERR EMQ.TURN bad argument want"
    end
    local bad = badSettlement(s, args, 3)
    if bad ~= "" then
        return "ERR EMQ.TURN bad argument " .. bad
    end
    local base = keys[5]
    if not s.base(base) or keys[1] ~= base .. "pending" or keys[2] ~= base .. "active" or keys[3] ~= base .. "schedule" or keys[4] ~= base .. "wake" then
        return "ERR EMQ.TURN keys do not match the wire-4 layout"
    end
    return ""
end
--- A claim that has nothing yet.
local function startClaim(base, active, worker, leaseMs)
    return {
        base = base,
        active = active,
        worker = worker,
        leaseMs = leaseMs,
        jobs = {},
        taken = 0,
        looks = 0,
        payload = 0,
        full = false,
        tokens = 0,
        held = false,
        late = {},
        gate = openGate(0),
        laneRate = false,
        short = false,
        sorted = 0,
        timed = 0,
        overdue = 0,
        heard = 0
    }
end
--- Writes the leases of everything claimed, with one deadline. From the highest id down: a small `active` is a list that
-- each new member is searched in from its front.
local function writeLeases(s, active, ids, leaseMs)
    local deadline = s.now() + leaseMs
    local members = {}
    local at = 0
    do
        local i = #ids - 1
        while i >= 0 do
            members[at + 1] = deadline
            members[at + 2] = ids[i + 1]
            at = at + 2
            if at >= 200 * 2 then
                s.call(
                    "ZADD",
                    active,
                    unpack(members)
                )
                members = {}
                at = 0
            end
            i = i - 1
        end
    end
    if at > 0 then
        s.call(
            "ZADD",
            active,
            unpack(members)
        )
    end
end
--- Whether a claim takes from a rate.
local function isPaying(lease)
    return lease.gate.rate ~= false or lease.laneRate ~= false
end
--- Leases ids that have left their set, and completes what the act answers of them, which begins at `from`, with their
-- tokens.
local function leaseAll(s, claim, pass, lane, from)
    local call = s.call
    local jobs = claim.jobs
    local ids = pass.ids
    local rows = pass.rows
    local tokens = pass.tokens
    local worker = claim.worker
    local stop = #ids
    local formers = claim.tokens > 0 and seldom("recallTokens")(s, claim.base, ids, tokens) or ({})
    local at = from + 1
    for i = 0, stop - 1 do
        local token = tokens[i + 1]
        if worker ~= "" then
            call(
                "HSET",
                rows[i + 1],
                "state",
                "active",
                "attempts",
                token,
                "owner",
                worker
            )
        else
            if pass.owners[i + 1] ~= false then
                call("HDEL", rows[i + 1], "owner")
            end
            call(
                "HSET",
                rows[i + 1],
                "state",
                "active",
                "attempts",
                token
            )
        end
        jobs[at + 1] = token
        at = at + 8
    end
    if #pass.foreign > 0 then
        seldom("occupyForeign")(s, claim.base, pass.foreign)
    end
    if #formers > 0 then
        seldom("bookTokens")(
            s,
            claim.base,
            ids,
            formers,
            jobs,
            from
        )
    end
    writeLeases(s, claim.active, ids, claim.leaseMs)
    if lane ~= "" and stop > 0 then
        call("HINCRBY", claim.base .. "gactive", lane, stop)
    end
end
--- Writes from a place on what the act answers of a job that was never claimed; its token follows when it is leased.
-- `fields` are those of its row.
local function answer(jobs, at, id, fields)
    jobs[at + 1] = id
    jobs[at + 2] = 0
    jobs[at + 3] = fields[3] == false and "" or fields[3]
    jobs[at + 4] = fields[4] == false and "" or fields[4]
    jobs[at + 5] = fields[5] == false and "" or fields[5]
    jobs[at + 6] = fields[6] == false and "" or fields[6]
    jobs[at + 7] = ""
    jobs[at + 8] = ""
end
--- Adds the counters of a job that was claimed before to what the act answers of it.
local function answerCounters(jobs, at, stalled, deferred)
    if stalled ~= false then
        jobs[at + 7] = stalled
    end
    if deferred ~= false then
        jobs[at + 8] = deferred
    end
end
--- Reads the rows of waiting ids of the flat queue where nothing can be put aside, which is so in nearly all passes,
-- until the claim is full; answers how many ids are to leave the set. A job that was never claimed has neither lapsed
-- nor been put off, so its row is not asked for that; a claim with a worker does not ask for the owner, since it
-- overwrites it.
local function readFlat(s, claim, pass, waiting)
    local call = s.call
    local prefix = claim.base .. "job:"
    local ids = pass.ids
    local rows = pass.rows
    local tokens = pass.tokens
    local jobs = claim.jobs
    local isOwned = claim.worker ~= ""
    local stop = #waiting
    local bytes = claim.payload
    local at = #jobs
    local next = 0
    local known = "0"
    local token = 1
    for i = 0, stop - 1 do
        local id = waiting[i + 1]
        local row = prefix .. id
        local fields = isOwned and call(
            "HMGET",
            row,
            "state",
            "attempts",
            "payload",
            "name",
            "opts",
            "group"
        ) or call(
            "HMGET",
            row,
            "state",
            "attempts",
            "payload",
            "name",
            "opts",
            "group",
            "owner"
        )
        local attempts = fields[2]
        if fields[1] == "pending" and attempts ~= false then
            local size = fields[3] == false and 0 or #fields[3]
            if bytes > 0 and bytes + size > 1048576 then
                claim.full = true
                claim.payload = bytes
                return i
            end
            bytes = bytes + size
            if attempts ~= known then
                token = s.num(attempts) + 1
                known = attempts
            end
            ids[next + 1] = id
            rows[next + 1] = row
            tokens[next + 1] = token
            answer(jobs, at, id, fields)
            if attempts ~= "0" then
                local counters = call("HMGET", row, "stalled", "deferred")
                answerCounters(jobs, at, counters[1], counters[2])
            end
            local group = fields[6]
            if group ~= false then
                seldom("noteForeign")(s, claim.base, pass, group)
            end
            if not isOwned then
                pass.owners[next + 1] = fields[7]
            end
            at = at + 8
            next = next + 1
        end
    end
    claim.payload = bytes
    return stop
end
--- Reads the rows of a pass; answers how many ids are to leave the set.
local function readPass(s, claim, pass, waiting, lane)
    local mayStand = claim.timed > 0 or isPaying(claim) or lane == "" and claim.gate.named
    if lane == "" and not mayStand then
        return readFlat(s, claim, pass, waiting)
    end
    return seldom("readChoosing")(
        s,
        claim,
        pass,
        waiting,
        lane,
        mayStand
    )
end
--- Claims up to `want` jobs from one sorted set: the flat queue (`lane` empty) or a lane. Answers how many; fewer than
-- `want` means that the set is empty or that the claim is `full`.
local function claimFrom(s, claim, key, lane, want)
    local call = s.call
    local taken = 0
    while taken < want and not claim.full and not claim.held and not claim.short do
        local room = math.min(want - taken, 400, 1000 - claim.looks)
        if room <= 0 then
            claim.full = true
            return taken
        end
        local waiting = call("ZRANGE", key, 0, room - 1)
        local stop = #waiting
        if stop == 0 then
            return taken
        end
        local none = {}
        local pass = {
            ids = {},
            rows = {},
            tokens = {},
            owners = {},
            foreign = none,
            late = none,
            dues = none,
            sorted = none,
            lanes = none,
            scores = none,
            begun = none,
            overdue = none
        }
        local from = #claim.jobs
        local looked = readPass(
            s,
            claim,
            pass,
            waiting,
            lane
        )
        if looked > 0 then
            if claim.heard > 0 then
                seldom("tellActive")(s, claim, pass)
            end
            call("ZREMRANGEBYRANK", key, 0, looked - 1)
            leaseAll(
                s,
                claim,
                pass,
                lane,
                from
            )
            if #pass.ids < looked or #pass.begun > 0 then
                seldom("placeAside")(s, claim, pass, lane)
            end
        end
        taken = taken + #pass.ids
        claim.taken = claim.taken + #pass.ids
        claim.looks = claim.looks + looked
        if stop < room then
            return taken
        end
    end
    return taken
end
--- Any of the functions that most acts do not call; they are made when the first is asked for.
local rare = nil
seldom = function(name)
    if rare == nil then
        --- Tells that the last job that could be claimed has been, if an act that is heard has claimed it. `taken` is how many
        -- it has.
        -- 
        -- @cold
        local tellIfDrainedOnce = nil
        local function tellIfDrained(s, base, taken)
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
            if tellIfDrainedOnce == nil then
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
                --- The text of a field, empty where it is absent.
                local function said(field)
                    return field == false and "" or field
                end
                tellIfDrainedOnce = function(s, base, taken)
                    if taken == 0 then
                        return
                    end
                    if s.call("EXISTS", base .. "pending", base .. "ring") == 0 then
                        tell(
                            s,
                            base,
                            "drained",
                            "",
                            {}
                        )
                    end
                end
            end
            return tellIfDrainedOnce(s, base, taken)
        end
        --- Raises the tokens of jobs that are about to be claimed for the first time by those of the former lives of their ids;
        -- answers these by their place, 0 for none. Reads only.
        -- 
        -- @cold
        local function recallTokens(s, base, ids, tokens)
            local formers = {}
            local stop = #ids
            for i = 0, stop - 1 do
                local ____temp_0
                if tokens[i + 1] == 1 then
                    ____temp_0 = s.call("ZSCORE", base .. "tokens", ids[i + 1])
                else
                    ____temp_0 = false
                end
                local score = ____temp_0
                local packed = score == false and 0 or s.num(score)
                local former = packed - math.floor(packed / 134217728) * 134217728
                local ____tokens_1, ____temp_2 = tokens, i + 1
                ____tokens_1[____temp_2] = ____tokens_1[____temp_2] + former
                formers[i + 1] = former
            end
            return formers
        end
        --- Books the former tokens of jobs that have just been claimed as interruptions, in their rows and in what the act
        -- answers (eight parts a job, from `from` on), and forgets them.
        -- 
        -- @cold
        local function bookTokens(s, base, ids, formers, jobs, from)
            local stop = #ids
            for i = 0, stop - 1 do
                if formers[i + 1] > 0 then
                    s.call("ZREM", base .. "tokens", ids[i + 1])
                    s.call("HSET", base .. "job:" .. ids[i + 1], "deferred", formers[i + 1])
                    jobs[from + i * 8 + 8] = formers[i + 1]
                end
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
        --- Notes the completions of a run before the first write: all of them together, which costs far less than one by one. A
        -- parent that they release wakes nobody: the act sees to all work that it leaves.
        -- 
        -- @cold
        local noteRunOnce = nil
        local function noteRun(s, base, done)
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
            if noteRunOnce == nil then
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
                        --- The text of a field, empty where it is absent.
                        local function said(field)
                            return field == false and "" or field
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
                noteRunOnce = function(s, base, done)
                    local kins = {}
                    local told = nothingTold()
                    local stop = #done.ids
                    for i = 0, stop - 1 do
                        local kin = readKin(
                            s,
                            base,
                            done.ids[i + 1],
                            done.parents[i + 1],
                            true
                        )
                        if kin.parent ~= "" then
                            readParent(
                                s,
                                base,
                                kin.parent,
                                kin.child,
                                "done",
                                kin.policy,
                                "",
                                told
                            )
                        end
                        if #kin.far > 0 then
                            callDeliverer(s, base, told)
                        end
                        kins[i + 1] = kin
                    end
                    return kins
                end
            end
            return noteRunOnce(s, base, done)
        end
        --- Tells the completions of a run, each parent of the same queue once for all its children.
        -- 
        -- @cold
        local tellRunOnce = nil
        local function tellRun(s, base, kins, results)
            if s.char == nil then
                --- One byte of a text, counted from 0.
                local function char(text, index)
                    return string.sub(text, index + 1, index + 1)
                end
                s.char = char
            end
            if s.holds == nil then
                --- What kind of value a key holds. The server answers with a status, which its Lua gives as a table.
                local function holds(key)
                    return redis.call("TYPE", key).ok
                end
                s.holds = holds
            end
            if tellRunOnce == nil then
                --- The instant that a delay from now reaches; a longer one ends at the latest that there is.
                local function dueIn(s, ms)
                    return math.min(
                        s.now() + ms,
                        9007199254740991
                    )
                end
                --- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
                local function isResting(s, base, lane)
                    return s.call("ZSCORE", base .. "rest", lane) ~= false
                end
                --- Whether limits keep the queue from being claimed from.
                -- 
                -- @cold
                local isHeldBackOnce = nil
                local function isHeldBack(s, base)
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
                --- Pushes if the queue is claimable: not paused, below its limits, and flat work or a servable lane waits. `open` is
                -- what {@link isOpen} said before the first write of the act.
                local function pushIfClaimable(s, base, open)
                    local call = s.call
                    local wake = base .. "wake"
                    if not open or call("EXISTS", wake) == 1 or call("EXISTS", base .. "pending", base .. "ring") == 0 then
                        return
                    end
                    if call("EXISTS", base .. "meta", base .. "rest") > 0 and isHeldBack(s, base) then
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
                --- Finds out which of up to {@link CHILDREN_AT_ONCE} completions are news to a parent.
                local function gatherNews(s, row, children, results)
                    local call = s.call
                    local known = call(
                        "HMGET",
                        row .. ":children",
                        unpack(children)
                    )
                    local done = call(
                        "HMGET",
                        row .. ":processed",
                        unpack(children)
                    )
                    local ignored = call(
                        "HMGET",
                        row .. ":unsuccessful",
                        unpack(children)
                    )
                    local gathered = {pairs = {}, healed = {}, counted = 0}
                    local stop = #children
                    local isListed = -1
                    for i = 0, stop - 1 do
                        if done[i + 1] == false and not isForgotten(s, known[i + 1]) then
                            gathered.pairs[#gathered.pairs + 1] = children[i + 1]
                            gathered.pairs[#gathered.pairs + 1] = results[i + 1]
                            if known[i + 1] == false and isListed < 0 then
                                isListed = call("EXISTS", row .. ":children")
                            end
                            if ignored[i + 1] ~= false then
                                gathered.healed[#gathered.healed + 1] = children[i + 1]
                            elseif known[i + 1] ~= false or isListed == 0 then
                                gathered.counted = gathered.counted + 1
                            end
                        end
                    end
                    return gathered
                end
                --- Tells a parent that children have completed, each once in the list; answers how many were news. The first write is
                -- one that a full server admits.
                local function childrenDone(s, base, parent, children, results, open)
                    local call = s.call
                    local row = base .. "job:" .. parent
                    local fields = call(
                        "HMGET",
                        row,
                        unpack(RELEASE_FIELDS)
                    )
                    if fields[1] == false then
                        return 0
                    end
                    local news = 0
                    local counted = 0
                    local part = {}
                    local said = {}
                    local stop = #children
                    for i = 0, stop - 1 do
                        part[#part + 1] = children[i + 1]
                        said[#said + 1] = results[i + 1]
                        if #part >= 200 or i == stop - 1 then
                            local gathered = gatherNews(s, row, part, said)
                            if #gathered.pairs > 0 then
                                call(
                                    "HDEL",
                                    row .. ":failed",
                                    unpack(part)
                                )
                                call(
                                    "HSET",
                                    row .. ":processed",
                                    unpack(gathered.pairs)
                                )
                                if #gathered.healed > 0 then
                                    call(
                                        "HDEL",
                                        row .. ":unsuccessful",
                                        unpack(gathered.healed)
                                    )
                                end
                                news = news + #gathered.pairs / 2
                                counted = counted + gathered.counted
                            end
                            part = {}
                            said = {}
                        end
                    end
                    if news == 0 then
                        return 0
                    end
                    local left = countDown(s, row, counted)
                    if left == 0 and fields[1] == "awaiting_children" then
                        releaseParent(
                            s,
                            base,
                            parent,
                            fields,
                            open
                        )
                    end
                    return news
                end
                --- The text of a field, empty where it is absent.
                local function said(field)
                    return field == false and "" or field
                end
                tellRunOnce = function(s, base, kins, results)
                    local folds = {}
                    local places = {}
                    local stop = #kins
                    for i = 0, stop - 1 do
                        local kin = kins[i + 1]
                        local result = results[i + 1]
                        if kin.parent ~= "" then
                            local fold = places["p:" .. kin.parent]
                            if fold == nil then
                                fold = {parent = kin.parent, children = {}, results = {}}
                                places["p:" .. kin.parent] = fold
                                folds[#folds + 1] = fold
                            end
                            fold.children[#fold.children + 1] = kin.child
                            fold.results[#fold.results + 1] = result == false and kin.child or result
                        end
                        signalDone(s, base, kin, result)
                    end
                    for ____, fold in ipairs(folds) do
                        childrenDone(
                            s,
                            base,
                            fold.parent,
                            fold.children,
                            fold.results,
                            false
                        )
                    end
                end
            end
            return tellRunOnce(s, base, kins, results)
        end
        --- The name of the first bad argument of the run at position `at`, empty when all suit.
        -- 
        -- @cold
        local function badPresence(s, args, at)
            if #args < at + 5 then
                return "row"
            end
            if args[at + 2] ~= "1" then
                return "count"
            end
            if not s.int(args[at + 3], 1, 3600000) then
                return "beat_ms"
            end
            if not s.int(args[at + 4], 0, 1000000) then
                return "concurrency"
            end
            return #args[at + 5] > 1024 and "names" or ""
        end
        --- Writes that a worker asks, or that it leaves; answers 1 when it is to take no jobs, else 0. A foreign type of the
        -- hash raises before anything is written.
        -- 
        -- @cold
        local notePresenceOnce = nil
        local function notePresence(s, base, worker, args, at)
            if s.char == nil then
                --- One byte of a text, counted from 0.
                local function char(text, index)
                    return string.sub(text, index + 1, index + 1)
                end
                s.char = char
            end
            if notePresenceOnce == nil then
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
                --- The bytes of a text from `at` to the next comma, 16 at most.
                local function untilComma(s, text, at)
                    local out = ""
                    local next = s.char(text, at)
                    while next ~= "" and next ~= "," and #out < 16 do
                        out = out .. next
                        next = s.char(text, at + #out)
                    end
                    return out
                end
                --- Whether an entry says that its worker is to take no jobs.
                local function isPausedEntry(entry)
                    return entry ~= false and string.sub(entry, 1, 15) == "{\"paused\":true,"
                end
                --- An entry with that word, or without it.
                local function pausedEntry(entry, isPaused)
                    local rest = isPausedEntry(entry) and string.sub(entry, 16) or string.sub(entry, 2)
                    return isPaused and "{\"paused\":true," .. rest or "{" .. rest
                end
                --- Whether an entry is of a worker that has been silent for too long, or is no entry of ours.
                local function isSilent(s, entry, now)
                    local at = isPausedEntry(entry) and 25 or 11
                    local asked = untilComma(s, entry, at)
                    local beat = untilComma(s, entry, at + 10 + #asked)
                    if not s.int(asked, 0, 9007199254740991) or not s.int(beat, 1, 3600000) then
                        return true
                    end
                    local silentMs = now - s.num(asked)
                    if isPausedEntry(entry) and silentMs <= 3600000 then
                        return false
                    end
                    return silentMs > 10 * s.num(beat)
                end
                --- Drops the silent ones, if that is due. A hash that others have filled beyond all bounds begins anew.
                local function pruneWorkers(s, key, now)
                    local call = s.call
                    local last = call("HGET", key, "pruned")
                    if last ~= false and s.int(last, 0, 9007199254740991) then
                        local age = now - s.num(last)
                        if age >= 0 and age < 10000 then
                            return
                        end
                    end
                    if call("HLEN", key) > 1000 + 1 then
                        call("DEL", key)
                    end
                    local entries = call("HGETALL", key)
                    local stop = #entries
                    for i = 0, stop - 1, 2 do
                        if entries[i + 1] ~= "pruned" and isSilent(s, entries[i + 2], now) then
                            call("HDEL", key, entries[i + 1])
                        end
                    end
                    call("HDEL", key, "pruned")
                    call("HSET", key, "pruned", now)
                end
                notePresenceOnce = function(s, base, worker, args, at)
                    local call = s.call
                    local key = base .. "workers"
                    local now = s.now()
                    local entry = call("HGET", key, worker)
                    local isListed = entry ~= false
                    if args[at + 4] == "0" then
                        if isListed then
                            call("HDEL", key, worker)
                        end
                        if call("HLEN", key) == 1 and call("HEXISTS", key, "pruned") == 1 then
                            call("DEL", key)
                        end
                        return 0
                    end
                    pruneWorkers(s, key, now)
                    if not isListed and call("HLEN", key) > 1000 then
                        return 0
                    end
                    local isPaused = isPausedEntry(entry)
                    call("HDEL", key, worker)
                    call("HSET", key, worker, now)
                    local asked = call("HGET", key, worker)
                    local head = "{\"askedAt\":" .. (asked == false and "0" or asked) .. ",\"beatMs\":" .. args[at + 3]
                    local text = head .. ",\"concurrency\":" .. args[at + 4] .. ",\"names\":" .. args[at + 5] .. "}"
                    call(
                        "HSET",
                        key,
                        worker,
                        isPaused and pausedEntry(text, true) or text
                    )
                    return isPaused and 1 or 0
                end
            end
            return notePresenceOnce(s, base, worker, args, at)
        end
        --- The name of the first bad value of the terms at position `at`.
        -- 
        -- @cold
        local function badTerms(s, args, at)
            if args[at + 1] ~= "" and not s.int(args[at + 1], 0, 9007199254740991) then
                return "keep_n"
            end
            if not s.int(args[at + 2], 0, 9007199254740991) then
                return "keep_ms"
            end
            if not s.int(args[at + 3], 0, 9007199254740991) then
                return "dead_n"
            end
            if not s.int(args[at + 4], 0, 9007199254740991) then
                return "dead_ms"
            end
            return s.int(args[at + 5], 0, 9007199254740991) and "" or "result_ms"
        end
        --- The name of the first bad value behind the tokens of a run, empty when all suit.
        -- 
        -- @cold
        local badRowsOnce = nil
        local function badRows(s, op, args, from, past)
            if badRowsOnce == nil then
                --- The name of a bad value behind the token of an op that has one, empty when all suit.
                local function badRow(s, op, args, at)
                    if op ~= "f" then
                        return s.int(args[at + 3], 0, 9007199254740991) and "" or "ms"
                    end
                    if not s.int(args[at + 3], 0, 9007199254740991) then
                        return "delay_ms"
                    end
                    return s.int(args[at + 4], 0, 2147483648) and "" or "max_attempts"
                end
                badRowsOnce = function(s, op, args, from, past)
                    local width = widthOf(op)
                    for row = from, past - 1, width do
                        local bad = badRow(s, op, args, row)
                        if bad ~= "" then
                            return bad
                        end
                    end
                    return ""
                end
            end
            return badRowsOnce(s, op, args, from, past)
        end
        --- Completes what is not simply an active job with the current token that goes with its end: one that lapsed and waits,
        -- one that is kept, that has names, or whose result is waited for, or none. `read` is what the run read of its row.
        -- Answers the verdict, which it adds to the exceptions unless it is empty.
        -- 
        -- @cold
        local completeOtherOnce = nil
        local function completeOther(s, base, settled, args, at, width, read, position)
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
            if s.holds == nil then
                --- What kind of value a key holds. The server answers with a status, which its Lua gives as a table.
                local function holds(key)
                    return redis.call("TYPE", key).ok
                end
                s.holds = holds
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
            if completeOtherOnce == nil then
                --- What a settlement reads of a row, in this order.
                local function readHolder(s, row)
                    return s.call(
                        "HMGET",
                        row,
                        "attempts",
                        "state",
                        "owner",
                        "group",
                        "priority",
                        "stalled",
                        "deferred",
                        "cancel",
                        "dedup",
                        "wait",
                        "parent"
                    )
                end
                --- Completes one job by itself: kept as the terms say, or removed. `holder` is what `readHolder` says of it. Answers the
                -- verdict, empty when it is completed.
                -- 
                -- @cold
                local completeOneOnce = nil
                local function completeOne(s, base, id, token, holder, result, terms)
                    if completeOneOnce == nil then
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
                        --- Tells that a job is completed.
                        local function tellCompleted(s, base, heard, id, token, dedup, result)
                            local more = {"attempts", token}
                            if heard == 2 and result ~= false then
                                local isLarge = #result > 16384
                                more[3] = isLarge and "resultBytes" or "result"
                                more[4] = isLarge and s.text(#result) or result
                            end
                            tellOfJob(
                                s,
                                base,
                                "completed",
                                id,
                                dedup,
                                more
                            )
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
                        --- The outcome of a completed job: `c` without a result, `r` and the result, `l` for a result that is too large.
                        local function doneOutcome(result)
                            if result == false then
                                return "c"
                            end
                            return #result > 1048576 and "l" or "r" .. result
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
                        --- The number in a counter field, 0 when it is absent.
                        local function countOf(s, field)
                            return field == false and 0 or s.num(field)
                        end
                        --- Sets a counter field of a row, or drops it at 0 so that a row holds nothing that says nothing.
                        local function setCount(s, row, field, count)
                            if count > 0 then
                                s.call("HSET", row, field, count)
                            else
                                s.call("HDEL", row, field)
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
                        --- Reads the place where a job waits, before the first write: a foreign type ends the act there.
                        local function readPlace(s, base, group)
                            if group == false then
                                s.call("ZCARD", base .. "pending")
                            else
                                readLanes(s, base, {group}, 1)
                            end
                        end
                        --- Takes a job from where it waits; 1 if it waited there.
                        local function stopWaiting(s, base, id, group)
                            if group == false then
                                return s.call("ZREM", base .. "pending", id)
                            end
                            return leaveLane(s, base, group, id)
                        end
                        --- Tells a parent that a child has completed. Answers 1, or 0 when it says nothing new.
                        -- 
                        -- @cold
                        local childDoneOnce = nil
                        local function childDone(s, base, parent, child, result, open)
                            if childDoneOnce == nil then
                                --- The instant that a delay from now reaches; a longer one ends at the latest that there is.
                                local function dueIn(s, ms)
                                    return math.min(
                                        s.now() + ms,
                                        9007199254740991
                                    )
                                end
                                --- Whether limits keep the queue from being claimed from.
                                -- 
                                -- @cold
                                local isHeldBackOnce = nil
                                local function isHeldBack(s, base)
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
                                --- Pushes if the queue is claimable: not paused, below its limits, and flat work or a servable lane waits. `open` is
                                -- what {@link isOpen} said before the first write of the act.
                                local function pushIfClaimable(s, base, open)
                                    local call = s.call
                                    local wake = base .. "wake"
                                    if not open or call("EXISTS", wake) == 1 or call("EXISTS", base .. "pending", base .. "ring") == 0 then
                                        return
                                    end
                                    if call("EXISTS", base .. "meta", base .. "rest") > 0 and isHeldBack(s, base) then
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
                                --- Finds out which of up to {@link CHILDREN_AT_ONCE} completions are news to a parent.
                                local function gatherNews(s, row, children, results)
                                    local call = s.call
                                    local known = call(
                                        "HMGET",
                                        row .. ":children",
                                        unpack(children)
                                    )
                                    local done = call(
                                        "HMGET",
                                        row .. ":processed",
                                        unpack(children)
                                    )
                                    local ignored = call(
                                        "HMGET",
                                        row .. ":unsuccessful",
                                        unpack(children)
                                    )
                                    local gathered = {pairs = {}, healed = {}, counted = 0}
                                    local stop = #children
                                    local isListed = -1
                                    for i = 0, stop - 1 do
                                        if done[i + 1] == false and not isForgotten(s, known[i + 1]) then
                                            gathered.pairs[#gathered.pairs + 1] = children[i + 1]
                                            gathered.pairs[#gathered.pairs + 1] = results[i + 1]
                                            if known[i + 1] == false and isListed < 0 then
                                                isListed = call("EXISTS", row .. ":children")
                                            end
                                            if ignored[i + 1] ~= false then
                                                gathered.healed[#gathered.healed + 1] = children[i + 1]
                                            elseif known[i + 1] ~= false or isListed == 0 then
                                                gathered.counted = gathered.counted + 1
                                            end
                                        end
                                    end
                                    return gathered
                                end
                                --- Tells a parent that children have completed, each once in the list; answers how many were news. The first write is
                                -- one that a full server admits.
                                local function childrenDone(s, base, parent, children, results, open)
                                    local call = s.call
                                    local row = base .. "job:" .. parent
                                    local fields = call(
                                        "HMGET",
                                        row,
                                        unpack(RELEASE_FIELDS)
                                    )
                                    if fields[1] == false then
                                        return 0
                                    end
                                    local news = 0
                                    local counted = 0
                                    local part = {}
                                    local said = {}
                                    local stop = #children
                                    for i = 0, stop - 1 do
                                        part[#part + 1] = children[i + 1]
                                        said[#said + 1] = results[i + 1]
                                        if #part >= 200 or i == stop - 1 then
                                            local gathered = gatherNews(s, row, part, said)
                                            if #gathered.pairs > 0 then
                                                call(
                                                    "HDEL",
                                                    row .. ":failed",
                                                    unpack(part)
                                                )
                                                call(
                                                    "HSET",
                                                    row .. ":processed",
                                                    unpack(gathered.pairs)
                                                )
                                                if #gathered.healed > 0 then
                                                    call(
                                                        "HDEL",
                                                        row .. ":unsuccessful",
                                                        unpack(gathered.healed)
                                                    )
                                                end
                                                news = news + #gathered.pairs / 2
                                                counted = counted + gathered.counted
                                            end
                                            part = {}
                                            said = {}
                                        end
                                    end
                                    if news == 0 then
                                        return 0
                                    end
                                    local left = countDown(s, row, counted)
                                    if left == 0 and fields[1] == "awaiting_children" then
                                        releaseParent(
                                            s,
                                            base,
                                            parent,
                                            fields,
                                            open
                                        )
                                    end
                                    return news
                                end
                                childDoneOnce = function(s, base, parent, child, result, open)
                                    return childrenDone(
                                        s,
                                        base,
                                        parent,
                                        {child},
                                        {result},
                                        open
                                    )
                                end
                            end
                            return childDoneOnce(s, base, parent, child, result, open)
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
                        --- Tells that a job has completed. `result` is `false` for none, which is told as the job's id.
                        local function tellDone(s, base, ending, result)
                            if ending == false then
                                return
                            end
                            local kin = ending.kin
                            if kin.parent ~= "" then
                                childDone(
                                    s,
                                    base,
                                    kin.parent,
                                    kin.child,
                                    result == false and kin.child or result,
                                    ending.open
                                )
                            end
                            signalDone(s, base, kin, result)
                        end
                        --- The refusal of a settlement, empty when it is accepted. `gone` and `stale` are the verb's own texts.
                        local function judge(holder, token, gone, stale)
                            local attempts = holder[1]
                            if attempts == false then
                                return gone
                            end
                            if token == "0" or attempts ~= token then
                                return stale
                            end
                            local state = holder[2]
                            if state == "active" or state == "pending" and holder[3] ~= false then
                                return ""
                            end
                            return "EMQSTATE job is not active"
                        end
                        --- Takes an accepted job from where it waits after a lapse. The lapse was no crash and is taken back.
                        local function leaveWaiting(s, base, id, holder)
                            stopWaiting(s, base, id, holder[4])
                            setCount(
                                s,
                                base .. "job:" .. id,
                                "stalled",
                                countOf(s, holder[6]) - 1
                            )
                        end
                        --- Takes an accepted job from where it is; its row still says that it is held, which suits one that is to go.
                        local function leavePlace(s, base, id, holder)
                            local group = holder[4]
                            if holder[2] == "active" then
                                s.call("ZREM", base .. "active", id)
                                if group ~= false then
                                    releaseLane(s, base, group)
                                end
                            else
                                leaveWaiting(s, base, id, holder)
                            end
                        end
                        --- Ends the lease of an accepted settlement: out of `active`, or out of where a lapsed job waits. The lapse of a holder
                        -- that came back after all was no crash and is taken back.
                        local function endLease(s, base, id, holder)
                            local group = holder[4]
                            local row = base .. "job:" .. id
                            leavePlace(s, base, id, holder)
                            if group == false then
                                s.call("HDEL", row, "owner")
                            else
                                s.call("HDEL", row, "owner", "held")
                            end
                        end
                        --- The text of a field, empty where it is absent.
                        local function said(field)
                            return field == false and "" or field
                        end
                        completeOneOnce = function(s, base, id, token, holder, result, terms)
                            local call = s.call
                            local row = base .. "job:" .. id
                            local verdict = judge(holder, token, "0", "EMQSTALE complete token mismatch")
                            if verdict ~= "" then
                                return verdict
                            end
                            local isKept = terms.doneCount > 0
                            local names = readNames(
                                s,
                                base,
                                id,
                                holder[9],
                                not isKept
                            )
                            readPlace(s, base, holder[4])
                            readTally(s, base, "completed")
                            if isKept then
                                call("ZCARD", base .. "completed")
                                call("ZCARD", base .. "expiry")
                            end
                            local ____until = waitedUntil(s, holder[10], terms.resultMs)
                            if ____until > 0 then
                                tellWaiters(s, base, id)
                            end
                            local notice = noteEnd(
                                s,
                                base,
                                id,
                                holder[11],
                                "done",
                                "",
                                terms.wakes,
                                false
                            )
                            if terms.heard > 0 then
                                tellCompleted(
                                    s,
                                    base,
                                    terms.heard,
                                    id,
                                    token,
                                    holder[9],
                                    result
                                )
                            end
                            if isKept then
                                endLease(s, base, id, holder)
                                call(
                                    "HSET",
                                    row,
                                    "state",
                                    "completed",
                                    "finished_at",
                                    s.now()
                                )
                                if result ~= false then
                                    call("HSET", row, "result", result)
                                end
                                keep(
                                    s,
                                    base,
                                    "completed",
                                    id,
                                    terms.doneMs
                                )
                            else
                                leavePlace(s, base, id, holder)
                                deleteRow(s, row)
                            end
                            tally(s, base, "completed", 1)
                            tellDone(s, base, notice, result)
                            letGo(s, base, names)
                            if ____until > 0 then
                                leaveOutcome(
                                    s,
                                    base,
                                    id,
                                    doneOutcome(result),
                                    ____until
                                )
                            end
                            return ""
                        end
                    end
                    return completeOneOnce(s, base, id, token, holder, result, terms)
                end
                --- The terms of a turn that has been told none.
                -- 
                -- @cold
                local termsUntoldOnce = nil
                local function termsUntold(settled)
                    if termsUntoldOnce == nil then
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
                        termsUntoldOnce = function(settled)
                            local terms = plainTerms()
                            terms.heard = settled.heard
                            terms.wakes = false
                            return terms
                        end
                    end
                    return termsUntoldOnce(settled)
                end
                completeOtherOnce = function(s, base, settled, args, at, width, read, position)
                    local isFlat = read[2] == "active" and read[3] == false and read[4] == false and read[6] == false
                    if not isFlat then
                        settled.flat = false
                    end
                    local terms = settled.terms == false and termsUntold(settled) or settled.terms
                    local result = width > 2 and args[at + 3] or false
                    local holder = readHolder(s, base .. "job:" .. args[at + 1])
                    local verdict = completeOne(
                        s,
                        base,
                        args[at + 1],
                        args[at + 2],
                        holder,
                        result,
                        terms
                    )
                    if verdict ~= "" then
                        except(settled, position, verdict)
                    end
                    return verdict
                end
            end
            return completeOtherOnce(s, base, settled, args, at, width, read, position)
        end
        --- Gathers what the completion of a job of a lane or with parents takes besides its end, or of one that is heard of.
        -- 
        -- @cold
        local gatherMoreOnce = nil
        local function gatherMore(ending, settled, args, at, width, group, parent)
            if gatherMoreOnce == nil then
                --- A list of none.
                local function noCompletions()
                    return {ids = {}, parents = {}, results = {}}
                end
                --- Gathers what is told of one completion.
                local function gatherTold(ending, args, at, width)
                    local told = ending.told
                    local place = #told
                    told[place + 1] = args[at + 1]
                    told[place + 2] = args[at + 2]
                    told[place + 3] = width > 2 and args[at + 3] or false
                end
                --- Gathers one completion of a job that has parents.
                local function gatherChild(ending, parent, args, at, width)
                    local kids = ending.children == false and noCompletions() or ending.children
                    local next = #kids.ids
                    kids.ids[next + 1] = args[at + 1]
                    kids.parents[next + 1] = parent
                    kids.results[next + 1] = width > 2 and args[at + 3] or false
                    ending.children = kids
                end
                gatherMoreOnce = function(ending, settled, args, at, width, group, parent)
                    if group ~= false then
                        ending.groups[#ending.groups + 1] = group
                    end
                    if group ~= false or parent ~= false then
                        settled.flat = false
                    end
                    if settled.heard > 0 then
                        gatherTold(ending, args, at, width)
                    end
                    if parent ~= false then
                        gatherChild(
                            ending,
                            parent,
                            args,
                            at,
                            width
                        )
                    end
                end
            end
            return gatherMoreOnce(ending, settled, args, at, width, group, parent)
        end
        --- Tells what a run has gathered.
        -- 
        -- @cold
        local tellEndedOnce = nil
        local function tellEnded(s, base, heard, ending)
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
            if tellEndedOnce == nil then
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
                --- Tells that a job is completed.
                local function tellCompleted(s, base, heard, id, token, dedup, result)
                    local more = {"attempts", token}
                    if heard == 2 and result ~= false then
                        local isLarge = #result > 16384
                        more[3] = isLarge and "resultBytes" or "result"
                        more[4] = isLarge and s.text(#result) or result
                    end
                    tellOfJob(
                        s,
                        base,
                        "completed",
                        id,
                        dedup,
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
                --- The text of a field, empty where it is absent.
                local function said(field)
                    return field == false and "" or field
                end
                tellEndedOnce = function(s, base, heard, ending)
                    local told = ending.told
                    local stop = #told
                    for i = 0, stop - 1, 3 do
                        local id = told[i + 1]
                        local token = told[i + 2]
                        if id ~= false and token ~= false then
                            tellCompleted(
                                s,
                                base,
                                heard,
                                id,
                                token,
                                false,
                                told[i + 3]
                            )
                        end
                    end
                end
            end
            return tellEndedOnce(s, base, heard, ending)
        end
        --- Deletes every key of jobs of which one had more keys than ordinary ones.
        -- 
        -- @cold
        local deleteRestOnce = nil
        local function deleteRest(s, rows, from, past)
            if deleteRestOnce == nil then
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
                deleteRestOnce = function(s, rows, from, past)
                    for i = from, past - 1 do
                        deleteRow(s, rows[i + 1])
                    end
                end
            end
            return deleteRestOnce(s, rows, from, past)
        end
        --- Deletes what says who the parents of these jobs are.
        -- 
        -- @cold
        local function deleteParents(s, base, ids)
            local call = s.call
            for ____, id in ipairs(ids) do
                call("DEL", base .. "job:" .. id .. ":parents")
            end
        end
        --- Reads the lanes that a run is going to release.
        -- 
        -- @cold
        local readEndingOnce = nil
        local function readEnding(s, base, groups)
            if readEndingOnce == nil then
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
                readEndingOnce = function(s, base, groups)
                    readLanes(s, base, groups, 1)
                end
            end
            return readEndingOnce(s, base, groups)
        end
        --- Counts one leased job less in each of these lanes.
        -- 
        -- @cold
        local releaseAllOnce = nil
        local function releaseAll(s, base, groups)
            if releaseAllOnce == nil then
                --- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
                local function isResting(s, base, lane)
                    return s.call("ZSCORE", base .. "rest", lane) ~= false
                end
                --- The sorted set of a lane's waiting jobs.
                local function laneKey(base, group)
                    return base .. "g:" .. group .. ":pending"
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
                releaseAllOnce = function(s, base, groups)
                    for ____, group in ipairs(groups) do
                        releaseLane(s, base, group)
                    end
                end
            end
            return releaseAllOnce(s, base, groups)
        end
        --- Takes away the oldest kept jobs beyond their number after a run that may have added `added`.
        -- 
        -- @cold
        local trimCompletedOnce = nil
        local function trimCompleted(s, base, settled, added)
            if trimCompletedOnce == nil then
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
                trimCompletedOnce = function(s, base, settled, added)
                    local terms = settled.terms
                    if terms == false or terms.doneCount <= 0 then
                        return
                    end
                    dropOldest(
                        s,
                        base,
                        "completed",
                        findOldest(
                            s,
                            base,
                            "completed",
                            terms.doneCount,
                            0,
                            added
                        )
                    )
                end
            end
            return trimCompletedOnce(s, base, settled, added)
        end
        --- Begins the table of the rows of a run with those completed so far, since their ids ascend no more.
        -- 
        -- @cold
        local function tabulateRows(seen, rows)
            for ____, row in ipairs(rows) do
                seen[row] = true
            end
        end
        --- Settles a run of jobs that live on, or die.
        -- 
        -- @cold
        local settleRunOnce = nil
        local function settleRun(s, base, settled, args, from, width, position)
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
            if s.holds == nil then
                --- What kind of value a key holds. The server answers with a status, which its Lua gives as a table.
                local function holds(key)
                    return redis.call("TYPE", key).ok
                end
                s.holds = holds
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
            if settleRunOnce == nil then
                --- The instant that a delay from now reaches; a longer one ends at the latest that there is.
                local function dueIn(s, ms)
                    return math.min(
                        s.now() + ms,
                        9007199254740991
                    )
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
                --- Until when a lane, or with the empty name the queue, is not to be claimed from; 0 for no such time.
                local function restsUntil(s, base, subject)
                    local ____until = s.call("ZSCORE", base .. "rest", subject)
                    return ____until == false and 0 or s.num(____until)
                end
                --- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
                local function isResting(s, base, lane)
                    return s.call("ZSCORE", base .. "rest", lane) ~= false
                end
                --- Lets a lane, or the queue, rest until an instant; one that rests longer goes on doing so. It is taken out before it
                -- is put in: that is a write which a full server admits, and this may be the first of its act.
                local function letRest(s, base, subject, ____until)
                    if restsUntil(s, base, subject) >= ____until then
                        return
                    end
                    s.call("ZREM", base .. "rest", subject)
                    s.call("ZADD", base .. "rest", ____until, subject)
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
                --- Whether an id is of the kind that the queue admits. Its other eleven bytes are the host's concern.
                local function isJobId(id)
                    return string.sub(id, 1, 3) == "JOB"
                end
                --- The score at which a job waits: its priority, 0 when it has none.
                local function scoreOf(s, priority)
                    return priority == false and 0 or s.num(priority)
                end
                --- The number in a counter field, 0 when it is absent.
                local function countOf(s, field)
                    return field == false and 0 or s.num(field)
                end
                --- Sets a counter field of a row, or drops it at 0 so that a row holds nothing that says nothing.
                local function setCount(s, row, field, count)
                    if count > 0 then
                        s.call("HSET", row, field, count)
                    else
                        s.call("HDEL", row, field)
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
                --- Counts one leased job more, for a job that was claimed from the flat queue although its row names a lane. If the lane
                -- reaches its limit by it, it leaves the ring.
                local function occupyLane(s, base, group)
                    local call = s.call
                    local active = call("HINCRBY", base .. "gactive", group, 1)
                    local limit = call("HGET", base .. "glimit", group)
                    if limit == false or active ~= s.num(limit) then
                        return
                    end
                    if call(
                        "ZCARD",
                        laneKey(base, group)
                    ) > 0 then
                        call("LREM", base .. "ring", 1, group)
                    end
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
                --- Tells a parent that a child has failed, or was removed. `policy` is what the news says, for a parent that was not
                -- told of the child. Answers 1, 2 when the parent is dead by it and has signalled its own parents, or 0 when it says
                -- nothing new. The first write is one that a full server admits.
                -- 
                -- @cold
                local childFailedOnce = nil
                local function childFailed(s, base, parent, child, ____error, policy, isRemoved, open)
                    if childFailedOnce == nil then
                        --- Whether limits keep the queue from being claimed from.
                        -- 
                        -- @cold
                        local isHeldBackOnce = nil
                        local function isHeldBack(s, base)
                            if isHeldBackOnce == nil then
                                --- A whole number in a field that others may have written; `other` for anything else.
                                local function numberIn(s, field, most, other)
                                    return field ~= false and s.int(field, 0, most) and s.num(field) or other
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
                        --- Pushes if the queue is claimable: not paused, below its limits, and flat work or a servable lane waits. `open` is
                        -- what {@link isOpen} said before the first write of the act.
                        local function pushIfClaimable(s, base, open)
                            local call = s.call
                            local wake = base .. "wake"
                            if not open or call("EXISTS", wake) == 1 or call("EXISTS", base .. "pending", base .. "ring") == 0 then
                                return
                            end
                            if call("EXISTS", base .. "meta", base .. "rest") > 0 and isHeldBack(s, base) then
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
                --- Tells that a job is dead.
                local function tellDead(s, base, ending, ____error)
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
                            ____error,
                            kin.policy,
                            false,
                            ending.open
                        )
                    end
                    signalFailed(
                        s,
                        base,
                        kin,
                        ____error,
                        false
                    )
                end
                --- What a settlement reads of a row, in this order.
                local function readHolder(s, row)
                    return s.call(
                        "HMGET",
                        row,
                        "attempts",
                        "state",
                        "owner",
                        "group",
                        "priority",
                        "stalled",
                        "deferred",
                        "cancel",
                        "dedup",
                        "wait",
                        "parent"
                    )
                end
                --- The refusal of a settlement, empty when it is accepted. `gone` and `stale` are the verb's own texts.
                local function judge(holder, token, gone, stale)
                    local attempts = holder[1]
                    if attempts == false then
                        return gone
                    end
                    if token == "0" or attempts ~= token then
                        return stale
                    end
                    local state = holder[2]
                    if state == "active" or state == "pending" and holder[3] ~= false then
                        return ""
                    end
                    return "EMQSTATE job is not active"
                end
                --- Takes an accepted job from where it waits after a lapse. The lapse was no crash and is taken back.
                local function leaveWaiting(s, base, id, holder)
                    stopWaiting(s, base, id, holder[4])
                    setCount(
                        s,
                        base .. "job:" .. id,
                        "stalled",
                        countOf(s, holder[6]) - 1
                    )
                end
                --- Takes an accepted job from where it is; its row still says that it is held, which suits one that is to go.
                local function leavePlace(s, base, id, holder)
                    local group = holder[4]
                    if holder[2] == "active" then
                        s.call("ZREM", base .. "active", id)
                        if group ~= false then
                            releaseLane(s, base, group)
                        end
                    else
                        leaveWaiting(s, base, id, holder)
                    end
                end
                --- Ends the lease of an accepted settlement: out of `active`, or out of where a lapsed job waits. The lapse of a holder
                -- that came back after all was no crash and is taken back.
                local function endLease(s, base, id, holder)
                    local group = holder[4]
                    local row = base .. "job:" .. id
                    leavePlace(s, base, id, holder)
                    if group == false then
                        s.call("HDEL", row, "owner")
                    else
                        s.call("HDEL", row, "owner", "held")
                    end
                end
                --- Ends the lease of an accepted settlement after which the job holds its ordered lane: the lane goes on counting it.
                local function keepLane(s, base, id, holder, group)
                    if holder[2] == "active" then
                        s.call("ZREM", base .. "active", id)
                    else
                        leaveWaiting(s, base, id, holder)
                        occupyLane(s, base, group)
                    end
                    s.call("HDEL", base .. "job:" .. id, "owner")
                    s.call("HSET", base .. "job:" .. id, "held", "1")
                end
                --- Ends the lease of a job that goes into the schedule. In an ordered lane it holds the lane meanwhile. Everything that
                -- scheduling writes to is read before the first write.
                local function leaveForSchedule(s, base, id, holder)
                    local group = holder[4]
                    s.call("ZCARD", base .. "schedule")
                    if group ~= false then
                        readLanes(s, base, {group}, 1)
                    end
                    if group ~= false and isOrdered(s, base, group) then
                        keepLane(
                            s,
                            base,
                            id,
                            holder,
                            group
                        )
                    else
                        endLease(s, base, id, holder)
                    end
                end
                --- The text of a field, empty where it is absent.
                local function said(field)
                    return field == false and "" or field
                end
                --- Tells that a job goes into the schedule until `due`.
                local function tellScheduled(s, base, id, holder, due)
                    tellOfJob(
                        s,
                        base,
                        "scheduled",
                        id,
                        holder[9],
                        {
                            "dueAt",
                            s.text(due)
                        }
                    )
                end
                --- Tells that an attempt failed.
                local function tellFailed(s, base, id, holder, ____error)
                    tellOfJob(
                        s,
                        base,
                        "failed",
                        id,
                        holder[9],
                        {
                            "attempts",
                            said(holder[1]),
                            "error",
                            ____error
                        }
                    )
                end
                --- Puts an accepted job into the schedule and counts the interruption. `heard` is what `heardBy` says.
                local function defer(s, base, id, holder, due, heard)
                    local call = s.call
                    local row = base .. "job:" .. id
                    if heard > 0 then
                        tellScheduled(
                            s,
                            base,
                            id,
                            holder,
                            due
                        )
                    end
                    leaveForSchedule(s, base, id, holder)
                    call(
                        "HSET",
                        row,
                        "state",
                        "scheduled",
                        "deferred",
                        countOf(s, holder[7]) + 1
                    )
                    call("ZADD", base .. "schedule", due, id)
                end
                --- Lets an accepted job wait at its place again and counts the interruption.
                local function giveUp(s, base, id, holder)
                    local call = s.call
                    local row = base .. "job:" .. id
                    local group = holder[4]
                    readPlace(s, base, group)
                    local ordered = isOrdered(s, base, group)
                    endLease(s, base, id, holder)
                    call(
                        "HSET",
                        row,
                        "state",
                        "pending",
                        "deferred",
                        countOf(s, holder[7]) + 1
                    )
                    if ordered and group ~= false then
                        letWaitFirst(s, base, id, group)
                    else
                        letWait(
                            s,
                            base,
                            id,
                            group,
                            holder[5]
                        )
                    end
                end
                --- Ends an accepted job as dead.
                local function kill(s, base, id, holder, ____error, terms)
                    local oldest = readDeaths(s, base, terms, 1)
                    if holder[4] ~= false then
                        readLanes(s, base, {holder[4]}, 1)
                    end
                    local names = readNames(
                        s,
                        base,
                        id,
                        holder[9],
                        terms.deadCount == 0
                    )
                    local ____until = waitedUntil(s, holder[10], terms.resultMs)
                    local notice = noteEnd(
                        s,
                        base,
                        id,
                        holder[11],
                        "failed",
                        ____error,
                        terms.wakes,
                        false
                    )
                    if ____until > 0 then
                        tellWaiters(s, base, id)
                    end
                    if terms.heard > 0 then
                        tellFailed(
                            s,
                            base,
                            id,
                            holder,
                            ____error
                        )
                        tellOfJob(
                            s,
                            base,
                            "dead",
                            id,
                            holder[9],
                            {"error", ____error}
                        )
                    end
                    endLease(s, base, id, holder)
                    bury(
                        s,
                        base,
                        id,
                        ____error,
                        terms,
                        ____until
                    )
                    tellDead(s, base, notice, ____error)
                    dropOldest(s, base, "dead", oldest)
                    letGo(s, base, names)
                end
                --- Ends an accepted attempt as failed. It is dead when its failures (attempts less crashes and interruptions) reach
                -- `max`, or when a cancel was asked for; otherwise it is tried again after `delay`. Answers `dead` or `scheduled`.
                local function fail(s, base, id, holder, delay, max, ____error, terms)
                    local call = s.call
                    local row = base .. "job:" .. id
                    local lapsed = holder[2] == "active" and 0 or 1
                    local crashes = math.max(
                        0,
                        countOf(s, holder[6]) - lapsed
                    )
                    local failures = countOf(s, holder[1]) - crashes - countOf(s, holder[7])
                    if failures >= max or holder[8] ~= false then
                        kill(
                            s,
                            base,
                            id,
                            holder,
                            ____error,
                            terms
                        )
                        return "dead"
                    end
                    local due = dueIn(s, delay)
                    if terms.heard > 0 then
                        tellFailed(
                            s,
                            base,
                            id,
                            holder,
                            ____error
                        )
                        tellScheduled(
                            s,
                            base,
                            id,
                            holder,
                            due
                        )
                    end
                    leaveForSchedule(s, base, id, holder)
                    call(
                        "HSET",
                        row,
                        "state",
                        "scheduled",
                        "last_error",
                        ____error
                    )
                    call("ZADD", base .. "schedule", due, id)
                    return "scheduled"
                end
                --- The terms of a turn that has been told none.
                -- 
                -- @cold
                local termsUntoldOnce = nil
                local function termsUntold(settled)
                    if termsUntoldOnce == nil then
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
                        termsUntoldOnce = function(settled)
                            local terms = plainTerms()
                            terms.heard = settled.heard
                            terms.wakes = false
                            return terms
                        end
                    end
                    return termsUntoldOnce(settled)
                end
                --- The token refusal of an op, in the words of its own verb.
                local function staleText(op)
                    if op == "b" or op == "l" then
                        return "EMQSTALE giveback token mismatch"
                    end
                    return (op == "f" or op == "k") and "EMQSTALE retry token mismatch" or "EMQSTALE delay token mismatch"
                end
                --- Settles one job that lives on; answers the verdict, empty when it went as asked.
                local function settleOne(s, base, settled, op, args, at)
                    local id = args[at + 1]
                    if (op == "d" or op == "a") and not isJobId(id) then
                        return "EMQKIND job id must be JOB-namespaced"
                    end
                    local holder = readHolder(s, base .. "job:" .. id)
                    local refusal = judge(
                        holder,
                        args[at + 2],
                        "EMQSTALE job gone",
                        staleText(op)
                    )
                    if refusal ~= "" then
                        return refusal
                    end
                    if op == "b" then
                        giveUp(s, base, id, holder)
                        return ""
                    end
                    if op == "l" then
                        s.call("ZCARD", base .. "rest")
                        giveUp(s, base, id, holder)
                        letRest(
                            s,
                            base,
                            "",
                            dueIn(
                                s,
                                s.num(args[at + 3])
                            )
                        )
                        settled.rested = true
                        return ""
                    end
                    if op == "k" then
                        kill(
                            s,
                            base,
                            id,
                            holder,
                            args[at + 3],
                            settled.terms == false and termsUntold(settled) or settled.terms
                        )
                        return ""
                    end
                    if op == "f" then
                        local terms = settled.terms == false and termsUntold(settled) or settled.terms
                        local word = fail(
                            s,
                            base,
                            id,
                            holder,
                            s.num(args[at + 3]),
                            s.num(args[at + 4]),
                            args[at + 5],
                            terms
                        )
                        if word == "dead" then
                            return word
                        end
                    else
                        local ms = s.num(args[at + 3])
                        defer(
                            s,
                            base,
                            id,
                            holder,
                            op == "d" and dueIn(s, ms) or ms,
                            settled.heard
                        )
                    end
                    settled.scheduled[#settled.scheduled + 1] = id
                    return ""
                end
                settleRunOnce = function(s, base, settled, args, from, width, position)
                    local op = args[from - 2 + 1]
                    local past = from + s.num(args[from]) * width
                    settled.flat = false
                    local place = position
                    for at = from, past - 1, width do
                        local verdict = settleOne(
                            s,
                            base,
                            settled,
                            op,
                            args,
                            at
                        )
                        if verdict ~= "" then
                            except(settled, place, verdict)
                        end
                        place = place + 1
                    end
                end
            end
            return settleRunOnce(s, base, settled, args, from, width, position)
        end
        --- Takes the terms at position `at` for the runs that follow.
        -- 
        -- @cold
        local takeTermsOnce = nil
        local function takeTerms(s, base, settled, args, at)
            if takeTermsOnce == nil then
                --- Fills in what the queue says about completed jobs where the call did not.
                local function askQueue(s, base, terms)
                    if terms.doneCount >= 0 then
                        return
                    end
                    local said = s.call("HMGET", base .. "meta", "keep_n", "keep_ms")
                    local count = said[1]
                    local ms = said[2]
                    if ms ~= false and s.int(ms, 0, 9007199254740991) then
                        terms.doneMs = s.num(ms)
                        if terms.doneMs > 0 then
                            terms.doneCount = 9007199254740991
                        end
                    end
                    if count ~= false and s.int(count, 0, 9007199254740991) then
                        terms.doneCount = s.num(count)
                    end
                end
                --- The text of a field, empty where it is absent.
                local function said(field)
                    return field == false and "" or field
                end
                --- Lets the terms hold from here on, with what the queue says where they say nothing.
                local function setTerms(s, base, settled, terms)
                    askQueue(s, base, terms)
                    settled.terms = terms
                    settled.plain = terms.doneCount <= 0 and terms.resultMs == 0
                end
                takeTermsOnce = function(s, base, settled, args, at)
                    local terms = {
                        doneCount = args[at + 1] == "" and -1 or s.num(args[at + 1]),
                        doneMs = s.num(args[at + 2]),
                        deadCount = s.num(args[at + 3]),
                        deadMs = s.num(args[at + 4]),
                        resultMs = s.num(args[at + 5]),
                        heard = settled.heard,
                        wakes = false
                    }
                    setTerms(s, base, settled, terms)
                end
            end
            return takeTermsOnce(s, base, settled, args, at)
        end
        --- Takes the terms of the queue.
        -- 
        -- @cold
        local takeQueueTermsOnce = nil
        local function takeQueueTerms(s, base, settled)
            if takeQueueTermsOnce == nil then
                --- Fills in what the queue says about completed jobs where the call did not.
                local function askQueue(s, base, terms)
                    if terms.doneCount >= 0 then
                        return
                    end
                    local said = s.call("HMGET", base .. "meta", "keep_n", "keep_ms")
                    local count = said[1]
                    local ms = said[2]
                    if ms ~= false and s.int(ms, 0, 9007199254740991) then
                        terms.doneMs = s.num(ms)
                        if terms.doneMs > 0 then
                            terms.doneCount = 9007199254740991
                        end
                    end
                    if count ~= false and s.int(count, 0, 9007199254740991) then
                        terms.doneCount = s.num(count)
                    end
                end
                --- The text of a field, empty where it is absent.
                local function said(field)
                    return field == false and "" or field
                end
                --- The terms of a turn that has been told none.
                -- 
                -- @cold
                local termsUntoldOnce = nil
                local function termsUntold(settled)
                    if termsUntoldOnce == nil then
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
                        termsUntoldOnce = function(settled)
                            local terms = plainTerms()
                            terms.heard = settled.heard
                            terms.wakes = false
                            return terms
                        end
                    end
                    return termsUntoldOnce(settled)
                end
                --- Lets the terms hold from here on, with what the queue says where they say nothing.
                local function setTerms(s, base, settled, terms)
                    askQueue(s, base, terms)
                    settled.terms = terms
                    settled.plain = terms.doneCount <= 0 and terms.resultMs == 0
                end
                takeQueueTermsOnce = function(s, base, settled)
                    setTerms(
                        s,
                        base,
                        settled,
                        termsUntold(settled)
                    )
                end
            end
            return takeQueueTermsOnce(s, base, settled)
        end
        --- Writes what a pass has put aside, which has left its set.
        -- 
        -- @cold
        local placeAsideOnce = nil
        local function placeAside(s, lease, pass, lane)
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
            if s.holds == nil then
                --- What kind of value a key holds. The server answers with a status, which its Lua gives as a table.
                local function holds(key)
                    return redis.call("TYPE", key).ok
                end
                s.holds = holds
            end
            if placeAsideOnce == nil then
                --- Writes what a claim has noted: the overdue jobs have left the place where they waited.
                -- 
                -- @cold
                local endTimedOnce = nil
                local function endTimed(s, base, timed)
                    if endTimedOnce == nil then
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
                        --- Tells a parent that a child has failed, or was removed. `policy` is what the news says, for a parent that was not
                        -- told of the child. Answers 1, 2 when the parent is dead by it and has signalled its own parents, or 0 when it says
                        -- nothing new. The first write is one that a full server admits.
                        -- 
                        -- @cold
                        local childFailedOnce = nil
                        local function childFailed(s, base, parent, child, ____error, policy, isRemoved, open)
                            if childFailedOnce == nil then
                                --- The instant that a delay from now reaches; a longer one ends at the latest that there is.
                                local function dueIn(s, ms)
                                    return math.min(
                                        s.now() + ms,
                                        9007199254740991
                                    )
                                end
                                --- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
                                local function isResting(s, base, lane)
                                    return s.call("ZSCORE", base .. "rest", lane) ~= false
                                end
                                --- Whether limits keep the queue from being claimed from.
                                -- 
                                -- @cold
                                local isHeldBackOnce = nil
                                local function isHeldBack(s, base)
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
                                --- Pushes if the queue is claimable: not paused, below its limits, and flat work or a servable lane waits. `open` is
                                -- what {@link isOpen} said before the first write of the act.
                                local function pushIfClaimable(s, base, open)
                                    local call = s.call
                                    local wake = base .. "wake"
                                    if not open or call("EXISTS", wake) == 1 or call("EXISTS", base .. "pending", base .. "ring") == 0 then
                                        return
                                    end
                                    if call("EXISTS", base .. "meta", base .. "rest") > 0 and isHeldBack(s, base) then
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
                        --- Tells that a job is dead.
                        local function tellDead(s, base, ending, ____error)
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
                                    ____error,
                                    kin.policy,
                                    false,
                                    ending.open
                                )
                            end
                            signalFailed(
                                s,
                                base,
                                kin,
                                ____error,
                                false
                            )
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
                        endTimedOnce = function(s, base, timed)
                            for ____, id in ipairs(timed.begun) do
                                s.call("HDEL", base .. "job:" .. id, "expires")
                            end
                            removeMembers(s, base .. "ttl", timed.begun)
                            local terms = plainTerms()
                            for ____, job in ipairs(timed.overdue) do
                                endOverdue(
                                    s,
                                    base,
                                    job,
                                    job.names,
                                    terms
                                )
                            end
                        end
                    end
                    return endTimedOnce(s, base, timed)
                end
                --- Puts jobs that must not run yet into the schedule. They have left their lane; if it is ordered, there is one, and it
                -- holds the lane.
                -- 
                -- @cold
                local function postpone(s, lease, pass, lane)
                    local call = s.call
                    local stop = #pass.late
                    for i = 0, stop - 1 do
                        local id = pass.late[i + 1]
                        local row = lease.base .. "job:" .. id
                        if lease.held then
                            call(
                                "HSET",
                                row,
                                "state",
                                "scheduled",
                                "held",
                                "1"
                            )
                            call("HINCRBY", lease.base .. "gactive", lane, 1)
                        else
                            call("HSET", row, "state", "scheduled")
                        end
                        call("HDEL", row, "owner")
                        call("ZADD", lease.base .. "schedule", pass.dues[i + 1], id)
                        lease.late[#lease.late + 1] = id
                    end
                end
                --- Lets flat jobs wait in the lanes of their names. They have left the flat queue. The lanes that come onto the ring by
                -- it are not in the round of this act, so whoever sorts leaves work behind.
                -- 
                -- @cold
                local sortIntoLanesOnce = nil
                local function sortIntoLanes(s, lease, pass)
                    if sortIntoLanesOnce == nil then
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
                        --- Lets a job wait in its lane. The first member of a servable lane brings it onto the ring.
                        local function enterLane(s, base, group, id, score)
                            local call = s.call
                            local lane = laneKey(base, group)
                            local added = call("ZADD", lane, score, id)
                            if added == 1 and call("ZCARD", lane) == 1 and isServable(s, base, group) then
                                call("RPUSH", base .. "ring", group)
                            end
                        end
                        sortIntoLanesOnce = function(s, lease, pass)
                            local stop = #pass.sorted
                            for i = 0, stop - 1 do
                                local id = pass.sorted[i + 1]
                                s.call("HSET", lease.base .. "job:" .. id, "group", pass.lanes[i + 1])
                                enterLane(
                                    s,
                                    lease.base,
                                    pass.lanes[i + 1],
                                    id,
                                    pass.scores[i + 1]
                                )
                            end
                            lease.sorted = lease.sorted + stop
                            if lease.sorted >= 200 then
                                lease.full = true
                            end
                        end
                    end
                    return sortIntoLanesOnce(s, lease, pass)
                end
                placeAsideOnce = function(s, lease, pass, lane)
                    if #pass.late > 0 then
                        postpone(s, lease, pass, lane)
                    end
                    if #pass.sorted > 0 then
                        sortIntoLanes(s, lease, pass)
                    end
                    if #pass.begun + #pass.overdue > 0 then
                        endTimed(s, lease.base, pass)
                    end
                    lease.overdue = lease.overdue + #pass.overdue
                    if lease.overdue >= 100 then
                        lease.full = true
                    end
                end
            end
            return placeAsideOnce(s, lease, pass, lane)
        end
        --- Notes the lane that the row of a flat job names, after reading it.
        -- 
        -- @cold
        local noteForeignOnce = nil
        local function noteForeign(s, base, pass, group)
            if noteForeignOnce == nil then
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
                noteForeignOnce = function(s, base, pass, group)
                    readLanes(s, base, {group}, 1)
                    if #pass.foreign == 0 then
                        pass.foreign = {}
                    end
                    pass.foreign[#pass.foreign + 1] = group
                end
            end
            return noteForeignOnce(s, base, pass, group)
        end
        --- Counts flat jobs in the lanes that their rows name.
        -- 
        -- @cold
        local occupyForeignOnce = nil
        local function occupyForeign(s, base, groups)
            if occupyForeignOnce == nil then
                --- The sorted set of a lane's waiting jobs.
                local function laneKey(base, group)
                    return base .. "g:" .. group .. ":pending"
                end
                --- Counts one leased job more, for a job that was claimed from the flat queue although its row names a lane. If the lane
                -- reaches its limit by it, it leaves the ring.
                local function occupyLane(s, base, group)
                    local call = s.call
                    local active = call("HINCRBY", base .. "gactive", group, 1)
                    local limit = call("HGET", base .. "glimit", group)
                    if limit == false or active ~= s.num(limit) then
                        return
                    end
                    if call(
                        "ZCARD",
                        laneKey(base, group)
                    ) > 0 then
                        call("LREM", base .. "ring", 1, group)
                    end
                end
                occupyForeignOnce = function(s, base, groups)
                    for ____, group in ipairs(groups) do
                        occupyLane(s, base, group)
                    end
                end
            end
            return occupyForeignOnce(s, base, groups)
        end
        --- Reads the rows of waiting ids where some may be put aside, until the claim is full or a head holds its lane; answers
        -- how many ids are to leave the set. `mayStand`: each has to be asked, and not those alone that must not run yet.
        -- 
        -- @cold
        local readChoosingOnce = nil
        local function readChoosing(s, lease, pass, waiting, lane, mayStand)
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
            if readChoosingOnce == nil then
                --- Finds out what keeps a waiting job from being leased now, and notes it after reading what it writes to; answers
                -- whether there is anything. A job that is too dear for what is left makes the claim `short` and stays where it is;
                -- all others leave their set. `fields` are those of its row.
                -- 
                -- @cold
                local setAsideOnce = nil
                local function setAside(s, lease, pass, id, fields, lane)
                    if setAsideOnce == nil then
                        --- A whole number in a field that others may have written; `other` for anything else.
                        local function numberIn(s, field, most, other)
                            return field ~= false and s.int(field, 0, most) and s.num(field) or other
                        end
                        --- What an aged rate can hold, which is what a job costs at most.
                        local function capacity(rate)
                            return rate.burst > 0 and rate.burst or rate.max
                        end
                        --- What a job with this field `cost` takes from a rate.
                        local function priceOf(s, rate, cost)
                            return math.min(
                                math.max(
                                    1,
                                    numberIn(s, cost, 1048576, 1)
                                ),
                                capacity(rate)
                            )
                        end
                        --- Whether a rate has enough left for a job with this field `cost`; notes what it lacks if not.
                        local function affords(s, rate, cost)
                            local price = priceOf(s, rate, cost)
                            rate.lacks = price > rate.left and price or 0
                            return rate.lacks == 0
                        end
                        --- Takes what a job with this field `cost` costs from what a rate has left.
                        local function charge(s, rate, cost)
                            local price = priceOf(s, rate, cost)
                            rate.left = rate.left - price
                            rate.spent = rate.spent + price
                        end
                        --- Looks whether a job that a claim has come to has a time to live. Answers whether it is over, and notes that after
                        -- reading what its end writes to; `begins` says whether one that is in time is leased and so noted as well.
                        -- 
                        -- @cold
                        local noteTimedOnce = nil
                        local function noteTimed(s, base, timed, id, begins)
                            if noteTimedOnce == nil then
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
                                --- The text of a field, empty where it is absent.
                                local function said(field)
                                    return field == false and "" or field
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
                                noteTimedOnce = function(s, base, timed, id, begins)
                                    local call = s.call
                                    local fields = call(
                                        "HMGET",
                                        base .. "job:" .. id,
                                        "state",
                                        "group",
                                        "dedup",
                                        "wait",
                                        "expires",
                                        "parent"
                                    )
                                    if fields[5] == false then
                                        return false
                                    end
                                    if not isOver(s, fields[5]) then
                                        if not begins then
                                            return false
                                        end
                                        if #timed.begun == 0 then
                                            timed.begun = {}
                                        end
                                        timed.begun[#timed.begun + 1] = id
                                        return false
                                    end
                                    if #timed.overdue == 0 then
                                        readTally(s, base, "failed")
                                        call("ZCARD", base .. "dead")
                                        timed.overdue = {}
                                    end
                                    local told = #timed.overdue > 0 and timed.overdue[1].told or nothingTold()
                                    timed.overdue[#timed.overdue + 1] = readOverdue(
                                        s,
                                        base,
                                        id,
                                        fields,
                                        plainTerms(),
                                        told
                                    )
                                    return true
                                end
                            end
                            return noteTimedOnce(s, base, timed, id, begins)
                        end
                        --- Whether the row of a lane's job says that it must not run yet; its `due` is the tenth of the fields.
                        local function isLate(s, fields)
                            local due = fields[10]
                            return due ~= false and s.int(due, 0, 9007199254740991) and s.num(due) > s.now()
                        end
                        --- Notes a job that must not run yet, after reading what putting it into the schedule writes to.
                        -- 
                        -- @cold
                        local noteLateOnce = nil
                        local function noteLate(s, lease, pass, id, due, lane)
                            if noteLateOnce == nil then
                                --- Whether the lane of a row is in strict order. To be asked before the first write.
                                local function isOrdered(s, base, group)
                                    return group ~= false and s.call("SISMEMBER", base .. "gordered", group) == 1
                                end
                                noteLateOnce = function(s, lease, pass, id, due, lane)
                                    local at = #pass.late
                                    if at == 0 then
                                        s.call("ZCARD", lease.base .. "schedule")
                                        pass.late = {}
                                        pass.dues = {}
                                    end
                                    pass.late[at + 1] = id
                                    pass.dues[at + 1] = due == false and "0" or due
                                    if isOrdered(s, lease.base, lane) then
                                        lease.held = true
                                    end
                                end
                            end
                            return noteLateOnce(s, lease, pass, id, due, lane)
                        end
                        --- Notes a flat job whose name has a limit, after reading what putting it into the lane of its name writes to. Answers
                        -- whether it has one.
                        -- 
                        -- @cold
                        local noteSortedOnce = nil
                        local function noteSorted(s, lease, pass, id, name)
                            if noteSortedOnce == nil then
                                --- The score at which a job waits: its priority, 0 when it has none.
                                local function scoreOf(s, priority)
                                    return priority == false and 0 or s.num(priority)
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
                                --- The lane of the jobs of a name that has a limit.
                                local function laneOfName(name)
                                    return name == false and "@default" or "@" .. name
                                end
                                noteSortedOnce = function(s, lease, pass, id, name)
                                    local call = s.call
                                    local base = lease.base
                                    local lane = laneOfName(name)
                                    if call("HEXISTS", base .. "rate", "m" .. lane) == 0 then
                                        return false
                                    end
                                    readLanes(s, base, {lane}, 1)
                                    local at = #pass.sorted
                                    if at == 0 then
                                        pass.scores = {}
                                        pass.sorted = {}
                                        pass.lanes = {}
                                    end
                                    pass.scores[at + 1] = scoreOf(
                                        s,
                                        call("HGET", base .. "job:" .. id, "priority")
                                    )
                                    pass.sorted[at + 1] = id
                                    pass.lanes[at + 1] = lane
                                    return true
                                end
                            end
                            return noteSortedOnce(s, lease, pass, id, name)
                        end
                        --- Whether what is left of the rates suffices for a job of this cost. The lane is asked first: it alone rests then.
                        local function suffices(s, lease, cost)
                            local ofLane = lease.laneRate
                            local ofQueue = lease.gate.rate
                            if ofLane ~= false and not affords(s, ofLane, cost) then
                                return false
                            end
                            return ofQueue == false or affords(s, ofQueue, cost)
                        end
                        --- Takes what a job costs from the rates.
                        local function pay(s, lease, cost)
                            local ofLane = lease.laneRate
                            local ofQueue = lease.gate.rate
                            if ofLane ~= false then
                                charge(s, ofLane, cost)
                            end
                            if ofQueue ~= false then
                                charge(s, ofQueue, cost)
                            end
                        end
                        setAsideOnce = function(s, lease, pass, id, fields, lane)
                            local pays = isPaying(lease)
                            local ____pays_0
                            if pays then
                                ____pays_0 = s.call("HGET", lease.base .. "job:" .. id, "cost")
                            else
                                ____pays_0 = false
                            end
                            local cost = ____pays_0
                            local goes = not pays or suffices(s, lease, cost)
                            if lease.timed > 0 and noteTimed(
                                s,
                                lease.base,
                                pass,
                                id,
                                goes
                            ) then
                                return true
                            end
                            local isNamed = lane == "" and fields[6] == false and lease.gate.named
                            if isNamed and noteSorted(
                                s,
                                lease,
                                pass,
                                id,
                                fields[4]
                            ) then
                                return true
                            end
                            if lane ~= "" and isLate(s, fields) then
                                noteLate(
                                    s,
                                    lease,
                                    pass,
                                    id,
                                    fields[10],
                                    lane
                                )
                                return true
                            end
                            if pays and goes then
                                pay(s, lease, cost)
                            end
                            lease.short = not goes
                            return lease.short
                        end
                    end
                    return setAsideOnce(s, lease, pass, id, fields, lane)
                end
                --- Reads the row of a waiting id. Its `attempts` come back as `false` when it cannot be leased: the row is gone or waits
                -- elsewhere, or the payload would pass the budget, which also sets `full`.
                local function readWaiting(s, claim, row, lane)
                    local fields = s.call(
                        "HMGET",
                        row,
                        "state",
                        "attempts",
                        "payload",
                        "name",
                        "opts",
                        "group",
                        "stalled",
                        "deferred",
                        "owner",
                        "due"
                    )
                    if fields[1] ~= "pending" or lane ~= "" and fields[6] ~= lane then
                        fields[2] = false
                    elseif fields[2] ~= false then
                        local bytes = fields[3] == false and 0 or #fields[3]
                        if claim.payload > 0 and claim.payload + bytes > 1048576 then
                            claim.full = true
                            fields[2] = false
                        else
                            claim.payload = claim.payload + bytes
                        end
                    end
                    return fields
                end
                readChoosingOnce = function(s, lease, pass, waiting, lane, mayStand)
                    local prefix = lease.base .. "job:"
                    local ids = pass.ids
                    local stop = #waiting
                    local looked = 0
                    while looked < stop and not lease.full and not lease.held and not lease.short and lease.sorted + #pass.sorted < 200 and lease.overdue + #pass.overdue < 100 do
                        local row = prefix .. waiting[looked + 1]
                        local fields = readWaiting(s, lease, row, lane)
                        local attempts = fields[2]
                        local looks = mayStand or lane ~= "" and fields[10] ~= false
                        if attempts ~= false and looks and setAside(
                            s,
                            lease,
                            pass,
                            waiting[looked + 1],
                            fields,
                            lane
                        ) then
                        elseif attempts ~= false then
                            local at = #ids
                            pass.tokens[at + 1] = s.num(attempts) + 1
                            ids[at + 1] = waiting[looked + 1]
                            pass.rows[at + 1] = row
                            pass.owners[at + 1] = fields[9]
                            if lane == "" and fields[6] ~= false then
                                noteForeign(s, lease.base, pass, fields[6])
                            end
                            local place = #lease.jobs
                            answer(lease.jobs, place, waiting[looked + 1], fields)
                            answerCounters(lease.jobs, place, fields[7], fields[8])
                        end
                        if not lease.full and not lease.short then
                            looked = looked + 1
                        end
                    end
                    return looked
                end
            end
            return readChoosingOnce(s, lease, pass, waiting, lane, mayStand)
        end
        --- Tells which jobs are claimed, before they leave their set.
        -- 
        -- @cold
        local tellActiveOnce = nil
        local function tellActive(s, lease, pass)
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
            if tellActiveOnce == nil then
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
                --- The text of a field, empty where it is absent.
                local function said(field)
                    return field == false and "" or field
                end
                tellActiveOnce = function(s, lease, pass)
                    local stop = #pass.ids
                    for i = 0, stop - 1 do
                        local fields = s.call(
                            "HMGET",
                            pass.rows[i + 1],
                            "alias",
                            "name",
                            "group"
                        )
                        local alias = fields[1] == false and "" or fields[1]
                        local name = fields[2] == false and "" or fields[2]
                        local group = fields[3] == false and "" or fields[3]
                        local more = {
                            "name",
                            name,
                            "lane",
                            group,
                            "worker",
                            lease.worker,
                            "alias",
                            alias
                        }
                        tell(
                            s,
                            lease.base,
                            "active",
                            pass.ids[i + 1],
                            more
                        )
                    end
                end
            end
            return tellActiveOnce(s, lease, pass)
        end
        --- What follows the settlements where more than flat work may wait: promotion, claims by turns, and when to ask again.
        -- 
        -- @cold
        local goRoundOnce = nil
        local function goRound(s, keys, settled, taken, want, open, wasSet)
            if s.holds == nil then
                --- What kind of value a key holds. The server answers with a status, which its Lua gives as a table.
                local function holds(key)
                    return redis.call("TYPE", key).ok
                end
                s.holds = holds
            end
            if goRoundOnce == nil then
                --- A whole number in a field that others may have written; `other` for anything else.
                local function numberIn(s, field, most, other)
                    return field ~= false and s.int(field, 0, most) and s.num(field) or other
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
                --- How many claims an aged rate has left at this instant.
                local function allowance(s, rate)
                    local duration = rate.duration
                    if rate.burst > 0 then
                        return math.max(
                            0,
                            math.floor((rate.burst * duration - rate.level) / duration)
                        )
                    end
                    if rate.burst == -1 then
                        return math.max(0, rate.max - rate.level)
                    end
                    local share = math.floor(rate.before * (duration - (s.now() - rate.at)) / duration)
                    return math.max(0, rate.max - rate.level - share)
                end
                --- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
                local function isResting(s, base, lane)
                    return s.call("ZSCORE", base .. "rest", lane) ~= false
                end
                --- A rate from max, duration, burst, at, level and before, which stand at place `from` of a list.
                local function rateOf(s, subject, fields, from)
                    local max = numberIn(s, fields[from + 1], 1048576, 0)
                    local duration = numberIn(s, fields[from + 2], 2147483648, 0)
                    if max == 0 or duration == 0 then
                        return false
                    end
                    local rate = {
                        subject = subject,
                        max = max,
                        duration = duration,
                        burst = numberIn(s, fields[from + 3], 1048576, -1),
                        at = numberIn(s, fields[from + 4], 9007199254740991, 0),
                        level = numberIn(s, fields[from + 5], 9007199254740991, 0),
                        before = numberIn(s, fields[from + 6], 1048576, 0),
                        left = 0,
                        spent = 0,
                        lacks = 0
                    }
                    age(s, rate)
                    rate.left = allowance(s, rate)
                    return rate
                end
                --- The rate of a lane with what is left of it now, `false` when it has none.
                local function readLaneRate(s, base, lane)
                    local fields = s.call(
                        "HMGET",
                        base .. "rate",
                        "m" .. lane,
                        "d" .. lane,
                        "b" .. lane,
                        "a" .. lane,
                        "l" .. lane,
                        "p" .. lane
                    )
                    return rateOf(s, lane, fields, 0)
                end
                --- Reads how much may be claimed of a queue that has settings or something at rest. Reads all that limits write to, so a
                -- foreign type ends the act while nothing is written.
                -- 
                -- @cold
                local readGateOnce = nil
                local function readGate(s, base, want)
                    if readGateOnce == nil then
                        --- When an aged rate that has less than `need` left has so much again.
                        local function freeAt(s, rate, need)
                            local duration = rate.duration
                            if rate.burst == -1 then
                                return rate.at
                            end
                            if rate.burst > 0 then
                                return s.now() + math.ceil((rate.level + (need - rate.burst) * duration) / rate.max)
                            end
                            local isFull = rate.level + need > rate.max
                            local from = isFull and rate.at + duration or rate.at
                            local fading = isFull and rate.level or rate.before
                            local room = (isFull and rate.max or rate.max - rate.level) - need + 1
                            local wait = fading < room and 0 or duration - math.ceil(room * duration / fading) + 1
                            return from + math.max(0, wait)
                        end
                        --- Until when a lane, or with the empty name the queue, is not to be claimed from; 0 for no such time.
                        local function restsUntil(s, base, subject)
                            local ____until = s.call("ZSCORE", base .. "rest", subject)
                            return ____until == false and 0 or s.num(____until)
                        end
                        --- Lets a lane, or the queue, rest until an instant; one that rests longer goes on doing so. It is taken out before it
                        -- is put in: that is a write which a full server admits, and this may be the first of its act.
                        local function letRest(s, base, subject, ____until)
                            if restsUntil(s, base, subject) >= ____until then
                                return
                            end
                            s.call("ZREM", base .. "rest", subject)
                            s.call("ZADD", base .. "rest", ____until, subject)
                        end
                        --- The rate of the queue, `false` when it has none. Others that count in `limiter` by hand are heeded while it lives and
                        -- no window of ours is on.
                        local function readQueueRate(s, base, settings)
                            local call = s.call
                            local spent = call(
                                "HMGET",
                                base .. "rate",
                                "a",
                                "l",
                                "p"
                            )
                            local fields = {
                                settings[3],
                                settings[4],
                                settings[5],
                                spent[1],
                                spent[2],
                                spent[3]
                            }
                            local rate = rateOf(s, "", fields, 0)
                            if rate == false or rate.burst ~= -1 or rate.level > 0 then
                                return rate
                            end
                            if s.holds(base .. "limiter") ~= "string" then
                                return rate
                            end
                            local count = numberIn(
                                s,
                                call("GET", base .. "limiter"),
                                1048576,
                                0
                            )
                            if count == 0 then
                                return rate
                            end
                            local left = call("PTTL", base .. "limiter")
                            if left <= 0 or left > rate.duration then
                                return rate
                            end
                            rate.at = s.now() + left
                            rate.level = count
                            rate.left = allowance(s, rate)
                            return rate
                        end
                        --- Lets what has too little left rest until it has enough for the next job, as far as that is known.
                        local function sendToRest(s, base, gate, rate)
                            local ____until = freeAt(
                                s,
                                rate,
                                math.max(1, rate.lacks)
                            )
                            letRest(s, base, rate.subject, ____until)
                            gate.rested[#gate.rested + 1] = rate.subject
                            if rate.subject == "" then
                                s.call(
                                    "SET",
                                    base .. "limiter",
                                    math.max(rate.max, rate.level)
                                )
                                s.call("PEXPIREAT", base .. "limiter", ____until)
                            end
                        end
                        readGateOnce = function(s, base, want)
                            local call = s.call
                            local gate = openGate(want)
                            local settings = call(
                                "HMGET",
                                base .. "meta",
                                "paused",
                                "concurrency",
                                "max",
                                "duration",
                                "burst"
                            )
                            gate.limited = call("ZCARD", base .. "rest") > 0 or settings[3] ~= false
                            if call("HLEN", base .. "rate") > 0 then
                                gate.limited = true
                                gate.rated = true
                                gate.named = call("HEXISTS", base .. "rate", "n") == 1
                            end
                            if settings[1] ~= false or want == 0 or restsUntil(s, base, "") > s.now() then
                                gate.room = 0
                                return gate
                            end
                            local ceiling = numberIn(s, settings[2], 9007199254740991, 0)
                            if ceiling > 0 then
                                gate.room = math.min(
                                    want,
                                    math.max(
                                        0,
                                        ceiling - call("ZCARD", base .. "active")
                                    )
                                )
                            end
                            if settings[3] == false or gate.room == 0 then
                                return gate
                            end
                            local rate = readQueueRate(s, base, settings)
                            if rate == false then
                                return gate
                            end
                            gate.rate = rate
                            if rate.left == 0 then
                                sendToRest(s, base, gate, rate)
                            end
                            gate.room = math.min(gate.room, rate.left)
                            return gate
                        end
                    end
                    return readGateOnce(s, base, want)
                end
                --- Writes what was taken from a rate, and lets its subject rest when too little is left. Answers whether it rests.
                -- 
                -- @cold
                local spendOnce = nil
                local function spend(s, base, gate, rate)
                    if spendOnce == nil then
                        --- When an aged rate that has less than `need` left has so much again.
                        local function freeAt(s, rate, need)
                            local duration = rate.duration
                            if rate.burst == -1 then
                                return rate.at
                            end
                            if rate.burst > 0 then
                                return s.now() + math.ceil((rate.level + (need - rate.burst) * duration) / rate.max)
                            end
                            local isFull = rate.level + need > rate.max
                            local from = isFull and rate.at + duration or rate.at
                            local fading = isFull and rate.level or rate.before
                            local room = (isFull and rate.max or rate.max - rate.level) - need + 1
                            local wait = fading < room and 0 or duration - math.ceil(room * duration / fading) + 1
                            return from + math.max(0, wait)
                        end
                        --- Until when a lane, or with the empty name the queue, is not to be claimed from; 0 for no such time.
                        local function restsUntil(s, base, subject)
                            local ____until = s.call("ZSCORE", base .. "rest", subject)
                            return ____until == false and 0 or s.num(____until)
                        end
                        --- Lets a lane, or the queue, rest until an instant; one that rests longer goes on doing so. It is taken out before it
                        -- is put in: that is a write which a full server admits, and this may be the first of its act.
                        local function letRest(s, base, subject, ____until)
                            if restsUntil(s, base, subject) >= ____until then
                                return
                            end
                            s.call("ZREM", base .. "rest", subject)
                            s.call("ZADD", base .. "rest", ____until, subject)
                        end
                        --- Lets what has too little left rest until it has enough for the next job, as far as that is known.
                        local function sendToRest(s, base, gate, rate)
                            local ____until = freeAt(
                                s,
                                rate,
                                math.max(1, rate.lacks)
                            )
                            letRest(s, base, rate.subject, ____until)
                            gate.rested[#gate.rested + 1] = rate.subject
                            if rate.subject == "" then
                                s.call(
                                    "SET",
                                    base .. "limiter",
                                    math.max(rate.max, rate.level)
                                )
                                s.call("PEXPIREAT", base .. "limiter", ____until)
                            end
                        end
                        spendOnce = function(s, base, gate, rate)
                            local call = s.call
                            local spent = rate.spent
                            if spent > 0 then
                                local subject = rate.subject
                                rate.level = rate.level + (rate.burst > 0 and spent * rate.duration or spent)
                                rate.spent = 0
                                call(
                                    "HSET",
                                    base .. "rate",
                                    "a" .. subject,
                                    rate.at,
                                    "l" .. subject,
                                    rate.level
                                )
                                if rate.burst == 0 then
                                    call("HSET", base .. "rate", "p" .. subject, rate.before)
                                end
                                if subject == "" and rate.burst == -1 then
                                    call("SET", base .. "limiter", rate.level)
                                    call("PEXPIREAT", base .. "limiter", rate.at)
                                end
                            end
                            if rate.lacks == 0 and rate.left > 0 then
                                return false
                            end
                            sendToRest(s, base, gate, rate)
                            return true
                        end
                    end
                    return spendOnce(s, base, gate, rate)
                end
                --- Whether limits keep the queue from being claimed from.
                -- 
                -- @cold
                local isHeldBackOnce = nil
                local function isHeldBack(s, base)
                    if isHeldBackOnce == nil then
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
                --- Pushes if the queue is claimable: not paused, below its limits, and flat work or a servable lane waits. `open` is
                -- what {@link isOpen} said before the first write of the act.
                local function pushIfClaimable(s, base, open)
                    local call = s.call
                    local wake = base .. "wake"
                    if not open or call("EXISTS", wake) == 1 or call("EXISTS", base .. "pending", base .. "ring") == 0 then
                        return
                    end
                    if call("EXISTS", base .. "meta", base .. "rest") > 0 and isHeldBack(s, base) then
                        return
                    end
                    push(s, wake)
                end
                --- The score at which a job waits: its priority, 0 when it has none.
                local function scoreOf(s, priority)
                    return priority == false and 0 or s.num(priority)
                end
                --- The number in a counter field, 0 when it is absent.
                local function countOf(s, field)
                    return field == false and 0 or s.num(field)
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
                --- Lets a job wait in its lane. The first member of a servable lane brings it onto the ring.
                local function enterLane(s, base, group, id, score)
                    local call = s.call
                    local lane = laneKey(base, group)
                    local added = call("ZADD", lane, score, id)
                    if added == 1 and call("ZCARD", lane) == 1 and isServable(s, base, group) then
                        call("RPUSH", base .. "ring", group)
                    end
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
                --- Reads the rows of due members and the places where they are going to wait.
                local function readDue(s, base, due)
                    local rows = {}
                    local groups = {}
                    for ____, id in ipairs(due) do
                        local fields = s.call(
                            "HMGET",
                            base .. "job:" .. id,
                            "state",
                            "group",
                            "priority",
                            "owner"
                        )
                        local group = fields[2]
                        if group ~= false then
                            groups[#groups + 1] = group
                        end
                        if fields[1] == "awaiting_children" then
                            s.call("ZCARD", base .. "awaiting")
                        end
                        rows[#rows + 1] = fields
                    end
                    s.call("ZCARD", base .. "pending")
                    readLanes(s, base, groups, 1)
                    return rows
                end
                --- Lets a parent run whose time to wait for its children is over.
                -- 
                -- @cold
                local function endWait(s, base, id)
                    s.call("ZREM", base .. "awaiting", id)
                end
                --- Lets a scheduled job wait in its lane. One that held the lane hands it over to itself, as the first that waits.
                local function enterAgain(s, base, id, group, priority)
                    local call = s.call
                    local row = base .. "job:" .. id
                    local order = call("HMGET", row, "held", "due")
                    if order[2] ~= false then
                        call("HDEL", row, "due")
                    end
                    if order[1] == false then
                        letWait(
                            s,
                            base,
                            id,
                            group,
                            priority
                        )
                        return
                    end
                    letWaitFirst(s, base, id, group)
                    releaseLane(s, base, group)
                end
                --- Lets a scheduled job wait. A foreign speaker may have left an `owner`, with which an old token would settle it.
                local function letWaitAgain(s, base, id, fields)
                    local row = base .. "job:" .. id
                    s.call("HSET", row, "state", "pending")
                    if fields[4] ~= false then
                        s.call("HDEL", row, "owner")
                    end
                    local group = fields[2]
                    if group == false then
                        letWait(
                            s,
                            base,
                            id,
                            group,
                            fields[3]
                        )
                    else
                        enterAgain(
                            s,
                            base,
                            id,
                            group,
                            fields[3]
                        )
                    end
                end
                --- Promotes at most `batch` due jobs and looks at no more than `most` members for them.
                local function promoteDue(s, schedule, base, batch, most)
                    local now = s.now()
                    local promoted = {moved = 0, looks = 0}
                    while promoted.moved < batch and promoted.looks < most do
                        local room = math.min(batch - promoted.moved, most - promoted.looks)
                        local due = s.call(
                            "ZRANGEBYSCORE",
                            schedule,
                            "-inf",
                            now,
                            "LIMIT",
                            0,
                            room
                        )
                        local stop = #due
                        if stop == 0 then
                            return promoted
                        end
                        local rows = readDue(s, base, due)
                        removeMembers(s, schedule, due)
                        for i = 0, stop - 1 do
                            local isParent = rows[i + 1][1] == "awaiting_children"
                            if isParent then
                                endWait(s, base, due[i + 1])
                            end
                            if isParent or rows[i + 1][1] == "scheduled" then
                                letWaitAgain(s, base, due[i + 1], rows[i + 1])
                                promoted.moved = promoted.moved + 1
                            end
                        end
                        promoted.looks = promoted.looks + stop
                        if stop < room then
                            return promoted
                        end
                    end
                    return promoted
                end
                --- Ends every rest whose time has come; answers how many.
                -- 
                -- @cold
                local endRestsOnce = nil
                local function endRests(s, base)
                    if endRestsOnce == nil then
                        --- Puts a servable lane onto the ring that may have been put there already.
                        local function offerLane(s, base, lane)
                            local places = s.call(
                                "LPOS",
                                base .. "ring",
                                lane,
                                "COUNT",
                                1,
                                "MAXLEN",
                                "1000"
                            )
                            if #places == 0 then
                                s.call("RPUSH", base .. "ring", lane)
                            end
                        end
                        endRestsOnce = function(s, base)
                            local call = s.call
                            local rest = base .. "rest"
                            local due = call(
                                "ZRANGEBYSCORE",
                                rest,
                                "-inf",
                                s.now(),
                                "LIMIT",
                                0,
                                100
                            )
                            local stop = #due
                            if stop == 0 then
                                return 0
                            end
                            readLanes(s, base, due, 1)
                            call(
                                "ZREM",
                                rest,
                                unpack(due)
                            )
                            for ____, lane in ipairs(due) do
                                if lane ~= "" and call(
                                    "ZCARD",
                                    laneKey(base, lane)
                                ) > 0 and isServable(s, base, lane) then
                                    offerLane(s, base, lane)
                                end
                            end
                            return stop
                        end
                    end
                    return endRestsOnce(s, base)
                end
                --- The share of a round that an act begins: so much that it visits each lane, and the flat queue, about once.
                local function shareOf(want, lanes, flat)
                    return math.max(
                        1,
                        math.floor(want / math.max(1, lanes + (flat > 0 and 1 or 0)))
                    )
                end
                --- Every lane has had its turn. Whoever serves next begins a round by what it wants.
                local function endRound(round)
                    round.passed = 0
                    round.credit = 0
                    round.share = 0
                end
                --- Serves the lane at the head of the ring; answers how many jobs it gave.
                local function serveHead(s, claim, round, room)
                    local call = s.call
                    local base = claim.base
                    local ring = base .. "ring"
                    local group = call("LINDEX", ring, 0)
                    if group == false then
                        round.lanes = 0
                        return 0
                    end
                    local key = laneKey(base, group)
                    local weight = call("HGET", base .. "gweight", group)
                    local limit = call("HGET", base .. "glimit", group)
                    local active = countOf(
                        s,
                        call("HGET", base .. "gactive", group)
                    )
                    local turn = round.share * (weight == false and 1 or math.max(
                        1,
                        s.num(weight)
                    ))
                    local rest = round.credit > 0 and math.min(round.credit, turn) or turn
                    local headroom = limit == false and room or math.max(
                        0,
                        s.num(limit) - active
                    )
                    local ____claim_gate_rated_0
                    if claim.gate.rated then
                        ____claim_gate_rated_0 = readLaneRate(s, base, group)
                    else
                        ____claim_gate_rated_0 = false
                    end
                    local rate = ____claim_gate_rated_0
                    local left = rate == false and room or rate.left
                    claim.laneRate = rate
                    local got = claimFrom(
                        s,
                        claim,
                        key,
                        group,
                        math.min(rest, room, headroom, left)
                    )
                    claim.looks = claim.looks + 1
                    local kept = claim.held and 1 or 0
                    claim.held = false
                    claim.laneRate = false
                    local tired = rate ~= false and spend(s, base, claim.gate, rate)
                    if rate ~= false and rate.lacks > 0 then
                        claim.short = false
                    end
                    if tired or call("ZCARD", key) == 0 or limit ~= false and got + kept >= headroom then
                        call("LPOP", ring)
                        round.lanes = round.lanes - 1
                        round.credit = 0
                    elseif got >= rest or kept > 0 then
                        call(
                            "LMOVE",
                            ring,
                            ring,
                            "LEFT",
                            "RIGHT"
                        )
                        round.passed = round.passed + 1
                        round.credit = 0
                    else
                        round.credit = rest - got
                    end
                    return got
                end
                --- Serves the flat queue's turn, the last of a round; answers how many jobs it gave.
                local function serveFlat(s, claim, round, room)
                    local rest = round.credit < 0 and math.min(-round.credit, round.share) or round.share
                    local got = claimFrom(
                        s,
                        claim,
                        claim.base .. "pending",
                        "",
                        math.min(rest, room)
                    )
                    if got >= rest or got < room then
                        endRound(round)
                    else
                        round.credit = got - rest
                    end
                    claim.looks = claim.looks + 1
                    return got
                end
                --- Writes the place of the round, if it moved.
                local function keepPlace(s, base, round)
                    local cursor = base .. "cursor"
                    if round.lanes > 0 then
                        s.call(
                            "HSET",
                            cursor,
                            "passed",
                            round.passed,
                            "credit",
                            round.credit,
                            "share",
                            round.share
                        )
                    else
                        s.call("DEL", cursor)
                    end
                end
                --- Claims up to `want` jobs from the flat queue and the lanes in turn. It looks on past lanes that give nothing until it
                -- has enough, has seen everything, or is at the budget.
                local function claimRound(s, claim, want)
                    local call = s.call
                    local base = claim.base
                    local pending = base .. "pending"
                    local lanes = call("LLEN", base .. "ring")
                    if lanes == 0 then
                        claimFrom(
                            s,
                            claim,
                            pending,
                            "",
                            want
                        )
                        return
                    end
                    local flat = call("ZCARD", pending)
                    local place = call(
                        "HMGET",
                        base .. "cursor",
                        "passed",
                        "credit",
                        "share"
                    )
                    local round = {
                        lanes = lanes,
                        passed = countOf(s, place[1]),
                        credit = countOf(s, place[2]),
                        share = countOf(s, place[3])
                    }
                    local taken = 0
                    while taken < want and not claim.full and not claim.short and (flat > 0 or round.lanes > 0) do
                        local room = want - taken
                        local isPast = round.credit < 0 or round.passed >= round.lanes
                        if isPast and flat == 0 then
                            endRound(round)
                        end
                        if round.share == 0 then
                            round.share = shareOf(want, round.lanes, flat)
                        end
                        if isPast and flat > 0 then
                            taken = taken + serveFlat(s, claim, round, room)
                            flat = call("ZCARD", pending)
                        else
                            taken = taken + serveHead(s, claim, round, room)
                        end
                        if claim.looks >= 1000 then
                            claim.full = true
                        end
                    end
                    keepPlace(s, base, round)
                end
                --- Whether an id is one of these.
                local function isAmong(ids, id)
                    for ____, one in ipairs(ids) do
                        if one == id then
                            return true
                        end
                    end
                    return false
                end
                --- Milliseconds until the head of the schedule falls due, -1 when it is empty; pushes if this act put the head there.
                local function dueAfter(s, schedule, wake, scheduled, late)
                    local head = s.call(
                        "ZRANGE",
                        schedule,
                        0,
                        0,
                        "WITHSCORES"
                    )
                    if #head == 0 then
                        return -1
                    end
                    if isAmong(scheduled, head[1]) or isAmong(late, head[1]) then
                        push(s, wake)
                    end
                    return math.max(
                        0,
                        math.min(
                            s.num(head[2]),
                            9007199254740991
                        ) - s.now()
                    )
                end
                --- The milliseconds until something falls due, given those of the schedule, or may be claimed again; -1 for no such
                -- time.
                -- 
                -- @cold
                local endLimitedOnce = nil
                local function endLimited(s, taken, due)
                    if endLimitedOnce == nil then
                        --- Milliseconds until the first rest ends, -1 when nothing rests; pushes if this act sent that one to rest.
                        -- 
                        -- @cold
                        local function restAfter(s, base, rested)
                            local head = s.call(
                                "ZRANGE",
                                base .. "rest",
                                0,
                                0,
                                "WITHSCORES"
                            )
                            if #head == 0 then
                                return -1
                            end
                            for ____, subject in ipairs(rested) do
                                if subject == head[1] then
                                    push(s, base .. "wake")
                                end
                            end
                            return math.max(
                                0,
                                s.num(head[2]) - s.now()
                            )
                        end
                        endLimitedOnce = function(s, taken, due)
                            local gate = taken.gate
                            local rests = restAfter(s, taken.base, gate.rested)
                            if rests < 0 then
                                return due
                            end
                            return due < 0 and rests or math.min(due, rests)
                        end
                    end
                    return endLimitedOnce(s, taken, due)
                end
                goRoundOnce = function(s, keys, settled, taken, want, open, wasSet)
                    local base = keys[5]
                    local isSet = wasSet or settled.rested
                    local promoted = promoteDue(
                        s,
                        keys[3],
                        base,
                        100,
                        1000 - settled.count
                    )
                    local back = isSet and endRests(s, base) or 0
                    taken.looks = taken.looks + (promoted.looks + back)
                    local gate = isSet and readGate(s, base, want) or openGate(want)
                    taken.gate = gate
                    if gate.room > 0 then
                        claimRound(s, taken, gate.room)
                    end
                    if gate.rate ~= false and gate.rate.spent + gate.rate.lacks > 0 then
                        spend(s, base, gate, gate.rate)
                    end
                    if settled.rested then
                        gate.rested[#gate.rested + 1] = ""
                    end
                    local due = dueAfter(
                        s,
                        keys[3],
                        keys[4],
                        settled.scheduled,
                        taken.late
                    )
                    pushIfClaimable(s, base, open and (taken.full or taken.sorted > 0 or taken.taken >= gate.room))
                    local next = gate.limited and endLimited(s, taken, due) or due
                    return {settled.exceptions, next, promoted.moved + back, taken.jobs}
                end
            end
            return goRoundOnce(s, keys, settled, taken, want, open, wasSet)
        end
        --- Finds who listens and reads what a queue that is not bare may write to in this act; answers whether it may have
        -- settings or limits. One question stands for both, so an act without listeners asks no more than it must.
        -- 
        -- @cold
        local lookAroundOnce = nil
        local function lookAround(s, keys, taken, found)
            if lookAroundOnce == nil then
                --- What those who listen want: 1 events, 2 results in them too. They are there; the text of `listeners` is until when
                -- somebody wants results, in server milliseconds.
                -- 
                -- @cold
                local function wantOf(s, base)
                    local ____until = s.call("GET", base .. "listeners")
                    return ____until ~= false and s.int(____until, 0, 9007199254740991) and s.num(____until) > s.now() and 2 or 1
                end
                lookAroundOnce = function(s, keys, taken, found)
                    local call = s.call
                    local base = keys[5]
                    local ears = base .. "listeners"
                    local answer = call(
                        "EXISTS",
                        base .. "meta",
                        base .. "rest",
                        base .. "rate",
                        ears,
                        ears,
                        ears,
                        ears
                    )
                    local isSet = answer ~= 0 and answer ~= 4
                    if answer >= 4 then
                        taken.heard = wantOf(s, base)
                    end
                    if found == 1 and taken.heard ~= 0 then
                        return false
                    end
                    taken.tokens = call("ZCARD", base .. "tokens")
                    taken.timed = call("ZCARD", base .. "ttl")
                    call("ZCARD", keys[3])
                    if isSet then
                        call("ZCARD", base .. "rest")
                        call("HLEN", base .. "rate")
                    end
                    return isSet
                end
            end
            return lookAroundOnce(s, keys, taken, found)
        end
        rare = {tellIfDrained = tellIfDrained, recallTokens = recallTokens, bookTokens = bookTokens, dropOld = dropOld, noteRun = noteRun, tellRun = tellRun, badPresence = badPresence, notePresence = notePresence, badTerms = badTerms, badRows = badRows, completeOther = completeOther, gatherMore = gatherMore, tellEnded = tellEnded, deleteRest = deleteRest, deleteParents = deleteParents, readEnding = readEnding, releaseAll = releaseAll, trimCompleted = trimCompleted, tabulateRows = tabulateRows, settleRun = settleRun, takeTerms = takeTerms, takeQueueTerms = takeQueueTerms, placeAside = placeAside, noteForeign = noteForeign, occupyForeign = occupyForeign, readChoosing = readChoosing, tellActive = tellActive, goRound = goRound, lookAround = lookAround}
    end
    return rare[name]
end
--- Keys: pending, active, schedule, wake, base. Arguments: worker, lease_ms, want, presence, settlements.
local function turn(s, keys, args)
    local refusal = checkTurn(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local base = keys[5]
    local want = s.num(args[3])
    local taken = startClaim(
        base,
        keys[2],
        args[1],
        s.num(args[2])
    )
    local waiting = call("ZCARD", keys[1])
    call("ZCARD", keys[2])
    local found = call(
        "EXISTS",
        base .. "meta",
        base .. "ring",
        keys[3],
        base .. "tokens",
        base .. "rest",
        base .. "rate",
        base .. "ttl",
        base .. "listeners"
    )
    taken.heard = 0
    taken.tokens = 0
    taken.timed = 0
    local isSet = found > 0 and seldom("lookAround")(s, keys, taken, found)
    local heard = taken.heard
    local bare = found == 0 or found == 1 and heard ~= 0
    local open = not isSet or isOpen(s, base)
    local from = 3
    local leaves = false
    local presence = -1
    if #args > 3 and args[4] == "w" then
        presence = seldom("notePresence")(
            s,
            base,
            args[1],
            args,
            3
        )
        if presence == 1 then
            want = 0
        end
        from = from + 5
        leaves = args[7] == "0"
    end
    local settled = settleAll(
        s,
        base,
        args,
        from,
        bare,
        heard
    )
    taken.looks = settled.count
    if bare and settled.flat then
        if want > 0 and waiting > 0 then
            claimFrom(
                s,
                taken,
                keys[1],
                "",
                want
            )
        end
        if waiting > taken.looks - settled.count then
            push(s, keys[4])
        end
        local done = {settled.exceptions, -1, 0, taken.jobs}
        if presence >= 0 then
            done[5] = presence
        end
        if heard ~= 0 then
            seldom("tellIfDrained")(s, base, taken.taken)
        end
        return done
    end
    local reply = seldom("goRound")(
        s,
        keys,
        settled,
        taken,
        want,
        open,
        isSet
    )
    if heard ~= 0 then
        seldom("tellIfDrained")(s, base, taken.taken)
    end
    if leaves and call("EXISTS", keys[3]) == 1 then
        push(s, keys[4])
    end
    if presence >= 0 then
        reply[5] = presence
    end
    return reply
end
return turn(s, KEYS, ARGV)
