-- EMQ.UNREPEAT: Takes a repeat away; jobs that it has made stay.
-- KEYS: set, record, base
-- ARGV: name
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
--- Shape, values and layout of `EMQ.UNREPEAT`: the text of the refusal, empty when all is well.
local function checkUnrepeat(s, keys, args)
    if #keys ~= 3 then
        return "ERR EMQ.UNREPEAT takes 3 keys"
    end
    if #args ~= 1 then
        return "ERR wrong number of arguments for 'EMQ.UNREPEAT' command"
    end
    if not s.name(args[1]) then
        return "ERR EMQ.UNREPEAT bad argument name"
    end
    local base = keys[3]
    local plane = keys[1] == base .. "cron" and "cron" or "repeat"
    if not s.base(base) or keys[1] ~= base .. plane or keys[2] ~= base .. plane .. ":" .. args[1] then
        return "ERR EMQ.UNREPEAT keys do not match the wire-4 layout"
    end
    return ""
end
--- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
local function isResting(s, base, lane)
    return s.call("ZSCORE", base .. "rest", lane) ~= false
end
--- The number in a counter field, 0 when it is absent.
local function countOf(s, field)
    return field == false and 0 or s.num(field)
end
--- The sorted set of a lane's waiting jobs.
local function laneKey(base, group)
    return base .. "g:" .. group .. ":pending"
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
--- Sets the limit of a lane, 0 for none, and takes the lane over the line of the ring if that moves it there. Everything
-- that it touches is read before its first write, which does not grow.
local function setLimit(s, base, group, limit)
    local call = s.call
    local before = call("HGET", base .. "glimit", group)
    local active = countOf(
        s,
        call("HGET", base .. "gactive", group)
    )
    local mayWait = call("SISMEMBER", base .. "paused", group) == 0 and not isResting(s, base, group)
    local waits = mayWait and call(
        "ZCARD",
        laneKey(base, group)
    ) > 0
    call("LLEN", base .. "ring")
    local was = waits and (before == false or active < s.num(before))
    local is = waits and (limit == 0 or active < limit)
    call("HDEL", base .. "glimit", group)
    if limit > 0 then
        call("HSET", base .. "glimit", group, limit)
    end
    if was and not is then
        call("LREM", base .. "ring", 1, group)
    end
    if is and not was then
        call("RPUSH", base .. "ring", group)
    end
end
--- Whether the lane of a repeat has settings that may go: there are any, and nothing is in it. Reads what
-- {@link freeLane} will meet, so it stands before the first write.
local function mayFreeLane(s, base, overlap, group)
    local call = s.call
    if overlap ~= "queue" or group == false then
        return false
    end
    readLanes(s, base, {group}, 1)
    call("SCARD", base .. "gordered")
    return call(
        "ZCARD",
        laneKey(base, group)
    ) == 0 and call("HEXISTS", base .. "gactive", group) == 0
end
--- Takes the limit and the order of such a lane away.
local function freeLane(s, base, group)
    setLimit(s, base, group, 0)
    s.call("SREM", base .. "gordered", group)
end
--- The fields of a record that acts decide by. Without a template there is no record.
local function readRecord(s, record)
    return s.call(
        "HMGET",
        record,
        "every_ms",
        "template",
        "rev",
        "limit",
        "until",
        "overlap",
        "fired",
        "last",
        "group",
        "skipped"
    )
end
--- Keys: set, record, base. Argument: name. Answers 1, or 0 when it had no place in the set.
local function unrepeat(s, keys, args)
    local refusal = checkUnrepeat(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local base = keys[3]
    local fields = readRecord(s, keys[2])
    call("ZCARD", keys[1])
    local group = fields[8 + 1]
    if mayFreeLane(s, base, fields[5 + 1], group) and group ~= false then
        freeLane(s, base, group)
    end
    local removed = call("ZREM", keys[1], args[1])
    call("DEL", keys[2])
    return removed
end
return unrepeat(s, KEYS, ARGV)
