-- EMQ.GENQUEUE: Admits one job into a lane.
-- KEYS: row, lane, ring, paused, glimit, gactive, wake
-- ARGV: id, payload, group
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
--- Shape, values and layout of `EMQ.GENQUEUE`: the text of the refusal, empty when all is well.
local function checkGenqueue(s, keys, args)
    if #keys ~= 7 then
        return "ERR EMQ.GENQUEUE takes 7 keys"
    end
    if #args ~= 3 then
        return "ERR wrong number of arguments for 'EMQ.GENQUEUE' command"
    end
    if not s.name(args[3]) then
        return "ERR EMQ.GENQUEUE bad argument group"
    end
    local base = string.sub(keys[3], 1, -5)
    if not s.base(base) or keys[1] ~= base .. "job:" .. args[1] or keys[2] ~= base .. "g:" .. args[3] .. ":pending" or keys[3] ~= base .. "ring" or keys[4] ~= base .. "paused" or keys[5] ~= base .. "glimit" or keys[6] ~= base .. "gactive" or keys[7] ~= base .. "wake" then
        return "ERR EMQ.GENQUEUE keys do not match the wire-4 layout"
    end
    return ""
end
--- Whether an id is of the kind that the queue admits. Its other eleven bytes are the host's concern.
local function isJobId(id)
    return string.sub(id, 1, 3) == "JOB"
end
--- Whether a lane may be served as far as an act without a base can see: not paused, and fewer jobs leased than its
-- limit.
local function isUnderLimit(s, base, group)
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
--- Pushes as wire 3 does when a lane comes onto the ring, for an act that knows no more of its queue: always, within 64
-- tokens.
local function pushOfLane(s, wake)
    s.call("LPUSH", wake, "1")
    s.call("LTRIM", wake, 0, 62 + 1)
end
--- Keys: row, lane, ring, paused, glimit, gactive, wake. Arguments: id, payload, group. Answers 1, or 0 for a duplicate.
local function genqueue(s, keys, args)
    local refusal = checkGenqueue(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local id = args[1]
    local group = args[3]
    if not isJobId(id) then
        return s.error("EMQKIND job id must be JOB-namespaced")
    end
    local call = s.call
    if call("EXISTS", keys[1]) == 1 then
        return 0
    end
    local base = string.sub(keys[3], 1, -5)
    local first = call("ZCARD", keys[2]) == 0
    call("LLEN", keys[3])
    call("LLEN", keys[7])
    local servable = isUnderLimit(s, base, group)
    call("ZADD", keys[2], 0, id)
    call(
        "HSET",
        keys[1],
        "state",
        "pending",
        "attempts",
        "0",
        "payload",
        args[2],
        "group",
        group
    )
    if first and servable then
        call("RPUSH", keys[3], group)
        pushOfLane(s, keys[7])
    end
    return 1
end
return genqueue(s, KEYS, ARGV)
