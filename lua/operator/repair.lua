-- EMQ.REPAIR: Puts one thing right that no act of the wire leaves wrong, if it still is wrong.
-- KEYS: pending, base, ...
-- ARGV: subject, name, lane, mode, ...
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
--- What kind of value a key holds. The server answers with a status, which its Lua gives as a table.
local function holds(key)
    return redis.call("TYPE", key).ok
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
local s = {base = base, branded = branded, call = redis.call, char = char, error = redis.error_reply, holds = holds, int = int, name = name, now = now, num = tonumber}
local seldom = nil
--- Shape, values and layout of `EMQ.REPAIR`: the text of the refusal, empty when all is well.
local function checkRepair(s, keys, args)
    if #keys < 2 then
        return "ERR EMQ.REPAIR takes 2 keys"
    end
    if #args < 4 then
        return "ERR wrong number of arguments for 'EMQ.REPAIR' command"
    end
    if args[1] ~= "job" and args[1] ~= "lane" and args[1] ~= "wake" and args[1] ~= "dedup" and args[1] ~= "cursor" and args[1] ~= "counter" and args[1] ~= "limiter" and args[1] ~= "setting" and args[1] ~= "tokens" and args[1] ~= "workers" and args[1] ~= "repeat" and args[1] ~= "key" then
        return "ERR EMQ.REPAIR bad argument subject"
    end
    if args[3] ~= "" and not s.name(args[3]) then
        return "ERR EMQ.REPAIR bad argument lane"
    end
    if args[4] ~= "keep" and args[4] ~= "destroy" then
        return "ERR EMQ.REPAIR bad argument mode"
    end
    local base = keys[2]
    if not s.base(base) or keys[1] ~= base .. "pending" then
        return "ERR EMQ.REPAIR keys do not match the wire-4 layout"
    end
    do
        local i = 2
        while i < #keys do
            if (string.find(keys[i + 1], base, nil, true) or 0) - 1 ~= 0 or keys[i + 1] == base then
                return "ERR EMQ.REPAIR keys do not match the wire-4 layout"
            end
            i = i + 1
        end
    end
    return ""
end
--- A whole number in a field that others may have written; `other` for anything else.
local function numberIn(s, field, most, other)
    return field ~= false and s.int(field, 0, most) and s.num(field) or other
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
--- Whether a key is free once the job `id` is over.
local function isFree(held, id)
    return held == false or held == id
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
--- What lets a job run that is parked behind one that will not let it: the other is gone, over, or knows nothing of it.
-- `false` when it is not parked, or rightly. To be read before the first write, and let go after the last.
local function readStray(s, base, id)
    local call = s.call
    local own = call(
        "HMGET",
        base .. "job:" .. id,
        "state",
        "follows",
        "follow_at",
        "dedup",
        "alias"
    )
    local leader = own[2]
    local score = call("ZSCORE", base .. "schedule", id)
    if own[1] ~= "scheduled" or leader == false or score == false or s.num(score) ~= 9007199254740991 then
        return false
    end
    local led = s.branded(leader) and call("HMGET", base .. "job:" .. leader, "state", "next") or ({false})
    local isOver = led[1] == false or led[1] == "dead" or led[1] == "completed"
    if not isOver and led[2] == id then
        return false
    end
    local key = (own[4] == false or own[4] == "") and "" or base .. "de:" .. own[4]
    local alias = (own[5] == false or own[5] == "") and "" or base .. "de:" .. own[5]
    local holder = isOver and leader or id
    if key ~= "" and not isFree(
        call("GET", key),
        holder
    ) then
        key = ""
    end
    if alias ~= "" and not isFree(
        call("GET", alias),
        holder
    ) then
        alias = ""
    end
    call("LLEN", base .. "wake")
    return {
        keys = {},
        key = key,
        next = id,
        at = own[3],
        alias = alias
    }
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
--- Puts the set back within its bounds, if it has outgrown them or would stay for ever; answers whether it had to.
local function boundTokens(s, base)
    local call = s.call
    local key = base .. "tokens"
    local over = call("ZCARD", key) - 10000
    if over <= 0 and call("PTTL", key) ~= -1 then
        return false
    end
    if over > 0 then
        removeMembers(
            s,
            key,
            call(
                "ZRANGE",
                key,
                0,
                math.min(over, 1000) - 1
            )
        )
    end
    call("PEXPIRE", key, 86400000)
    return true
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
--- How many children a count says are open; what is no count says none.
local function openIn(s, count)
    return count ~= false and s.int(count, 0, 9007199254740991) and s.num(count) or 0
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
--- The side keys of a row that never expire.
local SIDE_TYPES = {
    "logs",
    "lock",
    "dependencies",
    "processed",
    "failed",
    "unsuccessful",
    "children",
    "parents"
}
--- The side keys that exist under a row's key. A result that expires outlives its row rightly and is not among them.
local function sideKeysOf(s, row)
    local call = s.call
    local present = {}
    for ____, ____type in ipairs(SIDE_TYPES) do
        if call("EXISTS", row .. ":" .. ____type) == 1 then
            present[#present + 1] = ____type
        end
    end
    if call("PTTL", row .. ":result") == -1 then
        present[#present + 1] = "result"
    end
    return present
end
--- The leased jobs whose rows name a lane, -1 when more are leased than one act may look at.
local function countLeased(s, base, lane)
    local call = s.call
    local active = base .. "active"
    if call("ZCARD", active) > 1000 then
        return -1
    end
    local count = 0
    for ____, id in ipairs(call("ZRANGE", active, 0, -1)) do
        if s.branded(id) then
            local fields = call("HMGET", base .. "job:" .. id, "group", "state")
            if fields[1] == lane and fields[2] == "active" then
                count = count + 1
            end
        end
    end
    return count
end
--- How often a lane stands on the ring, 2 for more: a lane belongs there once at most.
local function ringPlaces(s, base, lane)
    return #s.call(
        "LPOS",
        base .. "ring",
        lane,
        "COUNT",
        2
    )
end
--- Whether a lane rests: 1 by its rate, 2 although it has none, else 0.
local function restOf(s, base, lane)
    if not isResting(s, base, lane) then
        return 0
    end
    return s.call("HEXISTS", base .. "rate", "m" .. lane) == 1 and 1 or 2
end
--- The sets in which a job lies by its state.
local SETS = {
    "pending",
    "active",
    "schedule",
    "dead",
    "completed",
    "awaiting"
}
--- Fields that count, with the least and the most that they may hold: a counter of nothing is absent.
local COUNTERS = {
    "stalled",
    "deferred",
    "finished_at",
    "wait",
    "due",
    "expires",
    "cost"
}
local LEAST = {
    1,
    1,
    0,
    0,
    0,
    0,
    1
}
local MOST = {
    9007199254740991,
    9007199254740991,
    9007199254740991,
    9007199254740991,
    9007199254740991,
    9007199254740991,
    1048576
}
--- Whether text is a whole number in range.
local function isWhole(s, text, min, max)
    return text ~= false and s.int(text, min, max)
end
--- The set of a state, the empty text for one without.
local function setOf(state)
    return state == "scheduled" and "schedule" or (state == "awaiting_children" and "awaiting" or state)
end
--- Whether a word is a state of the wire.
local function isState(word)
    if word == "awaiting_children" or word == "scheduled" then
        return true
    end
    return word == "pending" or word == "active" or word == "dead" or word == "completed"
end
--- The state of a row that has no word for it: by where it lies, else it waits.
local function stateByPlace(scores)
    if scores[2] ~= false then
        return "active"
    end
    if scores[3] ~= false then
        return "scheduled"
    end
    if scores[4] ~= false then
        return "dead"
    end
    if scores[5] ~= false then
        return "completed"
    end
    return scores[6] == false and "pending" or "awaiting_children"
end
--- Takes a job out of every place but the set or lane where it belongs; answers how many it left.
local function leavePlaces(s, found, state)
    local call = s.call
    local own = setOf(state)
    local waitsInLane = state == "pending" and found.group ~= ""
    local left = 0
    for ____, set in ipairs(SETS) do
        local isTime = set == "schedule" and state == "awaiting_children"
        if set ~= own and not isTime or waitsInLane then
            left = left + call("ZREM", found.base .. set, found.id)
        end
    end
    if state ~= "dead" and state ~= "completed" then
        left = left + call("ZREM", found.base .. "expiry", found.id)
    end
    if found.group ~= "" and not waitsInLane then
        left = left + leaveLane(s, found.base, found.group, found.id)
    end
    if found.lane ~= "" and found.lane ~= found.group then
        left = left + leaveLane(s, found.base, found.lane, found.id)
    end
    return left
end
--- Sets the score of a job in its set, where it is missing or another; answers how many it set.
local function enterSet(s, found, set, score, isAny, at)
    local present = found.scores[at + 1]
    if present ~= false and isAny and s.int(present, 0, 9007199254740991) then
        return 0
    end
    if present ~= false and not isAny and s.int(present, 0, 9007199254740991) and s.num(present) == score then
        return 0
    end
    s.call("ZADD", found.base .. set, score, found.id)
    return 1
end
--- Lets a job wait where it belongs; answers how many scores it set.
local function enterWaiting(s, found, priority, isHeld)
    if found.group == "" then
        return enterSet(
            s,
            found,
            "pending",
            priority,
            false,
            0
        )
    end
    local present = found.laneScore
    if present ~= false and s.int(present, 0, 9007199254740991) and s.num(present) == priority then
        return 0
    end
    if present == "-1" and isHeld then
        return 0
    end
    local score = isHeld and -1 or priority
    if present == false then
        enterLane(
            s,
            found.base,
            found.group,
            found.id,
            score
        )
    else
        s.call(
            "ZADD",
            laneKey(found.base, found.group),
            score,
            found.id
        )
    end
    return 1
end
--- Puts a job where its state says, if it is not there with the right score; answers how many scores it set.
local function enterPlace(s, found, state, fields)
    local now = s.now()
    if state == "pending" then
        local priority = fields[4]
        local rank = priority ~= false and s.int(priority, 1, 2097152) and s.num(priority) or 0
        return enterWaiting(s, found, rank, fields[6] ~= false)
    end
    if state == "active" then
        return enterSet(
            s,
            found,
            "active",
            now + 30000,
            true,
            1
        )
    end
    if state == "scheduled" then
        return enterSet(
            s,
            found,
            "schedule",
            now,
            true,
            2
        )
    end
    if state == "awaiting_children" then
        return enterSet(
            s,
            found,
            "awaiting",
            now,
            true,
            5
        )
    end
    if state == "dead" then
        return enterSet(
            s,
            found,
            "dead",
            0,
            false,
            3
        )
    end
    if state ~= "completed" then
        return 0
    end
    local finished = fields[7]
    if finished ~= false and s.int(finished, 0, 9007199254740991) then
        return enterSet(
            s,
            found,
            "completed",
            s.num(finished),
            false,
            4
        )
    end
    s.call("HSET", found.row, "finished_at", now)
    return enterSet(
        s,
        found,
        "completed",
        now,
        false,
        4
    )
end
--- Drops fields that say nothing right; answers how many. `more` are fields that the record does not know.
local function dropFields(s, found, state, fields, more)
    local call = s.call
    local dropped = 0
    if fields[4] ~= false and not s.int(fields[4], 1, 2097152) then
        dropped = dropped + call("HDEL", found.row, "priority")
    end
    if fields[3] ~= false and found.group == "" then
        dropped = dropped + call("HDEL", found.row, "group")
    end
    local owner = fields[5]
    local mayHaveOwner = state == "active" or state == "pending" and owner == ""
    if owner ~= false and not mayHaveOwner then
        dropped = dropped + call("HDEL", found.row, "owner")
    end
    do
        local i = 0
        while i < #COUNTERS do
            local text = call("HGET", found.row, COUNTERS[i + 1])
            if text ~= false and not s.int(text, LEAST[i + 1], MOST[i + 1]) then
                dropped = dropped + call("HDEL", found.row, COUNTERS[i + 1])
            end
            i = i + 1
        end
    end
    for ____, field in ipairs(more) do
        if field ~= "state" and field ~= "attempts" and field ~= "payload" then
            dropped = dropped + call("HDEL", found.row, field)
        end
    end
    return dropped
end
--- A member without a row: it is taken out of wherever it lies, and what a row left goes if that is allowed.
local function dropGhost(s, found, mayDestroy)
    local side = s.branded(found.id) and sideKeysOf(s, found.row) or ({})
    local left = leavePlaces(s, found, "")
    if #side == 0 then
        return left > 0 and 1 or 0
    end
    if not mayDestroy then
        return 2
    end
    for ____, ____type in ipairs(side) do
        s.call("DEL", found.row .. ":" .. ____type)
    end
    return 1
end
--- Reads a job and everything that mending it writes to.
local function find(s, base, id, lane, group)
    local scores = {}
    for ____, set in ipairs(SETS) do
        scores[#scores + 1] = s.call("ZSCORE", base .. set, id)
    end
    s.call("ZCARD", base .. "expiry")
    s.call("ZCARD", base .. "ttl")
    local laneScore = false
    if group ~= "" then
        readLanes(s, base, {group}, 1)
        laneScore = s.call(
            "ZSCORE",
            laneKey(base, group),
            id
        )
    end
    if lane ~= "" then
        readLanes(s, base, {lane}, 1)
    end
    return {
        base = base,
        id = id,
        row = base .. "job:" .. id,
        group = group,
        lane = lane,
        scores = scores,
        laneScore = laneScore
    }
end
--- Whether a parent waits for nobody.
local function waitsForNobody(s, row)
    return openIn(
        s,
        s.call("GET", row .. ":dependencies")
    ) == 0
end
--- Lists a job that waits by the end of its time to live, if it has one; answers how many entries it wrote.
local function listTime(s, found, state)
    local expires = s.call("HGET", found.row, "expires")
    local waits = state == "pending" or state == "scheduled" or state == "awaiting_children"
    if not waits or expires == false or not s.int(expires, 0, 9007199254740991) then
        return 0
    end
    local listed = s.call("ZSCORE", found.base .. "ttl", found.id)
    if listed ~= false and s.int(listed, 0, 9007199254740991) and s.num(listed) <= s.num(expires) then
        return 0
    end
    s.call("ZREM", found.base .. "ttl", found.id)
    s.call("ZADD", found.base .. "ttl", expires, found.id)
    return 1
end
--- Puts a row right that has everything to run, and its places; answers {@link MENDED} if anything was wrong.
local function mendRow(s, found, fields, more)
    local call = s.call
    local word = fields[1]
    local state = word ~= false and isState(word) and word or stateByPlace(found.scores)
    local count = call("GET", found.row .. ":dependencies")
    local changes = count == false and 0 or seldom("mendCount")(s, found.row, count)
    if state == "awaiting_children" and waitsForNobody(s, found.row) then
        state = "pending"
    end
    changes = changes + leavePlaces(s, found, state)
    changes = changes + dropFields(
        s,
        found,
        state,
        fields,
        more
    )
    if word ~= state then
        call("HSET", found.row, "state", state)
        changes = changes + 1
    end
    if not isWhole(s, fields[2], 0, 9007199254740991) then
        call("HSET", found.row, "attempts", 0)
        changes = changes + 1
    end
    changes = changes + enterPlace(s, found, state, fields)
    changes = changes + listTime(s, found, state)
    return changes > 0 and 1 or 0
end
--- Puts one job right. `lane` is a further lane in which it was seen; `more` are fields to take out of its row.
local function mendJob(s, base, id, lane, mayDestroy, more)
    local call = s.call
    local row = base .. "job:" .. id
    if not s.branded(id) or call("EXISTS", row) == 0 then
        return dropGhost(
            s,
            find(
                s,
                base,
                id,
                lane,
                ""
            ),
            mayDestroy
        )
    end
    local fields = call(
        "HMGET",
        row,
        "state",
        "attempts",
        "group",
        "priority",
        "owner",
        "held",
        "finished_at"
    )
    local named = fields[3]
    local group = named ~= false and s.name(named) and named or ""
    local found = find(
        s,
        base,
        id,
        lane,
        group
    )
    if call("HEXISTS", row, "payload") == 1 then
        local stray = readStray(s, base, id)
        local outcome = mendRow(s, found, fields, mayDestroy and more or ({}))
        letGo(s, base, stray)
        return stray == false and outcome or 1
    end
    if not mayDestroy then
        return 2
    end
    local ____temp_0
    if group == "" then
        ____temp_0 = false
    else
        ____temp_0 = group
    end
    local own = ____temp_0
    erase(
        s,
        base,
        id,
        own,
        false
    )
    if lane ~= "" and lane ~= group then
        leaveLane(s, base, lane, id)
    end
    return 1
end
--- Puts the tokens of removed jobs back within their bounds.
local function mendTokens(s, base)
    return boundTokens(s, base) and 1 or 0
end
--- Forgets the workers when there are more than can be; those that are there tell so again at their next beat.
local function mendWorkers(s, base)
    if s.call("HLEN", base .. "workers") <= 1001 then
        return 0
    end
    s.call("DEL", base .. "workers")
    return 1
end
--- Empties a wake list that holds too much or what is no token. The caller pushes one for the work that waits, also
-- where the list was empty. `open` is whether the queue is not paused.
local function mendWake(s, base, open)
    local call = s.call
    local wake = base .. "wake"
    if call("LLEN", wake) == 0 then
        return open and call("EXISTS", base .. "pending", base .. "ring") > 0 and not isLimited(s, base) and 1 or 0
    end
    local isWrong = call("LLEN", wake) > 64
    for ____, token in ipairs(call("LRANGE", wake, 0, 64)) do
        if token ~= "1" then
            isWrong = true
        end
    end
    if not isWrong then
        return 0
    end
    call("DEL", wake)
    return 1
end
--- Releases a deduplication key that has no expiry and whose holder has no row.
local function mendDedup(s, base, dedup)
    local call = s.call
    if not s.name(dedup) then
        return 0
    end
    local key = base .. "de:" .. dedup
    local holder = call("GET", key)
    if holder == false or call("PTTL", key) ~= -1 then
        return 0
    end
    if s.branded(holder) and call("EXISTS", base .. "job:" .. holder) == 1 then
        return 0
    end
    call("DEL", key)
    return 1
end
--- Whether a field is absent or a whole number that is not negative.
local function isCount(s, text)
    return text == false or s.int(text, 0, 9007199254740991)
end
--- Whether a field is absent or a whole number of either sign.
local function isSigned(s, text)
    if text == false then
        return true
    end
    return s.int(
        s.char(text, 0) == "-" and string.sub(text, 2) or text,
        0,
        9007199254740991
    )
end
--- Drops a place of the round that no act can read: the round starts anew.
local function mendCursor(s, base)
    local fields = s.call(
        "HMGET",
        base .. "cursor",
        "passed",
        "credit",
        "share"
    )
    if isCount(s, fields[1]) and isSigned(s, fields[2]) and isCount(s, fields[3]) then
        return 0
    end
    s.call("DEL", base .. "cursor")
    return 1
end
--- Lets a counter begin anew that no act can raise.
local function mendCounter(s, base, which, mayDestroy)
    if which ~= "completed" and which ~= "failed" then
        return 0
    end
    local key = base .. "metrics:" .. which
    local count = s.call("HGET", key, "count")
    if count == false or s.int(count, 0, 9007199254740991) then
        return 0
    end
    if not mayDestroy then
        return 2
    end
    s.call("HDEL", key, "count")
    return 1
end
--- Ends a rate window that is no number or would never end.
local function mendLimiter(s, base)
    local limiter = base .. "limiter"
    local count = s.call("GET", limiter)
    if count == false or s.int(count, 0, 9007199254740991) and s.call("PTTL", limiter) ~= -1 then
        return 0
    end
    s.call("DEL", limiter)
    return 1
end
--- Drops a setting of the queue that no act can read.
local function mendSetting(s, base, field, mayDestroy)
    local isOne = field == "concurrency" or field == "max" or field == "duration" or field == "burst"
    if not isOne and field ~= "keep_n" and field ~= "keep_ms" then
        return 0
    end
    local text = s.call("HGET", base .. "meta", field)
    if text == false or s.int(text, 0, 9007199254740991) then
        return 0
    end
    if not mayDestroy then
        return 2
    end
    s.call("HDEL", base .. "meta", field)
    return 1
end
--- Gives a repeat that has lost its next occurrence one that whoever fires looks for, and takes away what is left of one
-- without a record.
local function mendRepeat(s, base, set, name)
    if set ~= "repeat" and set ~= "cron" then
        return 0
    end
    local call = s.call
    local key = base .. set
    local record = key .. ":" .. name
    local score = call("ZSCORE", key, name)
    if s.name(name) and call("HEXISTS", record, "template") == 1 then
        if score ~= false and s.int(score, 0, 9007199254740991) then
            return 0
        end
        call("ZADD", key, 0, name)
        return 1
    end
    local gone = call("ZREM", key, name)
    if s.name(name) then
        gone = gone + call("DEL", record)
    end
    return gone > 0 and 1 or 0
end
--- The hashes whose fields are lanes.
local LANE_HASHES = {"gactive", "glimit", "gweight"}
--- Takes a name that no lane can have out of everything that lists lanes.
local function dropName(s, base, name)
    local call = s.call
    call("LLEN", base .. "ring")
    call("SISMEMBER", base .. "gordered", name)
    if name ~= "" then
        call("ZSCORE", base .. "rest", name)
    end
    for ____, hash in ipairs(LANE_HASHES) do
        call("HEXISTS", base .. hash, name)
    end
    local dropped = call("SREM", base .. "paused", name) + call("SREM", base .. "gordered", name)
    for ____, hash in ipairs(LANE_HASHES) do
        dropped = dropped + call("HDEL", base .. hash, name)
    end
    if name ~= "" then
        dropped = dropped + call("ZREM", base .. "rest", name)
    end
    dropped = dropped + call("LREM", base .. "ring", 0, name)
    return dropped > 0 and 1 or 0
end
--- How many of the given jobs are scheduled and hold the lane.
local function countHolding(s, base, lane, ids)
    local count = 0
    for ____, id in ipairs(ids) do
        if s.branded(id) then
            local fields = s.call(
                "HMGET",
                base .. "job:" .. id,
                "state",
                "group",
                "held"
            )
            if fields[1] == "scheduled" and fields[2] == lane and fields[3] ~= false then
                count = count + 1
            end
        end
    end
    return count
end
--- Gives an ordered lane the limit that keeps its order; answers how many limits it set.
local function keepOrder(s, base, lane, ordered, limit)
    if not ordered or limit == "1" then
        return 0
    end
    s.call("HDEL", base .. "glimit", lane)
    s.call("HSET", base .. "glimit", lane, "1")
    return 1
end
--- Drops settings that no act can read; answers how many.
local function dropSettings(s, base, lane, limit, weight)
    local dropped = 0
    if limit ~= false and not s.int(limit, 1, 9007199254740991) then
        dropped = dropped + s.call("HDEL", base .. "glimit", lane)
    end
    if weight ~= false and not s.int(weight, 1, 9007199254740991) then
        dropped = dropped + s.call("HDEL", base .. "gweight", lane)
    end
    return dropped
end
--- Puts one lane right. `holders` are scheduled jobs that may hold it.
local function mendLane(s, base, lane, holders)
    local call = s.call
    if not s.name(lane) then
        return dropName(s, base, lane)
    end
    local ring = base .. "ring"
    local limit = call("HGET", base .. "glimit", lane)
    local weight = call("HGET", base .. "gweight", lane)
    local says = call("HGET", base .. "gactive", lane)
    local waits = call(
        "ZCARD",
        laneKey(base, lane)
    ) > 0 and call("SISMEMBER", base .. "paused", lane) == 0
    local places = ringPlaces(s, base, lane)
    local leased = countLeased(s, base, lane)
    local said = says ~= false and s.int(says, 1, 9007199254740991) and s.num(says) or 0
    local active = leased < 0 and said or leased + countHolding(s, base, lane, holders)
    local ordered = isOrdered(s, base, lane)
    local ceiling = ordered and "1" or limit
    local isFull = ceiling ~= false and s.int(ceiling, 1, 9007199254740991) and active >= s.num(ceiling)
    local rest = restOf(s, base, lane)
    local wanted = waits and not isFull and rest ~= 1 and 1 or 0
    local changes = dropSettings(
        s,
        base,
        lane,
        limit,
        weight
    )
    if rest == 2 then
        changes = changes + call("ZREM", base .. "rest", lane)
    end
    changes = changes + keepOrder(
        s,
        base,
        lane,
        ordered,
        limit
    )
    if places ~= wanted then
        changes = changes + (1 + call("LREM", ring, 0, lane))
    end
    if says ~= false and active == 0 then
        changes = changes + call("HDEL", base .. "gactive", lane)
    end
    if active > 0 and active ~= said then
        call("HSET", base .. "gactive", lane, active)
        changes = changes + 1
    end
    if places ~= wanted and wanted == 1 then
        call("RPUSH", ring, lane)
    end
    return changes > 0 and 1 or 0
end
--- Unlinks a key that has no place in the queue, or not with this type.
local function dropKey(s, keys, ____type, mayDestroy)
    if #keys ~= 3 or s.holds(keys[3]) ~= ____type then
        return 0
    end
    if not mayDestroy then
        return 2
    end
    return s.call("DEL", keys[3]) == 1 and 1 or 0
end
--- Puts the subject right; answers 0, 1 or 2.
local function mend(s, base, args, more, open)
    local subject = args[1]
    local name = args[2]
    local mayDestroy = args[4] == "destroy"
    if subject == "job" then
        return mendJob(
            s,
            base,
            name,
            args[3],
            mayDestroy,
            more
        )
    end
    if subject == "lane" then
        return mendLane(s, base, name, more)
    end
    if subject == "wake" then
        return mendWake(s, base, open)
    end
    if subject == "dedup" then
        return mendDedup(s, base, name)
    end
    if subject == "cursor" then
        return mendCursor(s, base)
    end
    if subject == "counter" then
        return mendCounter(s, base, name, mayDestroy)
    end
    if subject == "limiter" then
        return mendLimiter(s, base)
    end
    if subject == "tokens" then
        return mendTokens(s, base)
    end
    if subject == "workers" then
        return mendWorkers(s, base)
    end
    if subject == "repeat" then
        return mendRepeat(s, base, args[3], name)
    end
    return mendSetting(s, base, name, mayDestroy)
end
--- Any of the functions that most acts do not call; they are made when the first is asked for.
local rare = nil
seldom = function(name)
    if rare == nil then
        --- Whether limits keep the queue from being claimed from.
        -- 
        -- @cold
        local function isHeldBack(s, base)
            return isLimited(s, base)
        end
        --- Reads the names of a job that is ending. `rowGoes` is whether its row goes too, and with it its alias.
        -- 
        -- @cold
        local function readNamesOf(s, base, id, dedup, rowGoes)
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
        --- Sets the count of a parent to its open children; answers how many changes that were.
        -- 
        -- @cold
        local mendCountOnce = nil
        local function mendCount(s, row, count)
            if mendCountOnce == nil then
                --- How many of the children that a parent was told of have not ended. It reads three hashes and looks at each child, so
                -- its cost is theirs: 10,000 children at most.
                -- 
                -- @cold
                local countOpenOnce = nil
                local function countOpen(s, row)
                    if countOpenOnce == nil then
                        --- Whether what a parent knows of a child says that it is forgotten.
                        local function isForgotten(s, known)
                            return known ~= false and s.char(known, 0) == "-"
                        end
                        countOpenOnce = function(s, row)
                            local call = s.call
                            local ended = {}
                            for ____, id in ipairs(call("HKEYS", row .. ":processed")) do
                                ended["c:" .. id] = true
                            end
                            for ____, id in ipairs(call("HKEYS", row .. ":unsuccessful")) do
                                ended["c:" .. id] = true
                            end
                            local children = call("HGETALL", row .. ":children")
                            local stop = #children
                            local open = 0
                            for i = 0, stop - 1, 2 do
                                if not isForgotten(s, children[i + 2]) and ended["c:" .. children[i + 1]] ~= true then
                                    open = open + 1
                                end
                            end
                            return open
                        end
                    end
                    return countOpenOnce(s, row)
                end
                mendCountOnce = function(s, row, count)
                    if s.call("EXISTS", row .. ":children") == 0 then
                        return 0
                    end
                    local open = countOpen(s, row)
                    if s.int(count, 0, 9007199254740991) and s.num(count) == open then
                        return 0
                    end
                    s.call("SET", row .. ":dependencies", open)
                    return 1
                end
            end
            return mendCountOnce(s, row, count)
        end
        rare = {isHeldBack = isHeldBack, readNamesOf = readNamesOf, startNext = startNext, signalFailed = signalFailed, childFailed = childFailed, noteKin = noteKin, mendCount = mendCount}
    end
    return rare[name]
end
--- Keys: pending, base, perhaps one to unlink. Arguments: subject, name, lane or empty, mode, ids or fields. Answers 0,
-- 1 or 2.
local function repair(s, keys, args)
    local refusal = checkRepair(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local stop = #args
    if stop > 1000 + 4 then
        return s.error("ERR EMQ.REPAIR bad argument more")
    end
    local more = {}
    for i = 4, stop - 1 do
        more[#more + 1] = args[i + 1]
    end
    local base = keys[2]
    if args[1] == "key" then
        return dropKey(s, keys, args[2], args[4] == "destroy")
    end
    local open = isOpen(s, base)
    local outcome = mend(
        s,
        base,
        args,
        more,
        open
    )
    if outcome == 1 then
        pushIfClaimable(s, base, open)
    end
    return outcome
end
return repair(s, KEYS, ARGV)
