-- EMQ.REMOVE: Removes a job from wherever it is.
-- KEYS: row, pending, active, schedule, dead, base
-- ARGV: id, dedup, force
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
--- Whether text may name a lane: 1 to 256 bytes, no brace, no NUL.
local function name(text)
    return #text >= 1 and #text <= 256 and not string.find(text, "[{}%z]")
end
local s = {base = base, call = redis.call, error = redis.error_reply, name = name, num = tonumber}
--- Shape, values and layout of `EMQ.REMOVE`: the text of the refusal, empty when all is well.
local function checkRemove(s, keys, args)
    if #keys ~= 6 then
        return "ERR EMQ.REMOVE takes 6 keys"
    end
    if #args < 2 or #args > 3 then
        return "ERR wrong number of arguments for 'EMQ.REMOVE' command"
    end
    if args[2] ~= "" and not s.name(args[2]) then
        return "ERR EMQ.REMOVE bad argument dedup"
    end
    if #args > 2 and args[3] ~= "force" then
        return "ERR EMQ.REMOVE bad argument force"
    end
    local base = keys[6]
    if not s.base(base) or keys[1] ~= (base .. "job:") .. args[1] or keys[2] ~= base .. "pending" or keys[3] ~= base .. "active" or keys[4] ~= base .. "schedule" or keys[5] ~= base .. "dead" then
        return "ERR EMQ.REMOVE keys do not match the wire-4 layout"
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
--- Removes an id from the four sets and its lane, then deletes the row. Membership decides, not the row's word, so a
-- member that strayed goes as well.
local function erase(s, base, id, group, dedup)
    local call = s.call
    call("ZCARD", base .. "active")
    call("ZCARD", base .. "schedule")
    call("ZCARD", base .. "dead")
    if group ~= false then
        readLanes(s, base, {group}, 1)
    end
    local held = heldDedup(s, base, dedup, id)
    call("ZREM", base .. "pending", id)
    local wasActive = call("ZREM", base .. "active", id)
    call("ZREM", base .. "schedule", id)
    call("ZREM", base .. "dead", id)
    if group ~= false then
        leaveLane(s, base, group, id)
        if wasActive == 1 then
            releaseLane(s, base, group)
        end
    end
    deleteRow(s, (base .. "job:") .. id)
    if held ~= "" then
        call("DEL", held)
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
--- Pushes if the queue is claimable: not paused, and flat work or a servable lane waits. `open` is what {@link isOpen}
-- said before the first write of the act.
local function pushIfClaimable(s, base, open)
    local call = s.call
    local wake = base .. "wake"
    if open and call("EXISTS", wake) == 0 and call("EXISTS", base .. "pending", base .. "ring") > 0 then
        push(s, wake)
    end
end
--- Keys: row, pending, active, schedule, dead, base. Arguments: id, dedup or empty, perhaps force. Answers 1 or -1.
local function remove(s, keys, args)
    local refusal = checkRemove(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local base = keys[6]
    local fields = call(
        "HMGET",
        keys[1],
        "state",
        "group",
        "dedup",
        "lock"
    )
    if fields[1] == false and call("EXISTS", keys[1]) == 0 then
        return -1
    end
    local locked = fields[4] ~= false or call("EXISTS", keys[1] .. ":lock") == 1
    if locked and #args < 3 then
        return s.error("EMQLOCK job is locked")
    end
    local open = isOpen(s, base)
    local held = heldDedup(s, base, args[2], args[1])
    erase(
        s,
        base,
        args[1],
        fields[2],
        fields[3]
    )
    if held ~= "" then
        call("DEL", held)
    end
    if fields[2] ~= false then
        pushIfClaimable(s, base, open)
    end
    return 1
end
return remove(s, KEYS, ARGV)
