-- EMQ.TURN: Settles, promotes and claims in one act.
-- KEYS: pending, active, schedule, wake, base
-- ARGV: worker, lease_ms, want, ...
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
--- The server's clock in whole Unix milliseconds, read once an act.
local instant = false
local function now()
    if instant == false then
        local clock = redis.call("TIME")
        instant = clock[1] * 1000 + math.floor(clock[2] / 1000)
    end
    return instant
end
local s = {base = base, call = redis.call, char = char, error = redis.error_reply, int = int, now = now, num = tonumber}
--- Keys or members of one call.
local SPREAD_MAX = 400
--- Removes members from a sorted set.
local function removeMembers(s, set, members)
    local part = {}
    local stop = #members
    do
        local i = 0
        while i < stop do
            part[#part + 1] = members[i + 1]
            if #part >= SPREAD_MAX or i == stop - 1 then
                s.call(
                    "ZREM",
                    set,
                    unpack(part)
                )
                part = {}
            end
            i = i + 1
        end
    end
end
--- Deletes keys; answers how many there were.
local function deleteKeys(s, doomed)
    local part = {}
    local deleted = 0
    local stop = #doomed
    do
        local i = 0
        while i < stop do
            part[#part + 1] = doomed[i + 1]
            if #part >= SPREAD_MAX or i == stop - 1 then
                deleted = deleted + s.call(
                    "DEL",
                    unpack(part)
                )
                part = {}
            end
            i = i + 1
        end
    end
    return deleted
end
--- The sorted set of a lane's waiting jobs.
local function laneKey(base, group)
    return ((base .. "g:") .. group) .. ":pending"
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
    if call("SISMEMBER", base .. "paused", group) == 0 then
        call("RPUSH", base .. "ring", group)
    end
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
--- Arguments of the run: `w`, `1`, beat in ms, concurrency (0 leaves), names.
local PRESENCE_WIDTH = 5
--- Bytes of the names of one worker, at most, so that all together stay about 1 MiB.
local NAMES_MAX = 1024
--- The name of the first bad argument of the run at position `at`, empty when all suit.
local function badPresence(s, args, at)
    if #args < at + PRESENCE_WIDTH then
        return "row"
    end
    if args[at + 1 + 1] ~= "1" then
        return "count"
    end
    if not s.int(args[at + 2 + 1], 1, 3600000) then
        return "beat_ms"
    end
    if not s.int(args[at + 3 + 1], 0, 1000000) then
        return "concurrency"
    end
    return #args[at + 4 + 1] > NAMES_MAX and "names" or ""
end
--- Writes that a worker asks, or that it leaves. A foreign type of the hash raises before anything is written.
-- 
-- @cold
local function notePresence(s, base, worker, args, at)
    --- Workers that are listed, at most: as many as one act may read.
    local WORKERS_MAX = 1000
    --- How often the silent ones are looked for, in ms.
    local PRUNE_MS = 10000
    --- Beats of silence after which a worker is no longer listed.
    local SILENT_BEATS = 10
    local INSTANT_MAX = 9007199254740991
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
    --- Whether an entry is of a worker that has been silent for too long, or is no entry of ours.
    local function isSilent(s, entry, now)
        local asked = untilComma(s, entry, 11)
        local beat = untilComma(s, entry, 21 + #asked)
        if not s.int(asked, 0, INSTANT_MAX) or not s.int(beat, 1, 3600000) then
            return true
        end
        return now - s.num(asked) > SILENT_BEATS * s.num(beat)
    end
    --- Drops the silent ones, if that is due. A hash that others have filled beyond all bounds begins anew.
    local function pruneWorkers(s, key, now)
        local call = s.call
        local last = call("HGET", key, "pruned")
        if last ~= false and s.int(last, 0, INSTANT_MAX) then
            local age = now - s.num(last)
            if age >= 0 and age < PRUNE_MS then
                return
            end
        end
        if call("HLEN", key) > WORKERS_MAX + 1 then
            call("DEL", key)
        end
        local entries = call("HGETALL", key)
        local stop = #entries
        do
            local i = 0
            while i < stop do
                if entries[i + 1] ~= "pruned" and isSilent(s, entries[i + 1 + 1], now) then
                    call("HDEL", key, entries[i + 1])
                end
                i = i + 2
            end
        end
        call("HDEL", key, "pruned")
        call("HSET", key, "pruned", now)
    end
    local call = s.call
    local key = base .. "workers"
    local now = s.now()
    local isListed = call("HEXISTS", key, worker) == 1
    if args[at + 3 + 1] == "0" then
        if isListed then
            call("HDEL", key, worker)
        end
        if call("HLEN", key) == 1 and call("HEXISTS", key, "pruned") == 1 then
            call("DEL", key)
        end
        return
    end
    pruneWorkers(s, key, now)
    if not isListed and call("HLEN", key) > WORKERS_MAX then
        return
    end
    call("HDEL", key, worker)
    call("HSET", key, worker, now)
    local asked = call("HGET", key, worker)
    local head = (("{\"askedAt\":" .. (asked == false and "0" or asked)) .. ",\"beatMs\":") .. args[at + 2 + 1]
    call("HSET", key, worker, ((((head .. ",\"concurrency\":") .. args[at + 3 + 1]) .. ",\"names\":") .. args[at + 4 + 1]) .. "}")
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
        row .. ":parents"
    )
end
--- The deduplication key of a name if it holds this job, otherwise the empty text. It goes when the job ends; reading it
-- comes before the first write, as its type may be foreign.
local function heldDedup(s, base, dedup, id)
    if dedup == false or dedup == "" then
        return ""
    end
    local key = (base .. "de:") .. dedup
    return s.call("GET", key) == id and key or ""
end
--- Settlements and claims of one act together, at most.
local TURN_MAX = 1000
local MS_MAX = 9007199254740991
--- Arguments of one row of an op, 0 for an unknown op.
local function widthOf(op)
    if op == "c" or op == "b" then
        return 2
    end
    if op == "r" or op == "k" or op == "d" or op == "a" then
        return 3
    end
    return op == "f" and 5 or 0
end
--- The name of a bad value behind the token of an op that has one, empty when all suit.
local function badRow(s, op, args, at)
    if op ~= "f" then
        return s.int(args[at + 2 + 1], 0, MS_MAX) and "" or "ms"
    end
    if not s.int(args[at + 2 + 1], 0, MS_MAX) then
        return "delay_ms"
    end
    return s.int(args[at + 3 + 1], 0, 2147483648) and "" or "max_attempts"
end
--- The name of the first bad value of one run.
local function badRun(s, op, args, from, past)
    local width = widthOf(op)
    local hasMore = op == "f" or op == "d" or op == "a"
    local good = "0"
    do
        local row = from
        while row < past do
            local token = args[row + 1 + 1]
            if token ~= good and not s.int(token, 0, MS_MAX) then
                return "token"
            end
            good = token
            if hasMore then
                local bad = badRow(s, op, args, row)
                if bad ~= "" then
                    return bad
                end
            end
            row = row + width
        end
    end
    return ""
end
--- The name of the first bad argument from position `from` on; `want` stands before it and shares the budget.
local function badSettlement(s, args, from)
    local stop = #args
    local at = from
    local units = s.num(args[from])
    if at < stop and args[at + 1] == "w" then
        local bad = badPresence(s, args, at)
        if bad ~= "" then
            return bad
        end
        at = at + PRESENCE_WIDTH
    end
    while at < stop do
        local op = args[at + 1]
        local width = widthOf(op)
        if width == 0 then
            return "op"
        end
        if at + 1 >= stop or not s.int(args[at + 1 + 1], 1, TURN_MAX) then
            return "count"
        end
        local count = s.num(args[at + 1 + 1])
        local past = at + 2 + count * width
        units = units + count
        if units > TURN_MAX then
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
--- Completes what is not simply an active job with the current token: one that lapsed and waits, or none. Answers the
-- verdict, empty when it is completed.
-- 
-- @cold
local function completeOther(s, base, id, token)
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
            "dedup"
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
    local call = s.call
    local row = (base .. "job:") .. id
    local holder = readHolder(s, row)
    local verdict = judge(holder, token, "0", "EMQSTALE complete token mismatch")
    if verdict ~= "" then
        return verdict
    end
    local group = holder[4]
    local held = holder[9] == false and "" or heldDedup(s, base, holder[9], id)
    readPlace(s, base, group)
    call("HGET", base .. "metrics:completed", "count")
    stopWaiting(s, base, id, group)
    deleteRow(s, row)
    if held ~= "" then
        call("DEL", held)
    end
    call("HINCRBY", base .. "metrics:completed", "count", 1)
    return ""
end
--- Gathers one completion of an active job.
local function gather(ending, id, row, group, held)
    local doomed = ending.doomed
    local next = #doomed
    ending.members[#ending.members + 1] = id
    if group ~= false then
        ending.groups[#ending.groups + 1] = group
    end
    doomed[next + 1] = row
    doomed[next + 1 + 1] = row .. ":logs"
    doomed[next + 2 + 1] = row .. ":lock"
    doomed[next + 3 + 1] = row .. ":dependencies"
    if held ~= "" then
        doomed[next + 4 + 1] = held
    end
    ending.known = ending.known + (held == "" and 1 or 2)
    ending.completed = ending.completed + 1
end
--- Ends what a run has gathered: one `ZREM` for the leases, one `DEL` for the rows, one step of the counter.
-- 
-- Logs, lock and the count of children are deleted with the row, unseen. The other side keys are deleted only if there
-- was one of those, as no parent of a flow is without the count: an ordinary job pays for three keys and not for eight.
local function endRun(s, base, ending)
    local completed = ending.completed
    if completed > 0 then
        readLanes(s, base, ending.groups, 1)
        s.call("HGET", base .. "metrics:completed", "count")
    end
    removeMembers(s, base .. "active", ending.members)
    if completed == 0 then
        return
    end
    if deleteKeys(s, ending.doomed) > ending.known then
        for ____, id in ipairs(ending.members) do
            deleteRow(s, (base .. "job:") .. id)
        end
    end
    for ____, group in ipairs(ending.groups) do
        releaseLane(s, base, group)
    end
    s.call("HINCRBY", base .. "metrics:completed", "count", completed)
end
--- Completes a run of jobs. An id that stands twice in it is gone the second time.
local function completeRun(s, base, settled, args, from, width, position)
    local past = from + s.num(args[from]) * width
    local ending = {
        members = {},
        groups = {},
        doomed = {},
        completed = 0,
        known = 0
    }
    local members = ending.members
    local seen = {}
    local place = position
    do
        local at = from
        while at < past do
            local id = args[at + 1]
            local row = (base .. "job:") .. id
            local token = args[at + 1 + 1]
            local holder = s.call(
                "HMGET",
                row,
                "attempts",
                "state",
                "group",
                "dedup"
            )
            if seen[row] == true then
                except(settled, place, "0")
            elseif holder[1] == token and holder[2] == "active" and token ~= "0" then
                local group = holder[3]
                if group ~= false then
                    settled.flat = false
                end
                seen[row] = true
                gather(
                    ending,
                    id,
                    row,
                    group,
                    holder[4] == false and "" or heldDedup(s, base, holder[4], id)
                )
            else
                settled.flat = false
                local verdict = completeOther(s, base, id, token)
                if verdict == "0" then
                    members[#members + 1] = id
                end
                if verdict ~= "" then
                    except(settled, place, verdict)
                end
            end
            place = place + 1
            at = at + width
        end
    end
    endRun(s, base, ending)
end
--- Settles a run of jobs that live on, or die.
-- 
-- @cold
local function settleRun(s, base, settled, args, from, width, position)
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
    --- The refusal of an id of another kind.
    local NO_JOB_ID = "EMQKIND job id must be JOB-namespaced"
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
    --- Takes a job from where it waits; 1 if it waited there.
    local function stopWaiting(s, base, id, group)
        if group == false then
            return s.call("ZREM", base .. "pending", id)
        end
        return leaveLane(s, base, group, id)
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
            "dedup"
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
    --- Ends the lease of an accepted settlement: out of `active`, or out of where a lapsed job waits. The lapse of a holder
    -- that came back after all was no crash and is taken back.
    local function endLease(s, base, id, holder)
        local group = holder[4]
        local row = (base .. "job:") .. id
        if holder[2] == "active" then
            s.call("ZREM", base .. "active", id)
            if group ~= false then
                releaseLane(s, base, group)
            end
        else
            stopWaiting(s, base, id, group)
            setCount(
                s,
                row,
                "stalled",
                countOf(s, holder[6]) - 1
            )
        end
        s.call("HDEL", row, "owner")
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
    --- Reads what putting a job into the schedule writes to, before the first write.
    local function readSchedule(s, base, group)
        s.call("ZCARD", base .. "schedule")
        if group ~= false then
            readLanes(s, base, {group}, 1)
        end
    end
    --- Puts an accepted job into the schedule and counts the interruption.
    local function defer(s, base, id, holder, due)
        local call = s.call
        local row = (base .. "job:") .. id
        readSchedule(s, base, holder[4])
        endLease(s, base, id, holder)
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
        local row = (base .. "job:") .. id
        readPlace(s, base, holder[4])
        endLease(s, base, id, holder)
        call(
            "HSET",
            row,
            "state",
            "pending",
            "deferred",
            countOf(s, holder[7]) + 1
        )
        letWait(
            s,
            base,
            id,
            holder[4],
            holder[5]
        )
    end
    --- Reads what a death writes to, before the first write.
    local function readDeath(s, base)
        s.call("ZCARD", base .. "dead")
        s.call("HGET", base .. "metrics:failed", "count")
    end
    --- Ends an accepted job as dead.
    local function kill(s, base, id, holder, ____error)
        local call = s.call
        local row = (base .. "job:") .. id
        readDeath(s, base)
        if holder[4] ~= false then
            readLanes(s, base, {holder[4]}, 1)
        end
        local held = heldDedup(s, base, holder[9], id)
        endLease(s, base, id, holder)
        call(
            "HSET",
            row,
            "state",
            "dead",
            "last_error",
            ____error
        )
        call("ZADD", base .. "dead", 0, id)
        call("HINCRBY", base .. "metrics:failed", "count", 1)
        if held ~= "" then
            call("DEL", held)
        end
    end
    --- Ends an accepted attempt as failed. It is dead when its failures (attempts less crashes and interruptions) reach
    -- `max`, or when a cancel was asked for; otherwise it is tried again after `delay`. Answers `dead` or `scheduled`.
    local function fail(s, base, id, holder, delay, max, ____error)
        local call = s.call
        local row = (base .. "job:") .. id
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
                ____error
            )
            return "dead"
        end
        readSchedule(s, base, holder[4])
        endLease(s, base, id, holder)
        call(
            "HSET",
            row,
            "state",
            "scheduled",
            "last_error",
            ____error
        )
        call(
            "ZADD",
            base .. "schedule",
            dueIn(s, delay),
            id
        )
        return "scheduled"
    end
    --- The token refusal of an op, in the words of its own verb.
    local function staleText(op)
        if op == "b" then
            return "EMQSTALE giveback token mismatch"
        end
        return (op == "f" or op == "k") and "EMQSTALE retry token mismatch" or "EMQSTALE delay token mismatch"
    end
    --- Settles one job that lives on; answers the verdict, empty when it went as asked.
    local function settleOne(s, base, settled, op, args, at)
        local id = args[at + 1]
        if (op == "d" or op == "a") and not isJobId(id) then
            return NO_JOB_ID
        end
        local holder = readHolder(s, (base .. "job:") .. id)
        local refusal = judge(
            holder,
            args[at + 1 + 1],
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
        if op == "k" then
            kill(
                s,
                base,
                id,
                holder,
                args[at + 2 + 1]
            )
            return ""
        end
        if op == "f" then
            local word = fail(
                s,
                base,
                id,
                holder,
                s.num(args[at + 2 + 1]),
                s.num(args[at + 3 + 1]),
                args[at + 4 + 1]
            )
            if word == "dead" then
                return word
            end
        else
            local ms = s.num(args[at + 2 + 1])
            defer(
                s,
                base,
                id,
                holder,
                op == "d" and dueIn(s, ms) or ms
            )
        end
        settled.scheduled["s:" .. id] = true
        return ""
    end
    local op = args[from - 2 + 1]
    local past = from + s.num(args[from]) * width
    settled.flat = false
    local place = position
    do
        local at = from
        while at < past do
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
            at = at + width
        end
    end
end
--- Settles every run from position `from` on.
local function settleAll(s, base, args, from)
    local settled = {exceptions = {}, scheduled = {}, count = 0, flat = true}
    local stop = #args
    local at = from
    while at < stop do
        local op = args[at + 1]
        local count = s.num(args[at + 1 + 1])
        local width = widthOf(op)
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
            settleRun(
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
--- Ids looked at by one act, at most; also the most claimed.
local LOOKS_MAX = 1000
--- Payload bytes that one act answers, at most, unless a single job holds more.
local PAYLOAD_MAX = 1048576
--- Members of one pass, well below what a call can spread.
local PASS_MAX = 400
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
        full = false
    }
end
--- Members of one `ZADD`, well below what a call can spread.
local LEASE_MAX = 200
--- Writes the leases of everything claimed, with one deadline. From the highest id down: a small `active` is a list that
-- each new member is searched in from its front.
local function writeLeases(s, active, ids, leaseMs)
    local deadline = s.now() + leaseMs
    local members = {}
    do
        local i = #ids - 1
        while i >= 0 do
            local at = #members
            members[at + 1] = deadline
            members[at + 1 + 1] = ids[i + 1]
            if at + 2 >= LEASE_MAX * 2 then
                s.call(
                    "ZADD",
                    active,
                    unpack(members)
                )
                members = {}
            end
            i = i - 1
        end
    end
    if #members > 0 then
        s.call(
            "ZADD",
            active,
            unpack(members)
        )
    end
end
--- Leases ids that have left their set, from their rows as they were read, and adds them to what the act answers.
local function leaseAll(s, claim, pass, lane)
    local call = s.call
    local jobs = claim.jobs
    local ids = pass.ids
    local stop = #ids
    do
        local i = 0
        while i < stop do
            local fields = pass.fields[i + 1]
            local row = pass.rows[i + 1]
            local token = pass.tokens[i + 1]
            if claim.worker ~= "" then
                call(
                    "HSET",
                    row,
                    "state",
                    "active",
                    "attempts",
                    token,
                    "owner",
                    claim.worker
                )
            else
                if fields[9] ~= false then
                    call("HDEL", row, "owner")
                end
                call(
                    "HSET",
                    row,
                    "state",
                    "active",
                    "attempts",
                    token
                )
            end
            local group = fields[6]
            if lane == "" and group ~= false then
                occupyLane(s, claim.base, group)
            end
            local at = #jobs
            jobs[at + 1] = ids[i + 1]
            jobs[at + 1 + 1] = token
            jobs[at + 2 + 1] = fields[3] == false and "" or fields[3]
            jobs[at + 3 + 1] = fields[4] == false and "" or fields[4]
            jobs[at + 4 + 1] = fields[5] == false and "" or fields[5]
            jobs[at + 5 + 1] = group == false and "" or group
            jobs[at + 6 + 1] = fields[7] == false and "" or fields[7]
            jobs[at + 7 + 1] = fields[8] == false and "" or fields[8]
            i = i + 1
        end
    end
    writeLeases(s, claim.active, ids, claim.leaseMs)
    if lane ~= "" and stop > 0 then
        call("HINCRBY", claim.base .. "gactive", lane, stop)
    end
end
--- Reads the row of a waiting id. Its `attempts` come back as `false` when it cannot be leased: the row is gone or waits
-- elsewhere, or the payload would pass the budget, which also sets `full`. Only a claim without a worker asks for the
-- owner, since any other overwrites it.
local function readWaiting(s, claim, row, lane)
    local call = s.call
    local fields = claim.worker ~= "" and call(
        "HMGET",
        row,
        "state",
        "attempts",
        "payload",
        "name",
        "opts",
        "group",
        "stalled",
        "deferred"
    ) or call(
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
        "owner"
    )
    local group = fields[6]
    if fields[1] ~= "pending" or lane ~= "" and group ~= lane then
        fields[2] = false
    elseif fields[2] ~= false then
        local bytes = fields[3] == false and 0 or #fields[3]
        if claim.payload > 0 and claim.payload + bytes > PAYLOAD_MAX then
            claim.full = true
            fields[2] = false
        else
            claim.payload = claim.payload + bytes
            if lane == "" and group ~= false then
                readLanes(s, claim.base, {group}, 1)
            end
        end
    end
    return fields
end
--- Claims up to `want` jobs from one sorted set: the flat queue (`lane` empty) or a lane. Answers how many; fewer than
-- `want` means that the set is empty or that the claim is `full`.
local function claimFrom(s, claim, key, lane, want)
    local call = s.call
    local prefix = claim.base .. "job:"
    local taken = 0
    while taken < want and not claim.full do
        local room = math.min(want - taken, PASS_MAX, LOOKS_MAX - claim.looks)
        if room <= 0 then
            claim.full = true
            return taken
        end
        local waiting = call("ZRANGE", key, 0, room - 1)
        local stop = #waiting
        if stop == 0 then
            return taken
        end
        local pass = {ids = {}, rows = {}, tokens = {}, fields = {}}
        local ids = pass.ids
        local looked = 0
        while looked < stop and not claim.full do
            local row = prefix .. waiting[looked + 1]
            local fields = readWaiting(s, claim, row, lane)
            local attempts = fields[2]
            if attempts ~= false then
                local at = #ids
                pass.tokens[at + 1] = s.num(attempts) + 1
                ids[at + 1] = waiting[looked + 1]
                pass.rows[at + 1] = row
                pass.fields[at + 1] = fields
            end
            if not claim.full then
                looked = looked + 1
            end
        end
        if looked > 0 then
            call("ZREMRANGEBYRANK", key, 0, looked - 1)
            leaseAll(s, claim, pass, lane)
        end
        taken = taken + #ids
        claim.taken = claim.taken + #ids
        claim.looks = claim.looks + looked
        if stop < room then
            return taken
        end
    end
    return taken
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
--- What follows the settlements where more than flat work may wait: promotion, claims by turns, and when to ask again.
-- 
-- @cold
local function goRound(s, keys, settled, taken, want, open)
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
    --- Workers that are listed, at most: as many as one act may read.
    local WORKERS_MAX = 1000
    --- How often the silent ones are looked for, in ms.
    local PRUNE_MS = 10000
    --- Beats of silence after which a worker is no longer listed.
    local SILENT_BEATS = 10
    local INSTANT_MAX = 9007199254740991
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
    --- Whether an entry is of a worker that has been silent for too long, or is no entry of ours.
    local function isSilent(s, entry, now)
        local asked = untilComma(s, entry, 11)
        local beat = untilComma(s, entry, 21 + #asked)
        if not s.int(asked, 0, INSTANT_MAX) or not s.int(beat, 1, 3600000) then
            return true
        end
        return now - s.num(asked) > SILENT_BEATS * s.num(beat)
    end
    --- Drops the silent ones, if that is due. A hash that others have filled beyond all bounds begins anew.
    local function pruneWorkers(s, key, now)
        local call = s.call
        local last = call("HGET", key, "pruned")
        if last ~= false and s.int(last, 0, INSTANT_MAX) then
            local age = now - s.num(last)
            if age >= 0 and age < PRUNE_MS then
                return
            end
        end
        if call("HLEN", key) > WORKERS_MAX + 1 then
            call("DEL", key)
        end
        local entries = call("HGETALL", key)
        local stop = #entries
        do
            local i = 0
            while i < stop do
                if entries[i + 1] ~= "pruned" and isSilent(s, entries[i + 1 + 1], now) then
                    call("HDEL", key, entries[i + 1])
                end
                i = i + 2
            end
        end
        call("HDEL", key, "pruned")
        call("HSET", key, "pruned", now)
    end
    --- The refusal of an id of another kind.
    local NO_JOB_ID = "EMQKIND job id must be JOB-namespaced"
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
    --- Takes a job from where it waits; 1 if it waited there.
    local function stopWaiting(s, base, id, group)
        if group == false then
            return s.call("ZREM", base .. "pending", id)
        end
        return leaveLane(s, base, group, id)
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
            "dedup"
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
    --- Ends the lease of an accepted settlement: out of `active`, or out of where a lapsed job waits. The lapse of a holder
    -- that came back after all was no crash and is taken back.
    local function endLease(s, base, id, holder)
        local group = holder[4]
        local row = (base .. "job:") .. id
        if holder[2] == "active" then
            s.call("ZREM", base .. "active", id)
            if group ~= false then
                releaseLane(s, base, group)
            end
        else
            stopWaiting(s, base, id, group)
            setCount(
                s,
                row,
                "stalled",
                countOf(s, holder[6]) - 1
            )
        end
        s.call("HDEL", row, "owner")
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
    --- Reads what putting a job into the schedule writes to, before the first write.
    local function readSchedule(s, base, group)
        s.call("ZCARD", base .. "schedule")
        if group ~= false then
            readLanes(s, base, {group}, 1)
        end
    end
    --- Puts an accepted job into the schedule and counts the interruption.
    local function defer(s, base, id, holder, due)
        local call = s.call
        local row = (base .. "job:") .. id
        readSchedule(s, base, holder[4])
        endLease(s, base, id, holder)
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
        local row = (base .. "job:") .. id
        readPlace(s, base, holder[4])
        endLease(s, base, id, holder)
        call(
            "HSET",
            row,
            "state",
            "pending",
            "deferred",
            countOf(s, holder[7]) + 1
        )
        letWait(
            s,
            base,
            id,
            holder[4],
            holder[5]
        )
    end
    --- Reads what a death writes to, before the first write.
    local function readDeath(s, base)
        s.call("ZCARD", base .. "dead")
        s.call("HGET", base .. "metrics:failed", "count")
    end
    --- Ends an accepted job as dead.
    local function kill(s, base, id, holder, ____error)
        local call = s.call
        local row = (base .. "job:") .. id
        readDeath(s, base)
        if holder[4] ~= false then
            readLanes(s, base, {holder[4]}, 1)
        end
        local held = heldDedup(s, base, holder[9], id)
        endLease(s, base, id, holder)
        call(
            "HSET",
            row,
            "state",
            "dead",
            "last_error",
            ____error
        )
        call("ZADD", base .. "dead", 0, id)
        call("HINCRBY", base .. "metrics:failed", "count", 1)
        if held ~= "" then
            call("DEL", held)
        end
    end
    --- Ends an accepted attempt as failed. It is dead when its failures (attempts less crashes and interruptions) reach
    -- `max`, or when a cancel was asked for; otherwise it is tried again after `delay`. Answers `dead` or `scheduled`.
    local function fail(s, base, id, holder, delay, max, ____error)
        local call = s.call
        local row = (base .. "job:") .. id
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
                ____error
            )
            return "dead"
        end
        readSchedule(s, base, holder[4])
        endLease(s, base, id, holder)
        call(
            "HSET",
            row,
            "state",
            "scheduled",
            "last_error",
            ____error
        )
        call(
            "ZADD",
            base .. "schedule",
            dueIn(s, delay),
            id
        )
        return "scheduled"
    end
    --- The token refusal of an op, in the words of its own verb.
    local function staleText(op)
        if op == "b" then
            return "EMQSTALE giveback token mismatch"
        end
        return (op == "f" or op == "k") and "EMQSTALE retry token mismatch" or "EMQSTALE delay token mismatch"
    end
    --- Settles one job that lives on; answers the verdict, empty when it went as asked.
    local function settleOne(s, base, settled, op, args, at)
        local id = args[at + 1]
        if (op == "d" or op == "a") and not isJobId(id) then
            return NO_JOB_ID
        end
        local holder = readHolder(s, (base .. "job:") .. id)
        local refusal = judge(
            holder,
            args[at + 1 + 1],
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
        if op == "k" then
            kill(
                s,
                base,
                id,
                holder,
                args[at + 2 + 1]
            )
            return ""
        end
        if op == "f" then
            local word = fail(
                s,
                base,
                id,
                holder,
                s.num(args[at + 2 + 1]),
                s.num(args[at + 3 + 1]),
                args[at + 4 + 1]
            )
            if word == "dead" then
                return word
            end
        else
            local ms = s.num(args[at + 2 + 1])
            defer(
                s,
                base,
                id,
                holder,
                op == "d" and dueIn(s, ms) or ms
            )
        end
        settled.scheduled["s:" .. id] = true
        return ""
    end
    --- Reads the rows of due members and the places where they are going to wait.
    local function readDue(s, base, due)
        local rows = {}
        local groups = {}
        for ____, id in ipairs(due) do
            local fields = s.call(
                "HMGET",
                (base .. "job:") .. id,
                "state",
                "group",
                "priority",
                "owner"
            )
            local group = fields[2]
            if group ~= false then
                groups[#groups + 1] = group
            end
            rows[#rows + 1] = fields
        end
        s.call("ZCARD", base .. "pending")
        readLanes(s, base, groups, 1)
        return rows
    end
    --- Lets a scheduled job wait. A foreign speaker may have left an `owner`, with which an old token would settle it.
    local function letWaitAgain(s, base, id, fields)
        local row = (base .. "job:") .. id
        s.call("HSET", row, "state", "pending")
        if fields[4] ~= false then
            s.call("HDEL", row, "owner")
        end
        letWait(
            s,
            base,
            id,
            fields[2],
            fields[3]
        )
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
            do
                local i = 0
                while i < stop do
                    if rows[i + 1][1] == "scheduled" then
                        letWaitAgain(s, base, due[i + 1], rows[i + 1])
                        promoted.moved = promoted.moved + 1
                    end
                    i = i + 1
                end
            end
            promoted.looks = promoted.looks + stop
            if stop < room then
                return promoted
            end
        end
        return promoted
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
        local got = claimFrom(
            s,
            claim,
            key,
            group,
            math.min(rest, room, headroom)
        )
        claim.looks = claim.looks + 1
        if call("ZCARD", key) == 0 or limit ~= false and got >= headroom then
            call("LPOP", ring)
            round.lanes = round.lanes - 1
            round.credit = 0
        elseif got >= rest then
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
    --- Serves the flat queue's turn; answers how many jobs it gave.
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
            round.passed = 0
            round.credit = 0
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
                round.credit
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
        local share = math.max(
            1,
            math.floor(want / (lanes + (flat > 0 and 1 or 0)))
        )
        local place = call("HMGET", base .. "cursor", "passed", "credit")
        local round = {
            lanes = lanes,
            passed = countOf(s, place[1]),
            credit = countOf(s, place[2]),
            share = share
        }
        local taken = 0
        while taken < want and not claim.full and (flat > 0 or round.lanes > 0) do
            local room = want - taken
            if flat > 0 and (round.credit < 0 or round.passed >= round.lanes) then
                taken = taken + serveFlat(s, claim, round, room)
                flat = call("ZCARD", pending)
            else
                if flat == 0 then
                    round.passed = 0
                end
                if round.credit < 0 then
                    round.credit = 0
                end
                taken = taken + serveHead(s, claim, round, room)
            end
            if claim.looks >= 1000 then
                claim.full = true
            end
        end
        keepPlace(s, base, round)
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
    --- Due jobs promoted by one act, at most.
    local PROMOTE_MAX = 100
    --- Settlements, members looked at and claims of one act together, at most.
    local UNITS_MAX = 1000
    --- Milliseconds until the head of the schedule falls due, -1 when it is empty; pushes if this act put the head there.
    local function dueAfter(s, schedule, wake, scheduled)
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
        if scheduled["s:" .. head[1]] == true then
            push(s, wake)
        end
        return math.max(
            0,
            math.min(
                s.num(head[2]),
                LAST_INSTANT
            ) - s.now()
        )
    end
    local base = keys[5]
    local promoted = promoteDue(
        s,
        keys[3],
        base,
        PROMOTE_MAX,
        UNITS_MAX - settled.count
    )
    taken.looks = taken.looks + promoted.looks
    if open and want > 0 then
        claimRound(s, taken, want)
    end
    local due = dueAfter(s, keys[3], keys[4], settled.scheduled)
    pushIfClaimable(s, base, open and (taken.full or taken.taken >= want))
    return {settled.exceptions, due, promoted.moved, taken.jobs}
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
    local bare = call("EXISTS", base .. "meta", base .. "ring", keys[3]) == 0
    local open = bare or isOpen(s, base)
    if not bare then
        call("ZCARD", keys[3])
    end
    local from = 3
    if #args > 3 and args[4] == "w" then
        notePresence(
            s,
            base,
            args[1],
            args,
            3
        )
        from = from + PRESENCE_WIDTH
    end
    local settled = settleAll(s, base, args, from)
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
        return {settled.exceptions, -1, 0, taken.jobs}
    end
    return goRound(
        s,
        keys,
        settled,
        taken,
        want,
        open
    )
end
return turn(s, KEYS, ARGV)
