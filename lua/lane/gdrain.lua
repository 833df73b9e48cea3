-- EMQ.GDRAIN: Deletes the waiting jobs of a lane.
-- KEYS: lane, ring, base
-- ARGV: group, budget
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
--- Escapes of control characters that have a short form.
local SHORT = {["\8"] = "\\b", ["\9"] = "\\t", ["\10"] = "\\n", ["\12"] = "\\f", ["\13"] = "\\r", ['"'] = '\\"', ["\\"] = "\\\\"}
--- The number of further bytes after a lead byte, and the range of the first of them; nil for a byte that cannot lead.
local function lead(byte)
    if byte >= 194 and byte <= 223 then return 1, 128, 191 end
    if byte == 224 then return 2, 160, 191 end
    if byte == 237 then return 2, 128, 159 end
    if byte >= 225 and byte <= 239 then return 2, 128, 191 end
    if byte == 240 then return 3, 144, 191 end
    if byte >= 241 and byte <= 243 then return 3, 128, 191 end
    if byte == 244 then return 3, 128, 143 end
    return nil
end
--- Replaces each maximal part that is no UTF-8 by U+FFFD.
local function repair(text)
    local out, at, size = {}, 1, #text
    while at <= size do
        local byte = string.byte(text, at)
        local more, low, high = lead(byte)
        local stop = at
        local whole = byte < 128
        if more then
            while stop - at < more do
                local following = string.byte(text, stop + 1)
                if not following or following < low or following > high then break end
                low, high = 128, 191
                stop = stop + 1
            end
            whole = stop - at == more
        end
        out[#out + 1] = whole and string.sub(text, at, stop) or "\239\191\189"
        at = stop + 1
    end
    return table.concat(out)
end
--- The text as a JSON string with its quotes.
local function json(text)
    local valid = string.find(text, "[\128-\255]") and repair(text) or text
    local escaped = string.gsub(valid, '[%z\1-\31"\\]', function(char)
        return SHORT[char] or string.format("\\u%04x", string.byte(char))
    end)
    return '"' .. escaped .. '"'
end
--- Whether text may name a lane: 1 to 256 bytes, no brace, no NUL.
local function name(text)
    return #text >= 1 and #text <= 256 and not string.find(text, "[{}%z]")
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
local s = {base = base, call = redis.call, error = redis.error_reply, int = int, json = json, name = name, now = now, num = tonumber}
--- Shape, values and layout of `EMQ.GDRAIN`: the text of the refusal, empty when all is well.
local function checkGdrain(s, keys, args)
    if #keys ~= 3 then
        return "ERR EMQ.GDRAIN takes 3 keys"
    end
    if #args ~= 2 then
        return "ERR wrong number of arguments for 'EMQ.GDRAIN' command"
    end
    if not s.name(args[1]) then
        return "ERR EMQ.GDRAIN bad argument group"
    end
    if not s.int(args[2], 1, 1000) then
        return "ERR EMQ.GDRAIN bad argument budget"
    end
    local base = keys[3]
    if not s.base(base) or keys[1] ~= ((base .. "g:") .. args[1]) .. ":pending" or keys[2] ~= base .. "ring" then
        return "ERR EMQ.GDRAIN keys do not match the wire-4 layout"
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
--- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
local function isResting(s, base, lane)
    return s.call("ZSCORE", base .. "rest", lane) ~= false
end
--- Reads the names of a job that is ending. `rowGoes` is whether its row goes too, and with it its alias.
-- 
-- @cold
local function readNamesOf(s, base, id, dedup, rowGoes)
    --- Whether a key is free once the job `id` is over.
    local function isFree(held, id)
        return held == false or held == id
    end
    local call = s.call
    local own = call("HMGET", (base .. "job:") .. id, "alias", "next")
    local keys = {}
    local key = dedup == "" and "" or (base .. "de:") .. dedup
    local ____temp_0
    if key == "" then
        ____temp_0 = false
    else
        ____temp_0 = call("GET", key)
    end
    local holder = ____temp_0
    if holder == id then
        keys[1] = key
    end
    if not isFree(holder, id) then
        key = ""
    end
    if rowGoes and own[1] ~= false and own[1] ~= "" then
        local alias = (base .. "de:") .. own[1]
        if call("GET", alias) == id then
            keys[#keys + 1] = alias
        end
    end
    local next = own[2]
    if next == false then
        return {
            keys = keys,
            key = key,
            next = "",
            at = false,
            alias = ""
        }
    end
    local fields = call(
        "HMGET",
        (base .. "job:") .. next,
        "state",
        "alias",
        "follow_at",
        "dedup"
    )
    if fields[4] ~= dedup then
        key = ""
    end
    local score = call("ZSCORE", base .. "schedule", next)
    if fields[1] ~= "scheduled" or score == false or s.num(score) ~= 9007199254740991 then
        return {
            keys = keys,
            key = key,
            next = "",
            at = false,
            alias = ""
        }
    end
    local alias = ""
    if fields[2] ~= false and fields[2] ~= "" then
        alias = (base .. "de:") .. fields[2]
        if not isFree(
            call("GET", alias),
            id
        ) then
            alias = ""
        end
    end
    return {
        keys = keys,
        key = key,
        next = next,
        at = fields[3],
        alias = alias
    }
end
--- The names of a job that is ending, `false` for none; to be read before the first write. `dedup` is that field of its
-- row, and `rowGoes` whether the row goes too, and with it its alias.
local function readNames(s, base, id, dedup, rowGoes)
    local ____temp_1
    if dedup == false then
        ____temp_1 = false
    else
        ____temp_1 = readNamesOf(
            s,
            base,
            id,
            dedup,
            rowGoes
        )
    end
    return ____temp_1
end
--- Lets the job that was to run after another fall due, under the name that both have. It is promoted like any other, so
-- no end of a job has to know of lanes for its sake.
-- 
-- @cold
local function startNext(s, base, names)
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
    local call = s.call
    local next = names.next
    local now = s.now()
    call("HDEL", (base .. "job:") .. next, "follows", "follow_at")
    if names.key ~= "" then
        call("SET", names.key, next)
    end
    if names.alias ~= "" then
        call("SET", names.alias, next)
    end
    call(
        "ZADD",
        base .. "schedule",
        names.at == false and now or math.max(
            now,
            s.num(names.at)
        ),
        next
    )
    pushIfHead(s, base, next)
end
--- Lets the names of a job go that has ended, and the job run that waited for its end.
local function letGo(s, base, names)
    if names == false then
        return
    end
    if #names.keys > 0 then
        s.call(
            "DEL",
            unpack(names.keys)
        )
    end
    if names.next ~= "" then
        startNext(s, base, names)
    end
end
--- What those who listen want: 1 events, 2 results in them too. They are there; the text of `listeners` is until when
-- somebody wants results, in server milliseconds.
-- 
-- @cold
local function wantOf(s, base)
    local ____until = s.call("GET", base .. "listeners")
    return ____until ~= false and s.int(____until, 0, 9007199254740991) and s.num(____until) > s.now() and 2 or 1
end
--- Whether anybody listens: 0, or what {@link wantOf} says. To be asked before the first write.
local function heardBy(s, base)
    return s.call("EXISTS", base .. "listeners") == 0 and 0 or wantOf(s, base)
end
--- Tells an event of a job. `more` holds names and texts in turn; an empty text says nothing and is left out.
local function tell(s, base, event, id, more)
    local text = (("{\"event\":\"" .. event) .. "\",\"job\":") .. s.json(id)
    local stop = #more
    do
        local i = 0
        while i < stop do
            local value = more[i + 1 + 1]
            if value ~= "" then
                local isLong = #value > 1024 and more[i + 1] ~= "result"
                text = (((text .. ",\"") .. more[i + 1]) .. "\":") .. s.json(isLong and string.sub(value, 1, 1024) or value)
            end
            i = i + 2
        end
    end
    s.call("PUBLISH", base .. "events", text .. "}")
end
--- The alias of a job, empty for none. `dedup` is that field of its row, without which there is none.
local function aliasOfRow(s, base, id, dedup)
    if dedup == false then
        return ""
    end
    local alias = s.call("HGET", (base .. "job:") .. id, "alias")
    return alias == false and "" or alias
end
--- Tells an event of a job whose row stands, with its alias.
local function tellOfJob(s, base, event, id, dedup, more)
    more[#more + 1] = "alias"
    more[#more + 1] = aliasOfRow(s, base, id, dedup)
    tell(
        s,
        base,
        event,
        id,
        more
    )
end
--- Deletes a row and every side key that a job may have.
local function deleteRow(s, row)
    s.call(
        "DEL",
        row,
        row .. ":logs",
        row .. ":lock",
        row .. ":result",
        row .. ":dependencies",
        row .. ":processed",
        row .. ":failed",
        row .. ":unsuccessful",
        row .. ":parents"
    )
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
--- Whether a lane may be served when it has work: not paused, fewer jobs leased than its limit, and not at rest.
local function isServable(s, base, group)
    return isUnderLimit(s, base, group) and not isResting(s, base, group)
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
--- Tells whoever waits that a job ends in this act.
local function tellWaiters(s, base, id)
    s.call("PUBLISH", base .. "results", id)
end
--- The token to remember of a row that is about to be deleted, 0 when it was never claimed. Reads the set, so that a
-- foreign type ends the act while nothing is written.
local function lastToken(s, base, attempts)
    if attempts == false or not s.int(attempts, 1, 9007199254740991) then
        return 0
    end
    s.call("ZCARD", base .. "tokens")
    return math.min(
        s.num(attempts),
        134217728 - 1
    )
end
--- Remembers the last tokens of rows that were deleted, id for id; 0 is nothing to remember.
local function rememberTokens(s, base, ids, tokens)
    local call = s.call
    local key = base .. "tokens"
    local stop = #ids
    local kept = 0
    do
        local i = 0
        while i < stop do
            if tokens[i + 1] > 0 then
                call(
                    "ZADD",
                    key,
                    math.floor(s.now() / 60000) * 134217728 + tokens[i + 1],
                    ids[i + 1]
                )
                kept = kept + 1
            end
            i = i + 1
        end
    end
    if kept == 0 then
        return
    end
    local over = call("ZCARD", key) - 10000
    if over > 0 then
        call("ZREMRANGEBYRANK", key, 0, over - 1)
    end
    call("PEXPIRE", key, 86400000)
end
--- Keys: lane, ring, base. Arguments: group, budget. Answers how many members went; as many as the budget means more.
local function gdrain(s, keys, args)
    local refusal = checkGdrain(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local base = keys[3]
    local group = args[1]
    local ids = call(
        "ZRANGE",
        keys[1],
        0,
        s.num(args[2]) - 1
    )
    local stop = #ids
    if stop == 0 then
        return 0
    end
    call("LLEN", keys[2])
    local servable = isServable(s, base, group)
    local heard = heardBy(s, base)
    local doomed = {}
    local gone = {}
    local tokens = {}
    local held = {}
    local waited = {}
    for ____, id in ipairs(ids) do
        local fields = call(
            "HMGET",
            (base .. "job:") .. id,
            "state",
            "group",
            "dedup",
            "wait",
            "attempts"
        )
        if fields[1] == "pending" and fields[2] == group then
            doomed[#doomed + 1] = (base .. "job:") .. id
            gone[#gone + 1] = id
            tokens[#tokens + 1] = lastToken(s, base, fields[5])
            if heard > 0 then
                tellOfJob(
                    s,
                    base,
                    "removed",
                    id,
                    fields[3],
                    {"state", "pending"}
                )
            end
            local names = readNames(
                s,
                base,
                id,
                fields[3],
                true
            )
            if names ~= false then
                held[#held + 1] = names
            end
            if waitedUntil(s, fields[4], 0) > 0 then
                waited[#waited + 1] = id
            end
        end
    end
    local timed = call("ZCARD", base .. "ttl")
    for ____, id in ipairs(waited) do
        tellWaiters(s, base, id)
    end
    removeMembers(s, keys[1], ids)
    if timed > 0 then
        removeMembers(s, base .. "ttl", ids)
    end
    for ____, row in ipairs(doomed) do
        deleteRow(s, row)
    end
    rememberTokens(s, base, gone, tokens)
    for ____, names in ipairs(held) do
        letGo(s, base, names)
    end
    if servable and call("ZCARD", keys[1]) == 0 then
        call("LREM", keys[2], 1, group)
    end
    return stop
end
return gdrain(s, KEYS, ARGV)
