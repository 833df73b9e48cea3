-- EMQ.GCLAIM: Leases one job of the lane whose turn it is.
-- KEYS: ring, active, base
-- ARGV: lease_ms
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
--- Shape, values and layout of `EMQ.GCLAIM`: the text of the refusal, empty when all is well.
local function checkGclaim(s, keys, args)
    if #keys ~= 3 then
        return "ERR EMQ.GCLAIM takes 3 keys"
    end
    if #args ~= 1 then
        return "ERR wrong number of arguments for 'EMQ.GCLAIM' command"
    end
    if not s.int(args[1], 1, 2147483648) then
        return "ERR EMQ.GCLAIM bad argument lease_ms"
    end
    local base = keys[3]
    if not s.base(base) or keys[1] ~= base .. "ring" or keys[2] ~= base .. "active" then
        return "ERR EMQ.GCLAIM keys do not match the wire-4 layout"
    end
    return ""
end
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
--- The number in a counter field, 0 when it is absent.
local function countOf(s, field)
    return field == false and 0 or s.num(field)
end
--- The sorted set of a lane's waiting jobs.
local function laneKey(base, group)
    return base .. "g:" .. group .. ":pending"
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
--- Serves the lane at the head of the ring; answers whether there was one. `most` is a number of jobs, or `BY_WEIGHT`.
local function serveOne(s, claim, most)
    local call = s.call
    local base = claim.base
    local ring = base .. "ring"
    local group = call("LINDEX", ring, 0)
    if group == false then
        return false
    end
    local key = laneKey(base, group)
    local limit = call("HGET", base .. "glimit", group)
    local active = countOf(
        s,
        call("HGET", base .. "gactive", group)
    )
    local weight = most == 0 and math.max(
        1,
        countOf(
            s,
            call("HGET", base .. "gweight", group)
        )
    ) or most
    local wanted = math.min(weight, 1000)
    local headroom = limit == false and 1000 + 1 or math.max(
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
    local left = rate == false and 1000 or rate.left
    claim.laneRate = rate
    local got = claimFrom(
        s,
        claim,
        key,
        group,
        math.min(wanted, headroom, left, claim.gate.room)
    )
    local kept = claim.held and 1 or 0
    claim.held = false
    claim.looks = claim.looks + 1
    claim.laneRate = false
    local tired = rate ~= false and seldom("spend")(s, base, claim.gate, rate)
    if rate ~= false and rate.lacks > 0 then
        claim.short = false
    end
    if tired or call("ZCARD", key) == 0 or limit ~= false and got + kept >= headroom then
        call("LPOP", ring)
    elseif got > 0 or not claim.short then
        call(
            "LMOVE",
            ring,
            ring,
            "LEFT",
            "RIGHT"
        )
    end
    return true
end
--- How much a plain claim may take: one question tells that there is nothing to heed.
local function gateOf(s, claim, want)
    local base = claim.base
    claim.heard = 0
    local found = s.call(
        "EXISTS",
        base .. "meta",
        base .. "rest",
        base .. "rate",
        base .. "tokens",
        base .. "ttl",
        base .. "listeners"
    )
    return found == 0 and openGate(want) or seldom("lookAround")(s, claim, want)
end
--- Claims from the first lane of the ring that gives anything, as far as the limits of the queue let it.
local function claimLane(s, claim, gate, most)
    local call = s.call
    claim.gate = gate
    call("ZCARD", claim.active)
    call("HGET", claim.base .. "gactive", "")
    if gate.limited then
        seldom("endRests")(s, claim.base)
    end
    local turns = gate.room > 0 and call("LLEN", claim.base .. "ring") or 0
    while turns > 0 and claim.taken == 0 and not claim.full and not claim.short and claim.looks < 1000 do
        turns = serveOne(s, claim, most) and turns - 1 or 0
    end
    if gate.limited then
        seldom("endLimited")(s, claim)
    end
    if #claim.late > 0 then
        seldom("pushIfLate")(s, claim)
    end
    if claim.heard ~= 0 then
        seldom("tellIfDrained")(s, claim.base, claim.taken)
    end
end
--- The claimed jobs as (id, payload, token, lane).
local function laneJobs(claim)
    local out = {}
    local jobs = claim.jobs
    local stop = #jobs
    for i = 0, stop - 1, 8 do
        out[#out + 1] = {jobs[i + 1], jobs[i + 3], jobs[i + 2], jobs[i + 6]}
    end
    return out
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
                        --- Lets the job that was to run after another fall due, under the name that both have. It is promoted like any other, so
                        -- no end of a job has to know of lanes for its sake.
                        -- 
                        -- @cold
                        local startNextOnce = nil
                        local function startNext(s, base, names)
                            if startNextOnce == nil then
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
                                --- The score at which a job waits: its priority, 0 when it has none.
                                local function scoreOf(s, priority)
                                    return priority == false and 0 or s.num(priority)
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
                                --- Reads what {@link tally} writes to, before the first write.
                                local function readTally(s, base, which)
                                    s.call("HGET", base .. "metrics:" .. which, "count")
                                    s.call("HLEN", base .. "metrics:" .. which .. ":minutes")
                                end
                                --- An act that has said nothing.
                                local function nothingTold()
                                    return {outbox = false, decided = {}, read = {}}
                                end
                                --- Notes the end of a job that has parents.
                                -- 
                                -- @cold
                                local noteKinOnce = nil
                                local function noteKin(s, base, id, parent, how, ____error, wakes, before)
                                    if noteKinOnce == nil then
                                        --- Whether the queue is not paused. A `meta` of a foreign type raises, so a claim fails closed.
                                        local function isOpen(s, base)
                                            return s.call("HEXISTS", base .. "meta", "paused") == 0
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
        --- Ends every rest whose time has come; answers how many.
        -- 
        -- @cold
        local endRestsOnce = nil
        local function endRests(s, base)
            if endRestsOnce == nil then
                --- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
                local function isResting(s, base, lane)
                    return s.call("ZSCORE", base .. "rest", lane) ~= false
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
        --- Pushes if one of the jobs that went into the schedule stands at its head.
        -- 
        -- @cold
        local pushIfLateOnce = nil
        local function pushIfLate(s, lease)
            if pushIfLateOnce == nil then
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
                --- Pushes if one of the ids that this act scheduled stands at the head of the schedule now.
                local function pushIfHead(s, base, id)
                    local head = s.call("ZRANGE", base .. "schedule", 0, 0)
                    if #head > 0 and head[1] == id then
                        push(s, base .. "wake")
                    end
                end
                pushIfLateOnce = function(s, lease)
                    for ____, id in ipairs(lease.late) do
                        pushIfHead(s, lease.base, id)
                    end
                end
            end
            return pushIfLateOnce(s, lease)
        end
        --- Takes what was claimed off the rate of the queue, and wakes whoever is to keep the time of a rest that began.
        -- 
        -- @cold
        local endLimitedOnce = nil
        local function endLimited(s, lease)
            if endLimitedOnce == nil then
                --- Milliseconds until the first rest ends, -1 when nothing rests; pushes if this act sent that one to rest.
                -- 
                -- @cold
                local restAfterOnce = nil
                local function restAfter(s, base, rested)
                    if restAfterOnce == nil then
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
                        restAfterOnce = function(s, base, rested)
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
                    end
                    return restAfterOnce(s, base, rested)
                end
                endLimitedOnce = function(s, lease)
                    local gate = lease.gate
                    if gate.rate ~= false then
                        spend(s, lease.base, gate, gate.rate)
                    end
                    restAfter(s, lease.base, gate.rested)
                end
            end
            return endLimitedOnce(s, lease)
        end
        --- Finds out what a plain claim of a queue that is not bare has to heed; answers what its limits let through.
        -- 
        -- @cold
        local lookAroundOnce = nil
        local function lookAround(s, lease, want)
            if s.holds == nil then
                --- What kind of value a key holds. The server answers with a status, which its Lua gives as a table.
                local function holds(key)
                    return redis.call("TYPE", key).ok
                end
                s.holds = holds
            end
            if lookAroundOnce == nil then
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
                lookAroundOnce = function(s, lease, want)
                    local call = s.call
                    local base = lease.base
                    lease.heard = heardBy(s, base)
                    lease.tokens = call("ZCARD", base .. "tokens")
                    lease.timed = call("ZCARD", base .. "ttl")
                    if call("EXISTS", base .. "meta", base .. "rest", base .. "rate") == 0 then
                        return openGate(want)
                    end
                    return readGate(s, base, want)
                end
            end
            return lookAroundOnce(s, lease, want)
        end
        rare = {tellIfDrained = tellIfDrained, spend = spend, recallTokens = recallTokens, bookTokens = bookTokens, placeAside = placeAside, noteForeign = noteForeign, occupyForeign = occupyForeign, readChoosing = readChoosing, tellActive = tellActive, endRests = endRests, pushIfLate = pushIfLate, endLimited = endLimited, lookAround = lookAround}
    end
    return rare[name]
end
--- Keys: ring, active, base. Arguments: lease_ms. Answers id, payload, attempts, group, or an empty list.
local function gclaim(s, keys, args)
    local refusal = checkGclaim(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local taken = startClaim(
        keys[3],
        keys[2],
        "",
        s.num(args[1])
    )
    local gate = gateOf(s, taken, 1000)
    claimLane(s, taken, gate, 1)
    local jobs = laneJobs(taken)
    return #jobs > 0 and jobs[1] or ({})
end
return gclaim(s, KEYS, ARGV)
