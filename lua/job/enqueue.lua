-- EMQ.ENQUEUE: Admits one job into the flat queue.
-- KEYS: row, pending
-- ARGV: id, payload
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
local s = {base = base, call = redis.call, error = redis.error_reply}
--- Shape, values and layout of `EMQ.ENQUEUE`: the text of the refusal, empty when all is well.
local function checkEnqueue(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.ENQUEUE takes 2 keys"
    end
    if #args ~= 2 then
        return "ERR wrong number of arguments for 'EMQ.ENQUEUE' command"
    end
    local base = string.sub(keys[2], 1, -8)
    if not s.base(base) or keys[1] ~= base .. "job:" .. args[1] or keys[2] ~= base .. "pending" then
        return "ERR EMQ.ENQUEUE keys do not match the wire-4 layout"
    end
    return ""
end
--- Whether an id is of the kind that the queue admits. Its other eleven bytes are the host's concern.
local function isJobId(id)
    return string.sub(id, 1, 3) == "JOB"
end
--- Keys: row, pending. Arguments: id, payload. Answers 1, or 0 for a duplicate.
local function enqueue(s, keys, args)
    local refusal = checkEnqueue(s, keys, args)
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
    call("ZADD", keys[2], 0, id)
    call(
        "HSET",
        keys[1],
        "state",
        "pending",
        "attempts",
        "0",
        "payload",
        args[2]
    )
    return 1
end
return enqueue(s, KEYS, ARGV)
