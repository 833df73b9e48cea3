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
--- Shape, values and layout of `EMQ.REPAIR`: the text of the refusal, empty when all is well.
local function checkRepair(s, keys, args)
    if #keys < 2 then
        return "ERR EMQ.REPAIR takes 2 keys"
    end
    if #args < 4 then
        return "ERR wrong number of arguments for 'EMQ.REPAIR' command"
    end
    if args[1] ~= "job" and args[1] ~= "lane" and args[1] ~= "wake" and args[1] ~= "dedup" and args[1] ~= "cursor" and args[1] ~= "counter" and args[1] ~= "limiter" and args[1] ~= "setting" and args[1] ~= "tokens" and args[1] ~= "workers" and args[1] ~= "key" then
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
    if call("EXISTS", base .. "meta", base .. "rest") > 0 and isLimited(s, base) then
        return
    end
    push(s, wake)
end
--- Whether a key is free once the job `id` is over.
local function isFree(held, id)
    return held == false or held == id
end
--- Reads the names of a job that is ending. `rowGoes` is whether its row goes too, and with it its alias.
-- 
-- @cold
local function readNamesOf(s, base, id, dedup, rowGoes)
    local call = s.call
    local own = call("HMGET", (base .. "job:") .. id, "alias", "next")
    local keys = {}
    local key = dedup == "" and "" or (base .. "de:") .. dedup
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
        local alias = (base .. "de:") .. own[1]
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
        (base .. "job:") .. next,
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
        alias = (base .. "de:") .. fields[2]
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
local function startNext(s, base, names)
    --- Pushes if one of the ids that this act scheduled stands at the head of the schedule now.
    local function pushIfHead(s, base, id)
        local head = s.call("ZRANGE", base .. "schedule", 0, 0)
        if #head > 0 and head[1] == id then
            push(s, base .. "wake")
        end
    end
    local call = s.call
    local next = names.next
    local now = s.now()
    call("HDEL", (base .. "job:") .. next, "follows", "follow_at")
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
--- What lets a job run that is parked behind one that will not let it: the other is gone, over, or knows nothing of it.
-- `false` when it is not parked, or rightly. To be read before the first write, and let go after the last.
local function readStray(s, base, id)
    local call = s.call
    local own = call(
        "HMGET",
        (base .. "job:") .. id,
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
    local led = s.branded(leader) and call("HMGET", (base .. "job:") .. leader, "state", "next") or ({false})
    local isOver = led[1] == false or led[1] == "dead" or led[1] == "completed"
    if not isOver and led[2] == id then
        return false
    end
    local key = (own[4] == false or own[4] == "") and "" or (base .. "de:") .. own[4]
    local alias = (own[5] == false or own[5] == "") and "" or (base .. "de:") .. own[5]
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
--- The sorted set of a lane's waiting jobs.
local function laneKey(base, group)
    return ((base .. "g:") .. group) .. ":pending"
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
    local part = {}
    local stop = #members
    do
        local i = 0
        while i < stop do
            part[#part + 1] = members[i + 1]
            if #part >= 400 or i == stop - 1 then
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
    do
        local i = 0
        while i < stop do
            if tokens[i + 1] > 0 then
                call(
                    "ZADD",
                    key,
                    math.floor(s.now() / 60000) * 134217728 + tokens[i + 1],
                    ids[i + 1]
                )
                kept = kept + 1
            end
            i = i + 1
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
    local holds = group ~= false and call("HEXISTS", (base .. "job:") .. id, "held") == 1
    local names = readNames(
        s,
        base,
        id,
        dedup,
        true
    )
    local fields = call("HMGET", (base .. "job:") .. id, "wait", "attempts")
    local token = lastToken(s, base, fields[2])
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
    if group ~= false then
        leaveLane(s, base, group, id)
        if wasActive == 1 or wasScheduled == 1 and holds then
            releaseLane(s, base, group)
        end
    end
    deleteRow(s, (base .. "job:") .. id)
    rememberTokens(s, base, {id}, {token})
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
    "parents"
}
--- The side keys that exist under a row's key. A result that expires outlives its row rightly and is not among them.
local function sideKeysOf(s, row)
    local call = s.call
    local present = {}
    for ____, ____type in ipairs(SIDE_TYPES) do
        if call("EXISTS", (row .. ":") .. ____type) == 1 then
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
            local fields = call("HMGET", (base .. "job:") .. id, "group", "state")
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
--- The sets in which a job lies by its state.
local SETS = {
    "pending",
    "active",
    "schedule",
    "dead",
    "completed"
}
--- Fields that count, with the least that they may hold: a counter of nothing is absent.
local COUNTERS = {
    "stalled",
    "deferred",
    "finished_at",
    "wait",
    "due"
}
local LEAST = {
    1,
    1,
    0,
    0,
    0
}
--- Whether text is a whole number in range.
local function isWhole(s, text, min, max)
    return text ~= false and s.int(text, min, max)
end
--- The set of a state, the empty text for one without.
local function setOf(state)
    return state == "scheduled" and "schedule" or (state == "awaiting_children" and "" or state)
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
    return scores[5] == false and "pending" or "completed"
end
--- Takes a job out of every place but the set or lane where it belongs; answers how many it left.
local function leavePlaces(s, found, state)
    local call = s.call
    local own = setOf(state)
    local waitsInLane = state == "pending" and found.group ~= ""
    local left = 0
    for ____, set in ipairs(SETS) do
        if set ~= own or waitsInLane then
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
            if text ~= false and not s.int(text, LEAST[i + 1], 9007199254740991) then
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
        s.call("DEL", (found.row .. ":") .. ____type)
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
        row = (base .. "job:") .. id,
        group = group,
        lane = lane,
        scores = scores,
        laneScore = laneScore
    }
end
--- Puts a row right that has everything to run, and its places; answers {@link MENDED} if anything was wrong.
local function mendRow(s, found, fields, more)
    local call = s.call
    local word = fields[1]
    local state = word ~= false and isState(word) and word or stateByPlace(found.scores)
    local changes = leavePlaces(s, found, state)
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
    return changes > 0 and 1 or 0
end
--- Puts one job right. `lane` is a further lane in which it was seen; `more` are fields to take out of its row.
local function mendJob(s, base, id, lane, mayDestroy, more)
    local call = s.call
    local row = (base .. "job:") .. id
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
    local key = (base .. "de:") .. dedup
    local holder = call("GET", key)
    if holder == false or call("PTTL", key) ~= -1 then
        return 0
    end
    if s.branded(holder) and call("EXISTS", (base .. "job:") .. holder) == 1 then
        return 0
    end
    call("DEL", key)
    return 1
end
--- Whether text is a whole number of either sign.
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
    local fields = s.call("HMGET", base .. "cursor", "passed", "credit")
    local passed = fields[1]
    if (passed == false or s.int(passed, 0, 9007199254740991)) and isSigned(s, fields[2]) then
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
    local key = (base .. "metrics:") .. which
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
    local isOne = field == "concurrency" or field == "max" or field == "duration"
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
                (base .. "job:") .. id,
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
    local wanted = waits and not isFull and not isResting(s, base, lane) and 1 or 0
    local changes = dropSettings(
        s,
        base,
        lane,
        limit,
        weight
    )
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
    return mendSetting(s, base, name, mayDestroy)
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
    do
        local i = 4
        while i < stop do
            more[#more + 1] = args[i + 1]
            i = i + 1
        end
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
