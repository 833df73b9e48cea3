-- EMQ.GIVEBACK: Puts an active job back to its place at once, without spending an attempt.
-- KEYS: active, row, pending, base
-- ARGV: id, token
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
local s = {base = base, call = redis.call, error = redis.error_reply, int = int, num = tonumber}
--- Shape, values and layout of `EMQ.GIVEBACK`: the text of the refusal, empty when all is well.
local function checkGiveback(s, keys, args)
    if #keys ~= 4 then
        return "ERR EMQ.GIVEBACK takes 4 keys"
    end
    if #args ~= 2 then
        return "ERR wrong number of arguments for 'EMQ.GIVEBACK' command"
    end
    if not s.int(args[2], 0, 9007199254740991) then
        return "ERR EMQ.GIVEBACK bad argument token"
    end
    local base = keys[4]
    if not s.base(base) or keys[1] ~= base .. "active" or keys[2] ~= base .. "job:" .. args[1] or keys[3] ~= base .. "pending" then
        return "ERR EMQ.GIVEBACK keys do not match the wire-4 layout"
    end
    return ""
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
    if s.now == nil then
        --- The server's clock in whole Unix milliseconds, read once an act.
        local instant = false
        local function now()
            if instant == false then
                local clock = redis.call("TIME")
                instant = clock[1] * 1000 + math.floor(clock[2] / 1000)
            end
            return instant
        end
        s.now = now
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
--- Sets a counter field of a row, or drops it at 0 so that a row holds nothing that says nothing.
local function setCount(s, row, field, count)
    if count > 0 then
        s.call("HSET", row, field, count)
    else
        s.call("HDEL", row, field)
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
--- Keys: active, row, pending, base. Arguments: id, token. Answers 1.
local function giveback(s, keys, args)
    local refusal = checkGiveback(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local holder = readHolder(s, keys[2])
    local verdict = judge(holder, args[2], "EMQSTALE job gone", "EMQSTALE giveback token mismatch")
    if verdict ~= "" then
        return s.error(verdict)
    end
    local open = isOpen(s, keys[4])
    giveUp(s, keys[4], args[1], holder)
    pushIfClaimable(s, keys[4], open)
    return 1
end
return giveback(s, KEYS, ARGV)
