-- EMQ.FCLEAR: Takes delivered signals out of the outbox, by their value.
-- KEYS: outbox, base
-- ARGV: mode, ...
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
local s = {base = base, call = redis.call, error = redis.error_reply}
--- Shape, values and layout of `EMQ.FCLEAR`: the text of the refusal, empty when all is well.
local function checkFclear(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.FCLEAR takes 2 keys"
    end
    if #args < 1 then
        return "ERR wrong number of arguments for 'EMQ.FCLEAR' command"
    end
    if args[1] ~= "done" and args[1] ~= "bad" then
        return "ERR EMQ.FCLEAR bad argument mode"
    end
    if #args > 1001 then
        return "ERR EMQ.FCLEAR bad argument signals"
    end
    local base = keys[2]
    if not s.base(base) or keys[1] ~= base .. "flow:outbox" then
        return "ERR EMQ.FCLEAR keys do not match the wire-4 layout"
    end
    return ""
end
--- Keys: outbox, base. Arguments: mode, signals. Answers how many were removed.
local function fclear(s, keys, args)
    local refusal = checkFclear(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local bad = keys[2] .. "flow:outbox:bad"
    local isBad = args[1] == "bad"
    local stop = #args
    local removed = 0
    if isBad then
        call("LLEN", bad)
    end
    for i = 1, stop - 1 do
        if call("LREM", keys[1], 1, args[i + 1]) == 1 then
            removed = removed + 1
            if isBad then
                call("RPUSH", bad, args[i + 1])
            end
        end
    end
    if isBad then
        call("LTRIM", bad, -1000, -1)
    end
    return removed
end
return fclear(s, KEYS, ARGV)
