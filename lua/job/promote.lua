-- EMQ.PROMOTE: Moves due jobs from the schedule to where they wait.
-- KEYS: schedule, pending, base
-- ARGV: batch
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
--- Shape, values and layout of `EMQ.PROMOTE`: the text of the refusal, empty when all is well.
local function checkPromote(s, keys, args)
    if #keys ~= 3 then
        return "ERR EMQ.PROMOTE takes 3 keys"
    end
    if #args ~= 1 then
        return "ERR wrong number of arguments for 'EMQ.PROMOTE' command"
    end
    if not s.int(args[1], 0, 1000) then
        return "ERR EMQ.PROMOTE bad argument batch"
    end
    local base = keys[3]
    if not s.base(base) or keys[1] ~= base .. "schedule" or keys[2] ~= base .. "pending" then
        return "ERR EMQ.PROMOTE keys do not match the wire-4 layout"
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
--- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
local function isResting(s, base, lane)
    return s.call("ZSCORE", base .. "rest", lane) ~= false
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
                seldom("endWait")(s, base, due[i + 1])
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
--- Any of the functions that most acts do not call; they are made when the first is asked for.
local rare = nil
seldom = function(name)
    if rare == nil then
        --- Lets a parent run whose time to wait for its children is over.
        -- 
        -- @cold
        local function endWait(s, base, id)
            s.call("ZREM", base .. "awaiting", id)
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
        rare = {endWait = endWait, isHeldBack = isHeldBack}
    end
    return rare[name]
end
--- Keys: schedule, pending, base. Arguments: batch. Answers how many jobs were moved.
local function promote(s, keys, args)
    local refusal = checkPromote(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local open = isOpen(s, keys[3])
    local moved = promoteDue(
        s,
        keys[1],
        keys[3],
        s.num(args[1]),
        1000
    ).moved
    if moved > 0 then
        pushIfClaimable(s, keys[3], open)
    end
    return moved
end
return promote(s, KEYS, ARGV)
