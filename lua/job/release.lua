-- EMQ.RELEASE: Moves one scheduled job to where it waits, before its time.
-- KEYS: row, schedule, pending, base
-- ARGV: id
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
local s = {base = base, call = redis.call, error = redis.error_reply, num = tonumber}
--- Shape, values and layout of `EMQ.RELEASE`: the text of the refusal, empty when all is well.
local function checkRelease(s, keys, args)
    if #keys ~= 4 then
        return "ERR EMQ.RELEASE takes 4 keys"
    end
    if #args ~= 1 then
        return "ERR wrong number of arguments for 'EMQ.RELEASE' command"
    end
    local base = keys[4]
    if not s.base(base) or keys[1] ~= (base .. "job:") .. args[1] or keys[2] ~= base .. "schedule" or keys[3] ~= base .. "pending" then
        return "ERR EMQ.RELEASE keys do not match the wire-4 layout"
    end
    return ""
end
--- The sorted set of a lane's waiting jobs.
local function laneKey(base, group)
    return ((base .. "g:") .. group) .. ":pending"
end
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
--- Pushes if the queue is claimable: not paused, and flat work or a servable lane waits.
local function pushIfClaimable(s, base)
    local call = s.call
    local wake = base .. "wake"
    if call("EXISTS", wake) == 0 and isOpen(s, base) and call("EXISTS", base .. "pending", base .. "ring") > 0 then
        push(s, wake)
    end
end
--- Keys: row, schedule, pending, base. Arguments: id. Answers 1, or -1 when the job is gone.
local function release(s, keys, args)
    local refusal = checkRelease(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local fields = call(
        "HMGET",
        keys[1],
        "state",
        "group",
        "priority"
    )
    if fields[1] == false then
        return -1
    end
    if fields[1] ~= "scheduled" then
        return s.error("EMQSTATE not scheduled")
    end
    call("ZREM", keys[2], args[1])
    call("HSET", keys[1], "state", "pending")
    letWait(
        s,
        keys[4],
        args[1],
        fields[2],
        fields[3]
    )
    pushIfClaimable(s, keys[4])
    return 1
end
return release(s, KEYS, ARGV)
