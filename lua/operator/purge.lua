-- EMQ.PURGE: Unlinks keys of a paused queue, whatever they hold.
-- KEYS: meta, base, ...
-- ARGV: none
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
local s = {base = base, call = redis.call, error = redis.error_reply}
--- Shape, values and layout of `EMQ.PURGE`: the text of the refusal, empty when all is well.
local function checkPurge(s, keys, args)
    if #keys < 2 then
        return "ERR EMQ.PURGE takes 2 keys"
    end
    if #args ~= 0 then
        return "ERR wrong number of arguments for 'EMQ.PURGE' command"
    end
    local base = keys[2]
    if not s.base(base) or keys[1] ~= base .. "meta" then
        return "ERR EMQ.PURGE keys do not match the wire-4 layout"
    end
    do
        local i = 2
        while i < #keys do
            if (string.find(keys[i + 1], base, nil, true) or 0) - 1 ~= 0 or keys[i + 1] == base then
                return "ERR EMQ.PURGE keys do not match the wire-4 layout"
            end
            i = i + 1
        end
    end
    return ""
end
--- Deletes keys; answers how many there were. `UNLINK` leaves giving the memory back to a thread of the server.
local function deleteKeys(s, command, doomed)
    local stop = #doomed
    if stop > 0 and stop <= 400 then
        return s.call(
            command,
            unpack(doomed)
        )
    end
    local part = {}
    local deleted = 0
    for i = 0, stop - 1 do
        part[#part + 1] = doomed[i + 1]
        if #part >= 400 or i == stop - 1 then
            deleted = deleted + s.call(
                command,
                unpack(part)
            )
            part = {}
        end
    end
    return deleted
end
--- Whether the queue is not paused. A `meta` of a foreign type raises, so a claim fails closed.
local function isOpen(s, base)
    return s.call("HEXISTS", base .. "meta", "paused") == 0
end
--- Keys: meta, base, then those to unlink. No arguments. Answers how many there were.
local function purge(s, keys, args)
    local refusal = checkPurge(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local stop = #keys
    if stop > 1000 + 2 then
        return s.error("ERR EMQ.PURGE bad argument keys")
    end
    if isOpen(s, keys[2]) then
        return s.error("EMQSTATE not paused")
    end
    local doomed = {}
    for i = 2, stop - 1 do
        doomed[#doomed + 1] = keys[i + 1]
    end
    return deleteKeys(s, "UNLINK", doomed)
end
return purge(s, KEYS, ARGV)
