-- EMQ.RESCHEDULE: Gives a scheduled job another due time.
-- KEYS: row, schedule, base
-- ARGV: id, mode, ms
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
--- Shape, values and layout of `EMQ.RESCHEDULE`: the text of the refusal, empty when all is well.
local function checkReschedule(s, keys, args)
    if #keys ~= 3 then
        return "ERR EMQ.RESCHEDULE takes 3 keys"
    end
    if #args ~= 3 then
        return "ERR wrong number of arguments for 'EMQ.RESCHEDULE' command"
    end
    if args[2] ~= "in" and args[2] ~= "at" then
        return "ERR EMQ.RESCHEDULE bad argument mode"
    end
    if not s.int(args[3], 0, 9007199254740991) then
        return "ERR EMQ.RESCHEDULE bad argument ms"
    end
    local base = keys[3]
    if not s.base(base) or keys[1] ~= base .. "job:" .. args[1] or keys[2] ~= base .. "schedule" then
        return "ERR EMQ.RESCHEDULE keys do not match the wire-4 layout"
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
--- Pushes if one of the ids that this act scheduled stands at the head of the schedule now.
local function pushIfHead(s, base, id)
    local head = s.call("ZRANGE", base .. "schedule", 0, 0)
    if #head > 0 and head[1] == id then
        push(s, base .. "wake")
    end
end
--- Moves the end of a job's time by as much as its due time moves. A number of the row that is none stays.
-- 
-- @cold
local function moveTime(s, base, id, expires, byMs)
    if not s.int(expires, 0, 9007199254740991) then
        return
    end
    local ____until = math.max(
        0,
        math.min(
            s.num(expires) + byMs,
            9007199254740991
        )
    )
    s.call("ZREM", base .. "ttl", id)
    s.call("HSET", base .. "job:" .. id, "expires", ____until)
    s.call("ZADD", base .. "ttl", ____until, id)
end
--- Keys: row, schedule, base. Arguments: id, mode, ms. Answers 1, or -1 when the job is gone.
local function reschedule(s, keys, args)
    local refusal = checkReschedule(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local fields = call("HMGET", keys[1], "state", "expires")
    if fields[1] == false then
        return -1
    end
    local before = call("ZSCORE", keys[2], args[1])
    if fields[1] ~= "scheduled" or before == false then
        return s.error("EMQSTATE not scheduled")
    end
    local ms = s.num(args[3])
    local due = args[2] == "in" and dueIn(s, ms) or ms
    if fields[2] ~= false then
        call("ZCARD", keys[3] .. "ttl")
    end
    call("ZREM", keys[2], args[1])
    call("ZADD", keys[2], due, args[1])
    if fields[2] ~= false then
        moveTime(
            s,
            keys[3],
            args[1],
            fields[2],
            due - s.num(before)
        )
    end
    pushIfHead(s, keys[3], args[1])
    return 1
end
return reschedule(s, KEYS, ARGV)
