-- EMQ.COMPLETE: Ends a job as done.
-- KEYS: active, row, base
-- ARGV: id, token, result
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
--- Shape, values and layout of `EMQ.COMPLETE`: the text of the refusal, empty when all is well.
local function checkComplete(s, keys, args)
    if #keys ~= 3 then
        return "ERR EMQ.COMPLETE takes 3 keys"
    end
    if #args < 2 or #args > 3 then
        return "ERR wrong number of arguments for 'EMQ.COMPLETE' command"
    end
    if not s.int(args[2], 0, 9007199254740991) then
        return "ERR EMQ.COMPLETE bad argument token"
    end
    local base = keys[3]
    if not s.base(base) or keys[1] ~= base .. "active" or keys[2] ~= (base .. "job:") .. args[1] then
        return "ERR EMQ.COMPLETE keys do not match the wire-4 layout"
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
    if call("SISMEMBER", base .. "paused", group) == 0 then
        call("RPUSH", base .. "ring", group)
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
--- The deduplication key of a name if it holds this job, otherwise the empty text. It goes when the job ends; reading it
-- comes before the first write, as its type may be foreign.
local function heldDedup(s, base, dedup, id)
    if dedup == false or dedup == "" then
        return ""
    end
    local key = (base .. "de:") .. dedup
    return s.call("GET", key) == id and key or ""
end
--- Takes a job from where it waits; 1 if it waited there.
local function stopWaiting(s, base, id, group)
    if group == false then
        return s.call("ZREM", base .. "pending", id)
    end
    return leaveLane(s, base, group, id)
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
--- Pushes if the queue is claimable: not paused, and flat work or a servable lane waits. `open` is what {@link isOpen}
-- said before the first write of the act.
local function pushIfClaimable(s, base, open)
    local call = s.call
    local wake = base .. "wake"
    if open and call("EXISTS", wake) == 0 and call("EXISTS", base .. "pending", base .. "ring") > 0 then
        push(s, wake)
    end
end
--- Keys: active, row, base. Arguments: id, token and perhaps a result. Answers 1, or 0 when the job is gone.
local function complete(s, keys, args)
    local refusal = checkComplete(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local id = args[1]
    local base = keys[3]
    local holder = call(
        "HMGET",
        keys[2],
        "attempts",
        "state",
        "owner",
        "group",
        "dedup"
    )
    local verdict = judge(holder, args[2], "0", "EMQSTALE complete token mismatch")
    if verdict == "0" then
        call("ZREM", keys[1], id)
        return 0
    end
    if verdict ~= "" then
        return s.error(verdict)
    end
    local group = holder[4]
    local open = group == false or isOpen(s, base)
    if group ~= false then
        readLanes(s, base, {group}, 1)
    end
    call("HGET", base .. "metrics:completed", "count")
    local held = heldDedup(s, base, holder[5], id)
    if holder[2] == "active" then
        call("ZREM", keys[1], id)
    else
        stopWaiting(s, base, id, group)
    end
    deleteRow(s, keys[2])
    if held ~= "" then
        call("DEL", held)
    end
    call("HINCRBY", base .. "metrics:completed", "count", 1)
    if group ~= false then
        if holder[2] == "active" then
            releaseLane(s, base, group)
        end
        pushIfClaimable(s, base, open)
    end
    return 1
end
return complete(s, KEYS, ARGV)
