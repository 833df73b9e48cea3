-- EMQ.EXAMINE: Tells at one instant everything that invariants say about a lane, a deduplication key and some jobs.
-- KEYS: pending, base
-- ARGV: lane, dedup, count, ...
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
local s = {base = base, branded = branded, call = redis.call, error = redis.error_reply, int = int, name = name, now = now}
--- Shape, values and layout of `EMQ.EXAMINE`: the text of the refusal, empty when all is well.
local function checkExamine(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.EXAMINE takes 2 keys"
    end
    if #args < 3 then
        return "ERR wrong number of arguments for 'EMQ.EXAMINE' command"
    end
    if args[1] ~= "" and not s.name(args[1]) then
        return "ERR EMQ.EXAMINE bad argument lane"
    end
    if args[2] ~= "" and not s.name(args[2]) then
        return "ERR EMQ.EXAMINE bad argument dedup"
    end
    if not s.int(args[3], 0, 1) then
        return "ERR EMQ.EXAMINE bad argument count"
    end
    local base = keys[2]
    if not s.base(base) or keys[1] ~= base .. "pending" then
        return "ERR EMQ.EXAMINE keys do not match the wire-4 layout"
    end
    return ""
end
--- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
local function isResting(s, base, lane)
    return s.call("ZSCORE", base .. "rest", lane) ~= false
end
--- The sorted set of a lane's waiting jobs.
local function laneKey(base, group)
    return base .. "g:" .. group .. ":pending"
end
--- How many of the children that a parent was told of have not ended. It reads three hashes and looks at each child, so
-- its cost is theirs: 10,000 children at most.
-- 
-- @cold
local countOpenOnce = nil
local function countOpen(s, row)
    if s.char == nil then
        --- One byte of a text, counted from 0.
        local function char(text, index)
            return string.sub(text, index + 1, index + 1)
        end
        s.char = char
    end
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
--- The job after whose end a row's job is to run: its state, and the job that it names as its next. Empty for a job that
-- runs after none.
local function leaderOf(s, base, row)
    local leader = s.call("HGET", row, "follows")
    if leader == false then
        return {}
    end
    return s.branded(leader) and s.call("HMGET", base .. "job:" .. leader, "state", "next") or ({false, false})
end
--- What a parent counts: its count, how many of its children are open, and of how many it was told. The second is -1
-- where the budget does not suffice to see. Empty for a job that was never a parent.
local function familyOf(s, row, budget)
    local call = s.call
    local count = call("GET", row .. ":dependencies")
    if count == false then
        return {}
    end
    local children = call("HLEN", row .. ":children")
    if children > budget.left then
        return {count, -1, children}
    end
    budget.left = budget.left - children
    return {
        count,
        countOpen(s, row),
        children
    }
end
--- One job: fields, names of all fields, scores where it may lie, side keys without a row, the job before it, and what
-- it counts of its children.
local function examineJob(s, base, id, lane, budget)
    local call = s.call
    local row = base .. "job:" .. id
    local fields = {}
    local names = {}
    local side = {}
    local leader = {}
    local family = {}
    local group = false
    if s.branded(id) then
        names = call("HKEYS", row)
        if #names > 0 then
            fields = call(
                "HMGET",
                row,
                "state",
                "attempts",
                "group",
                "priority",
                "owner",
                "stalled",
                "deferred",
                "finished_at",
                "wait",
                "held",
                "due",
                "expires",
                "cost"
            )
            group = fields[3]
            leader = leaderOf(s, base, row)
            family = familyOf(s, row, budget)
        else
            side = sideKeysOf(s, row)
        end
    end
    local scores = {
        call("ZSCORE", base .. "pending", id),
        call("ZSCORE", base .. "active", id),
        call("ZSCORE", base .. "schedule", id),
        call("ZSCORE", base .. "dead", id),
        call("ZSCORE", base .. "completed", id),
        false,
        false,
        call("ZSCORE", base .. "expiry", id),
        call("ZSCORE", base .. "awaiting", id),
        call("ZSCORE", base .. "ttl", id)
    }
    if group ~= false and s.name(group) then
        scores[6] = call(
            "ZSCORE",
            laneKey(base, group),
            id
        )
    end
    if lane ~= "" and lane ~= group then
        scores[7] = call(
            "ZSCORE",
            laneKey(base, lane),
            id
        )
    end
    return {
        fields,
        names,
        scores,
        side,
        leader,
        family
    }
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
--- One lane: depth, paused, limit, counter, weight, ordered, places on the ring, leased jobs, whether it rests.
local function examineLane(s, base, lane, count)
    local call = s.call
    local leased = -1
    if count == "1" then
        leased = countLeased(s, base, lane)
    end
    return {
        call(
            "ZCARD",
            laneKey(base, lane)
        ),
        call("SISMEMBER", base .. "paused", lane),
        call("HGET", base .. "glimit", lane),
        call("HGET", base .. "gactive", lane),
        call("HGET", base .. "gweight", lane),
        call("SISMEMBER", base .. "gordered", lane),
        ringPlaces(s, base, lane),
        leased,
        restOf(s, base, lane)
    }
end
--- One deduplication key: holder, whether its job is there, whether the key expires.
local function examineDedup(s, base, dedup)
    local call = s.call
    local key = base .. "de:" .. dedup
    local holder = call("GET", key)
    if holder == false then
        return {}
    end
    local isAlive = s.branded(holder) and call("EXISTS", base .. "job:" .. holder) or 0
    local ends = call("PTTL", key) >= 0 and 1 or 0
    return {holder, isAlive, ends}
end
--- Keys: pending, base. Arguments: lane or empty, deduplication id or empty, count, ids. Answers what it saw.
local function examine(s, keys, args)
    local refusal = checkExamine(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local stop = #args
    if stop > 1000 + 3 then
        return s.error("ERR EMQ.EXAMINE bad argument id")
    end
    local base = keys[2]
    local jobs = {}
    local budget = {left = 1000}
    for i = 3, stop - 1 do
        jobs[#jobs + 1] = examineJob(
            s,
            base,
            args[i + 1],
            args[1],
            budget
        )
    end
    local lane = args[1] == "" and ({}) or examineLane(s, base, args[1], args[3])
    local dedup = args[2] == "" and ({}) or examineDedup(s, base, args[2])
    return {
        s.now(),
        lane,
        dedup,
        jobs
    }
end
return examine(s, KEYS, ARGV)
