-- EMQ.PRIORITY: Changes the priority of a job that waits or is scheduled.
-- KEYS: row, pending, schedule, base
-- ARGV: id, priority
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
--- Shape, values and layout of `EMQ.PRIORITY`: the text of the refusal, empty when all is well.
local function checkPriority(s, keys, args)
    if #keys ~= 4 then
        return "ERR EMQ.PRIORITY takes 4 keys"
    end
    if #args ~= 2 then
        return "ERR wrong number of arguments for 'EMQ.PRIORITY' command"
    end
    if not s.int(args[2], 0, 2097152) then
        return "ERR EMQ.PRIORITY bad argument priority"
    end
    local base = keys[4]
    if not s.base(base) or keys[1] ~= base .. "job:" .. args[1] or keys[2] ~= base .. "pending" or keys[3] ~= base .. "schedule" then
        return "ERR EMQ.PRIORITY keys do not match the wire-4 layout"
    end
    return ""
end
--- The sorted set of a lane's waiting jobs.
local function laneKey(base, group)
    return base .. "g:" .. group .. ":pending"
end
--- Keys: row, pending, schedule, base. Arguments: id, priority. Answers 1, or -1 when the job is gone.
local function priority(s, keys, args)
    local refusal = checkPriority(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local id = args[1]
    local fields = call("HMGET", keys[1], "state", "group")
    local state = fields[1]
    local group = fields[2]
    if state == false then
        return -1
    end
    local lane = group == false and keys[2] or laneKey(keys[4], group)
    local place = state == "scheduled" and keys[3] or lane
    if state ~= "scheduled" and state ~= "pending" then
        return s.error("EMQSTATE not waiting")
    end
    local score = call("ZSCORE", place, id)
    if score == false then
        return s.error("EMQSTATE not waiting")
    end
    call("HDEL", keys[1], "priority")
    if args[2] ~= "0" then
        call("HSET", keys[1], "priority", args[2])
    end
    if state == "pending" and string.sub(score, 1, 1) ~= "-" then
        call(
            "ZADD",
            place,
            s.num(args[2]),
            id
        )
    end
    return 1
end
return priority(s, KEYS, ARGV)
