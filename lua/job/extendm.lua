-- EMQ.EXTENDM: Renews many leases with one common deadline.
-- KEYS: active, base
-- ARGV: lease_ms, ...
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
--- The name of the first bad argument from position `from` on, empty when all pairs are well formed.
local function badPair(s, args, from)
    local stop = #args
    if stop - from > 1000 * 2 then
        return "id"
    end
    local at = from
    while at < stop do
        if at + 1 >= stop or not s.int(args[at + 2], 0, 9007199254740991) then
            return "token"
        end
        at = at + 2
    end
    return ""
end
--- Shape, values and layout of `EMQ.EXTENDM`: the text of the refusal, empty when all is well.
local function checkExtendm(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.EXTENDM takes 2 keys"
    end
    if #args < 1 then
        return "ERR wrong number of arguments for 'EMQ.EXTENDM' command"
    end
    if not s.int(args[1], 1, 2147483648) then
        return "ERR EMQ.EXTENDM bad argument lease_ms"
    end
    local bad = badPair(s, args, 1)
    if bad ~= "" then
        return "ERR EMQ.EXTENDM bad argument " .. bad
    end
    local base = keys[2]
    if not s.base(base) or keys[1] ~= base .. "active" then
        return "ERR EMQ.EXTENDM keys do not match the wire-4 layout"
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
--- Whether a token is the current one. No claim ever gave `0`, although a row is born with that number.
local function isCurrent(attempts, token)
    return token ~= "0" and attempts == token
end
--- Keys: active, base. Arguments: lease_ms, then pairs of id and token. Answers ids not renewed, ids to cancel.
local function extendm(s, keys, args)
    local refusal = checkExtendm(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local failed = {}
    local cancelled = {}
    local renewed = {}
    local stop = #args
    for i = 1, stop - 1, 2 do
        local id = args[i + 1]
        local fields = call("HMGET", keys[2] .. "job:" .. id, "attempts", "cancel")
        if not isCurrent(fields[1], args[i + 2]) or call("ZSCORE", keys[1], id) == false then
            failed[#failed + 1] = id
        else
            renewed[#renewed + 1] = id
            if fields[2] ~= false then
                cancelled[#cancelled + 1] = id
            end
        end
    end
    removeMembers(s, keys[1], renewed)
    writeLeases(
        s,
        keys[1],
        renewed,
        s.num(args[1])
    )
    return {failed, cancelled}
end
return extendm(s, KEYS, ARGV)
