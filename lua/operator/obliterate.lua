-- EMQ.OBLITERATE: Takes everything out of a paused queue: jobs in any state, and names of lanes.
-- KEYS: meta, base
-- ARGV: force, budget
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
--- One byte of a text, counted from 0.
local function char(text, index)
    return string.sub(text, index + 1, index + 1)
end
--- Whether text is a canonical decimal integer from min to max.
local function int(text, min, max)
    if #text > 16 or (text ~= "0" and not string.find(text, "^[1-9]%d*$")) then
        return false
    end
    local number = tonumber(text)
    return number >= min and number <= max
end
local s = {base = base, call = redis.call, char = char, error = redis.error_reply, int = int, num = tonumber}
--- Shape, values and layout of `EMQ.OBLITERATE`: the text of the refusal, empty when all is well.
local function checkObliterate(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.OBLITERATE takes 2 keys"
    end
    if #args ~= 2 then
        return "ERR wrong number of arguments for 'EMQ.OBLITERATE' command"
    end
    if args[1] ~= "" and args[1] ~= "force" then
        return "ERR EMQ.OBLITERATE bad argument force"
    end
    if not s.int(args[2], 1, 1000) then
        return "ERR EMQ.OBLITERATE bad argument budget"
    end
    local base = keys[2]
    if not s.base(base) or keys[1] ~= base .. "meta" then
        return "ERR EMQ.OBLITERATE keys do not match the wire-4 layout"
    end
    return ""
end
--- Removes members from a sorted set.
local function removeMembers(s, set, members)
    local part = {}
    local stop = #members
    do
        local i = 0
        while i < stop do
            part[#part + 1] = members[i + 1]
            if #part >= 400 or i == stop - 1 then
                s.call(
                    "ZREM",
                    set,
                    unpack(part)
                )
                part = {}
            end
            i = i + 1
        end
    end
end
--- Deletes keys; answers how many there were. `UNLINK` leaves giving the memory back to a thread of the server.
local function deleteKeys(s, command, doomed)
    local part = {}
    local deleted = 0
    local stop = #doomed
    do
        local i = 0
        while i < stop do
            part[#part + 1] = doomed[i + 1]
            if #part >= 400 or i == stop - 1 then
                deleted = deleted + s.call(
                    command,
                    unpack(part)
                )
                part = {}
            end
            i = i + 1
        end
    end
    return deleted
end
--- The lane whose rate a field of `rate` sets, empty for any other field.
local function ratedLane(s, field)
    return s.char(field, 0) == "m" and string.sub(field, 2) or ""
end
--- Adds a row and every side key that a job may have to a list of keys to delete.
local function gatherRow(doomed, row)
    local next = #doomed
    doomed[next + 1] = row
    doomed[next + 1 + 1] = row .. ":logs"
    doomed[next + 2 + 1] = row .. ":lock"
    doomed[next + 3 + 1] = row .. ":result"
    doomed[next + 4 + 1] = row .. ":dependencies"
    doomed[next + 5 + 1] = row .. ":processed"
    doomed[next + 6 + 1] = row .. ":failed"
    doomed[next + 7 + 1] = row .. ":unsuccessful"
    doomed[next + 8 + 1] = row .. ":parents"
end
--- The sorted set of a lane's waiting jobs.
local function laneKey(base, group)
    return ((base .. "g:") .. group) .. ":pending"
end
--- Takes one step of a scan over the lanes that a key of settings names.
local function scanLanes(s, base, settings, cursor)
    local call = s.call
    local key = base .. settings
    local isSet = settings == "paused"
    local page = isSet and call(
        "SSCAN",
        key,
        cursor,
        "COUNT",
        100
    ) or call(
        "HSCAN",
        key,
        cursor,
        "COUNT",
        100
    )
    local found = page[2]
    local stop = #found
    local width = isSet and 1 or 2
    local lanes = {}
    local entries = {}
    do
        local i = 0
        while i < stop do
            local lane = settings == "rate" and ratedLane(s, found[i + 1]) or found[i + 1]
            if lane ~= "" then
                lanes[#lanes + 1] = lane
                entries[#entries + 1] = found[i + 1]
            end
            i = i + width
        end
    end
    return {cursor = page[1], lanes = lanes, entries = entries}
end
--- Whether the queue is not paused. A `meta` of a foreign type raises, so a claim fails closed.
local function isOpen(s, base)
    return s.call("HEXISTS", base .. "meta", "paused") == 0
end
--- Keys that name lanes which may not be on the ring.
local LANE_SETTINGS = {
    "paused",
    "glimit",
    "gweight",
    "gactive",
    "rate"
}
--- Unlinks up to `most` jobs of a set with all that hangs on them; answers how many.
local function wipe(s, base, set, most)
    if most <= 0 then
        return 0
    end
    local ids = s.call("ZRANGE", set, 0, most - 1)
    local doomed = {}
    for ____, id in ipairs(ids) do
        gatherRow(doomed, (base .. "job:") .. id)
    end
    deleteKeys(s, "UNLINK", doomed)
    removeMembers(s, set, ids)
    return #ids
end
--- Empties the lanes of the ring, from its head; answers what is left of the budget.
local function wipeRing(s, base, budget)
    local call = s.call
    local ring = base .. "ring"
    local left = budget
    while left > 0 do
        local group = call("LINDEX", ring, 0)
        if group == false then
            return left
        end
        local lane = laneKey(base, group)
        left = left - (wipe(s, base, lane, left) + 1)
        if call("EXISTS", lane) == 0 then
            call("LPOP", ring)
        end
    end
    return left
end
--- Empties the lanes that a key of settings names and drops the settings; answers what is left of the budget.
local function wipeNamed(s, base, settings, budget)
    local call = s.call
    local key = base .. settings
    local left = budget
    local cursor = "0"
    while left > 0 do
        local page = scanLanes(s, base, settings, cursor)
        local stop = #page.lanes
        do
            local i = 0
            while i < stop and left > 0 do
                local lane = laneKey(base, page.lanes[i + 1])
                left = left - (wipe(s, base, lane, left) + 1)
                if call("EXISTS", lane) == 0 then
                    if settings == "paused" then
                        call("SREM", key, page.entries[i + 1])
                    else
                        call("HDEL", key, page.entries[i + 1])
                    end
                end
                i = i + 1
            end
        end
        cursor = page.cursor
        if cursor == "0" then
            return left
        end
    end
    return left
end
--- Keys: meta, base. Arguments: force or empty, budget. Answers 1 when there may be more, 0 when nothing is.
local function obliterate(s, keys, args)
    local refusal = checkObliterate(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local base = keys[2]
    if isOpen(s, base) then
        return s.error("EMQSTATE not paused")
    end
    if args[1] == "" and s.call("ZCARD", base .. "active") > 0 then
        return s.error("EMQSTATE active jobs present")
    end
    local left = s.num(args[2])
    for ____, set in ipairs({
        "active",
        "pending",
        "schedule",
        "dead",
        "completed"
    }) do
        left = left - wipe(s, base, base .. set, left)
    end
    left = wipeRing(s, base, left)
    for ____, settings in ipairs(LANE_SETTINGS) do
        left = wipeNamed(s, base, settings, left)
    end
    return left > 0 and 0 or 1
end
return obliterate(s, KEYS, ARGV)
