-- EMQ.OWNED: Finds leases of a worker that it does not know of, and extends them.
-- KEYS: active, base
-- ARGV: worker, lease_ms, ...
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
--- Shape, values and layout of `EMQ.OWNED`: the text of the refusal, empty when all is well.
local function checkOwned(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.OWNED takes 2 keys"
    end
    if #args < 2 then
        return "ERR wrong number of arguments for 'EMQ.OWNED' command"
    end
    if not s.int(args[2], 1, 2147483648) then
        return "ERR EMQ.OWNED bad argument lease_ms"
    end
    local base = keys[2]
    if not s.base(base) or keys[1] ~= base .. "active" then
        return "ERR EMQ.OWNED keys do not match the wire-4 layout"
    end
    return ""
end
--- Removes members from a sorted set.
local function removeMembers(s, set, members)
    local stop = #members
    if stop > 0 and stop <= 400 then
        s.call(
            "ZREM",
            set,
            unpack(members)
        )
        return
    end
    local part = {}
    for i = 0, stop - 1 do
        part[#part + 1] = members[i + 1]
        if #part >= 400 or i == stop - 1 then
            s.call(
                "ZREM",
                set,
                unpack(part)
            )
            part = {}
        end
    end
end
--- Writes the leases of everything claimed, with one deadline. From the highest id down: a small `active` is a list that
-- each new member is searched in from its front.
local function writeLeases(s, active, ids, leaseMs)
    local deadline = s.now() + leaseMs
    local members = {}
    local at = 0
    do
        local i = #ids - 1
        while i >= 0 do
            members[at + 1] = deadline
            members[at + 2] = ids[i + 1]
            at = at + 2
            if at >= 200 * 2 then
                s.call(
                    "ZADD",
                    active,
                    unpack(members)
                )
                members = {}
                at = 0
            end
            i = i - 1
        end
    end
    if at > 0 then
        s.call(
            "ZADD",
            active,
            unpack(members)
        )
    end
end
--- Keys: active, base. Arguments: worker, lease_ms, then known ids. Answers jobs in the form of TURN.
local function owned(s, keys, args)
    local refusal = checkOwned(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local known = {}
    local stop = #args
    for i = 2, stop - 1 do
        known["s:" .. args[i + 1]] = true
    end
    local ids = call("ZREVRANGE", keys[1], 0, 500 - 1)
    if #ids >= 500 then
        for ____, id in ipairs(call("ZRANGE", keys[1], 0, 500 - 1)) do
            ids[#ids + 1] = id
        end
    end
    local found = {}
    local jobs = {}
    local bytes = 0
    for ____, id in ipairs(ids) do
        if known["s:" .. id] ~= true then
            known["s:" .. id] = true
            local row = keys[2] .. "job:" .. id
            local fields = call(
                "HMGET",
                row,
                "owner",
                "attempts",
                "payload",
                "name",
                "opts",
                "group",
                "stalled",
                "deferred"
            )
            local payload = fields[3] == false and "" or fields[3]
            local fits = bytes == 0 or bytes + #payload <= 1048576
            if fields[1] == args[1] and fields[2] ~= false and fits then
                bytes = bytes + #payload
                found[#found + 1] = id
                jobs[#jobs + 1] = id
                jobs[#jobs + 1] = s.num(fields[2])
                jobs[#jobs + 1] = payload
                for i = 3, 8 - 1 do
                    local field = fields[i + 1]
                    jobs[#jobs + 1] = field == false and "" or field
                end
            end
        end
    end
    removeMembers(s, keys[1], found)
    writeLeases(
        s,
        keys[1],
        found,
        s.num(args[2])
    )
    return jobs
end
return owned(s, KEYS, ARGV)
