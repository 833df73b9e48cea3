-- EMQ.RESULT: Looks how a job ended, and marks one that has not ended so that its outcome is left for who waits.
-- KEYS: row, base
-- ARGV: id, wait_ms
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
--- Shape, values and layout of `EMQ.RESULT`: the text of the refusal, empty when all is well.
local function checkResult(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.RESULT takes 2 keys"
    end
    if #args ~= 2 then
        return "ERR wrong number of arguments for 'EMQ.RESULT' command"
    end
    if not s.int(args[2], 0, 2147483648) then
        return "ERR EMQ.RESULT bad argument wait_ms"
    end
    local base = keys[2]
    if not s.base(base) or keys[1] ~= base .. "job:" .. args[1] then
        return "ERR EMQ.RESULT keys do not match the wire-4 layout"
    end
    return ""
end
--- Until when the outcome of a job must be left, 0 for nobody who asked. `resultMs` is how long it is to be left from
-- now on whoever asks; 0 leaves that to the mark.
local function waitedUntil(s, wait, resultMs)
    local now = s.now()
    local ____until = resultMs > 0 and math.min(now + resultMs, 9007199254740991) or 0
    if wait == false or not s.int(wait, 0, 9007199254740991) then
        return ____until
    end
    local marked = s.num(wait)
    return marked > now and math.max(marked, ____until) or ____until
end
--- Keys: row, base. Arguments: id, wait_ms. Answers the state and the outcome, empty where there is none.
local function result(s, keys, args)
    local refusal = checkResult(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local fields = call(
        "HMGET",
        keys[1],
        "state",
        "wait",
        "result",
        "last_error"
    )
    local state = fields[1]
    if state == false then
        local left = call("GET", keys[2] .. "job:" .. args[1] .. ":result")
        return {"absent", left == false and "" or left}
    end
    if state == "completed" then
        return {state, fields[3] == false and "c" or "r" .. fields[3]}
    end
    if state == "dead" then
        return {state, "k" .. (fields[4] == false and "" or fields[4])}
    end
    local ms = s.num(args[2])
    if ms > 0 then
        local ____until = waitedUntil(s, fields[2], ms)
        call("HDEL", keys[1], "wait")
        call("HSET", keys[1], "wait", ____until)
    end
    return {state, ""}
end
return result(s, KEYS, ARGV)
