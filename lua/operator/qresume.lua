-- EMQ.QRESUME: Resumes the queue.
-- KEYS: meta, wake
-- ARGV: none
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
local s = {base = base, call = redis.call, error = redis.error_reply}
--- Shape, values and layout of `EMQ.QRESUME`: the text of the refusal, empty when all is well.
local function checkQresume(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.QRESUME takes 2 keys"
    end
    if #args ~= 0 then
        return "ERR wrong number of arguments for 'EMQ.QRESUME' command"
    end
    local base = string.sub(keys[1], 1, -5)
    if not s.base(base) or keys[1] ~= base .. "meta" or keys[2] ~= base .. "wake" then
        return "ERR EMQ.QRESUME keys do not match the wire-4 layout"
    end
    return ""
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
--- Keys: meta, wake. No arguments. Answers 1.
local function qresume(s, keys, args)
    local refusal = checkQresume(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    if s.call("HDEL", keys[1], "paused") == 1 then
        push(s, keys[2])
    end
    return 1
end
return qresume(s, KEYS, ARGV)
