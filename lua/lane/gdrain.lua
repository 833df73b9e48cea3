-- EMQ.GDRAIN: Deletes the waiting jobs of a lane.
-- KEYS: lane, ring, base
-- ARGV: group, budget
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
local s = {base = base, call = redis.call, error = redis.error_reply, int = int, name = name, now = now, num = tonumber}
--- Shape, values and layout of `EMQ.GDRAIN`: the text of the refusal, empty when all is well.
local function checkGdrain(s, keys, args)
    if #keys ~= 3 then
        return "ERR EMQ.GDRAIN takes 3 keys"
    end
    if #args ~= 2 then
        return "ERR wrong number of arguments for 'EMQ.GDRAIN' command"
    end
    if not s.name(args[1]) then
        return "ERR EMQ.GDRAIN bad argument group"
    end
    if not s.int(args[2], 1, 1000) then
        return "ERR EMQ.GDRAIN bad argument budget"
    end
    local base = keys[3]
    if not s.base(base) or keys[1] ~= ((base .. "g:") .. args[1]) .. ":pending" or keys[2] ~= base .. "ring" then
        return "ERR EMQ.GDRAIN keys do not match the wire-4 layout"
    end
    return ""
end
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
local INSTANT_MAX = 9007199254740991
--- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
local function isResting(s, base, lane)
    return s.call("ZSCORE", base .. "rest", lane) ~= false
end
--- Reads the names of a job that is ending. `rowGoes` is whether its row goes too, and with it its alias.
-- 
-- @cold
local function readNamesOf(s, base, id, dedup, rowGoes)
    --- The score in `schedule` of a job that runs after another: an instant that never comes. It is moved by the end of the
    -- other, or by whoever promotes it.
    local PARKED_AT = 9007199254740991
    --- Whether a key is free once the job `id` is over.
    local function isFree(held, id)
        return held == false or held == id
    end
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
        "follow_at"
    )
    local score = call("ZSCORE", base .. "schedule", next)
    if fields[1] ~= "scheduled" or score == false or s.num(score) ~= PARKED_AT then
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
    --- The list stays within 64 tokens for foreign readers; 62 is the last index kept before one more is pushed.
    local LAST_KEPT = 62
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
--- Until when the outcome of a job must be left, 0 for nobody who asked. `resultMs` is how long it is to be left from
-- now on whoever asks; 0 leaves that to the mark.
local function waitedUntil(s, wait, resultMs)
    local now = s.now()
    local ____until = resultMs > 0 and math.min(now + resultMs, INSTANT_MAX) or 0
    if wait == false or not s.int(wait, 0, INSTANT_MAX) then
        return ____until
    end
    local marked = s.num(wait)
    return marked > now and math.max(marked, ____until) or ____until
end
--- Tells whoever waits that a job ends in this act.
local function tellWaiters(s, base, id)
    s.call("PUBLISH", base .. "results", id)
end
--- Keys: lane, ring, base. Arguments: group, budget. Answers how many members went; as many as the budget means more.
local function gdrain(s, keys, args)
    local refusal = checkGdrain(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local base = keys[3]
    local group = args[1]
    local ids = call(
        "ZRANGE",
        keys[1],
        0,
        s.num(args[2]) - 1
    )
    local stop = #ids
    if stop == 0 then
        return 0
    end
    call("LLEN", keys[2])
    local servable = isServable(s, base, group)
    local doomed = {}
    local held = {}
    local waited = {}
    for ____, id in ipairs(ids) do
        local fields = call(
            "HMGET",
            (base .. "job:") .. id,
            "state",
            "group",
            "dedup",
            "wait"
        )
        if fields[1] == "pending" and fields[2] == group then
            doomed[#doomed + 1] = (base .. "job:") .. id
            local names = readNames(
                s,
                base,
                id,
                fields[3],
                true
            )
            if names ~= false then
                held[#held + 1] = names
            end
            if waitedUntil(s, fields[4], 0) > 0 then
                waited[#waited + 1] = id
            end
        end
    end
    local timed = call("ZCARD", base .. "ttl")
    for ____, id in ipairs(waited) do
        tellWaiters(s, base, id)
    end
    call("ZREMRANGEBYRANK", keys[1], 0, stop - 1)
    if timed > 0 then
        removeMembers(s, base .. "ttl", ids)
    end
    for ____, row in ipairs(doomed) do
        deleteRow(s, row)
    end
    for ____, names in ipairs(held) do
        letGo(s, base, names)
    end
    if servable and call("ZCARD", keys[1]) == 0 then
        call("LREM", keys[2], 1, group)
    end
    return stop
end
return gdrain(s, KEYS, ARGV)
