-- EMQ.STATE: Tells where a job is.
-- KEYS: pending, active, schedule, dead, row, base
-- ARGV: id
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
local s = {base = base, call = redis.call, error = redis.error_reply}
--- Shape, values and layout of `EMQ.STATE`: the text of the refusal, empty when all is well.
local function checkState(s, keys, args)
    if #keys ~= 6 then
        return "ERR EMQ.STATE takes 6 keys"
    end
    if #args ~= 1 then
        return "ERR wrong number of arguments for 'EMQ.STATE' command"
    end
    local base = keys[6]
    if not s.base(base) or keys[1] ~= base .. "pending" or keys[2] ~= base .. "active" or keys[3] ~= base .. "schedule" or keys[4] ~= base .. "dead" or keys[5] ~= base .. "job:" .. args[1] then
        return "ERR EMQ.STATE keys do not match the wire-4 layout"
    end
    return ""
end
--- The sorted set of a lane's waiting jobs.
local function laneKey(base, group)
    return base .. "g:" .. group .. ":pending"
end
--- Keys: pending, active, schedule, dead, row, base. Arguments: id. Answers the word.
local function state(s, keys, args)
    local refusal = checkState(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local id = args[1]
    if call("ZSCORE", keys[1], id) ~= false then
        return "pending"
    end
    if call("ZSCORE", keys[2], id) ~= false then
        return "active"
    end
    if call("ZSCORE", keys[3], id) ~= false then
        return "scheduled"
    end
    if call("ZSCORE", keys[4], id) ~= false then
        return "dead"
    end
    local fields = call("HMGET", keys[5], "state", "group")
    local state = fields[1]
    local group = fields[2]
    if state == false then
        return "absent"
    end
    if state == "awaiting_children" then
        return state
    end
    if group ~= false and call(
        "ZSCORE",
        laneKey(keys[6], group),
        id
    ) ~= false then
        return "pending"
    end
    if call("ZSCORE", keys[6] .. "completed", id) ~= false then
        return "completed"
    end
    return "unknown"
end
return state(s, KEYS, ARGV)
