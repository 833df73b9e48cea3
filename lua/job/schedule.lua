-- EMQ.SCHEDULE: Admits one job that falls due later.
-- KEYS: row, schedule
-- ARGV: id, payload, mode, ms
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
--- Shape, values and layout of `EMQ.SCHEDULE`: the text of the refusal, empty when all is well.
local function checkSchedule(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.SCHEDULE takes 2 keys"
    end
    if #args ~= 4 then
        return "ERR wrong number of arguments for 'EMQ.SCHEDULE' command"
    end
    if args[3] ~= "at" and args[3] ~= "in" then
        return "ERR EMQ.SCHEDULE bad argument mode"
    end
    if not s.int(args[4], 0, 9007199254740991) then
        return "ERR EMQ.SCHEDULE bad argument ms"
    end
    local base = string.sub(keys[2], 1, -9)
    if not s.base(base) or keys[1] ~= base .. "job:" .. args[1] or keys[2] ~= base .. "schedule" then
        return "ERR EMQ.SCHEDULE keys do not match the wire-4 layout"
    end
    return ""
end
--- The instant that a delay from now reaches; a longer one ends at the latest that there is.
local function dueIn(s, ms)
    return math.min(
        s.now() + ms,
        9007199254740991
    )
end
--- Whether an id is of the kind that the queue admits. Its other eleven bytes are the host's concern.
local function isJobId(id)
    return string.sub(id, 1, 3) == "JOB"
end
--- Keys: row, schedule. Arguments: id, payload, at or in, ms. Answers 1, or 0 for a duplicate.
local function schedule(s, keys, args)
    local refusal = checkSchedule(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local id = args[1]
    if not isJobId(id) then
        return s.error("EMQKIND job id must be JOB-namespaced")
    end
    local call = s.call
    if call("EXISTS", keys[1]) == 1 then
        return 0
    end
    local ms = s.num(args[4])
    call(
        "ZADD",
        keys[2],
        args[3] == "in" and dueIn(s, ms) or ms,
        id
    )
    call(
        "HSET",
        keys[1],
        "state",
        "scheduled",
        "attempts",
        "0",
        "payload",
        args[2]
    )
    return 1
end
return schedule(s, KEYS, ARGV)
