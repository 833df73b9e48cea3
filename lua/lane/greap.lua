-- EMQ.GREAP: Takes back lapsed leases of one lane.
-- KEYS: active, base
-- ARGV: group, limit
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
local s = {base = base, call = redis.call, error = redis.error_reply, int = int, name = name, now = now, num = tonumber}
local seldom = nil
--- Shape, values and layout of `EMQ.GREAP`: the text of the refusal, empty when all is well.
local function checkGreap(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.GREAP takes 2 keys"
    end
    if #args ~= 2 then
        return "ERR wrong number of arguments for 'EMQ.GREAP' command"
    end
    if not s.name(args[1]) then
        return "ERR EMQ.GREAP bad argument group"
    end
    if not s.int(args[2], 0, 1000) then
        return "ERR EMQ.GREAP bad argument limit"
    end
    local base = keys[2]
    if not s.base(base) or keys[1] ~= base .. "active" then
        return "ERR EMQ.GREAP keys do not match the wire-4 layout"
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
--- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
local function isResting(s, base, lane)
    return s.call("ZSCORE", base .. "rest", lane) ~= false
end
--- Whether the queue is not paused. A `meta` of a foreign type raises, so a claim fails closed.
local function isOpen(s, base)
    return s.call("HEXISTS", base .. "meta", "paused") == 0
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
--- Pushes if the queue is claimable: not paused, below its limits, and flat work or a servable lane waits. `open` is
-- what {@link isOpen} said before the first write of the act.
local function pushIfClaimable(s, base, open)
    local call = s.call
    local wake = base .. "wake"
    if not open or call("EXISTS", wake) == 1 or call("EXISTS", base .. "pending", base .. "ring") == 0 then
        return
    end
    if call("EXISTS", base .. "meta", base .. "rest") > 0 and seldom("isHeldBack")(s, base) then
        return
    end
    push(s, wake)
end
--- The score at which a job waits: its priority, 0 when it has none.
local function scoreOf(s, priority)
    return priority == false and 0 or s.num(priority)
end
--- The number in a counter field, 0 when it is absent.
local function countOf(s, field)
    return field == false and 0 or s.num(field)
end
--- Whether anybody listens: 0, or what {@link wantOf} says. To be asked before the first write.
local function heardBy(s, base)
    return s.call("EXISTS", base .. "listeners") == 0 and 0 or seldom("wantOf")(s, base)
end
--- The sorted set of a lane's waiting jobs.
local function laneKey(base, group)
    return base .. "g:" .. group .. ":pending"
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
--- Reads each key that the steps of these lanes touch, so that a foreign type ends the act while nothing is written. To
-- be called before the first write. Names of lanes stand at every `step`-th place; each is read once.
local function readLanes(s, base, groups, step)
    local call = s.call
    local stop = #groups
    if stop == 0 then
        return
    end
    local seen = {}
    call("LLEN", base .. "ring")
    call("ZCARD", base .. "rest")
    for i = 0, stop - 1, step do
        local group = groups[i + 1]
        local lane = laneKey(base, group)
        if seen[lane] ~= true then
            seen[lane] = true
            call("SISMEMBER", base .. "paused", group)
            call("HGET", base .. "glimit", group)
            call("HGET", base .. "gactive", group)
            call("ZCARD", lane)
        end
    end
end
--- Whether the lane of a row is in strict order. To be asked before the first write.
local function isOrdered(s, base, group)
    return group ~= false and s.call("SISMEMBER", base .. "gordered", group) == 1
end
--- Lets a job wait in its lane. The first member of a servable lane brings it onto the ring.
local function enterLane(s, base, group, id, score)
    local call = s.call
    local lane = laneKey(base, group)
    local added = call("ZADD", lane, score, id)
    if added == 1 and call("ZCARD", lane) == 1 and isServable(s, base, group) then
        call("RPUSH", base .. "ring", group)
    end
end
--- Counts one leased job less. A lane that comes from at its limit to under it returns to the ring.
local function releaseLane(s, base, group)
    local call = s.call
    local active = call("HINCRBY", base .. "gactive", group, -1)
    if active <= 0 then
        call("HDEL", base .. "gactive", group)
    end
    local limit = call("HGET", base .. "glimit", group)
    if limit == false then
        return
    end
    local ceiling = s.num(limit)
    if active >= ceiling or active + 1 < ceiling then
        return
    end
    if call(
        "ZCARD",
        laneKey(base, group)
    ) == 0 then
        return
    end
    if call("SISMEMBER", base .. "paused", group) == 1 or isResting(s, base, group) then
        return
    end
    call("RPUSH", base .. "ring", group)
end
--- Lets a job wait at its place. The caller sets the row's state.
local function letWait(s, base, id, group, priority)
    local score = scoreOf(s, priority)
    if group == false then
        s.call("ZADD", base .. "pending", score, id)
    else
        enterLane(
            s,
            base,
            group,
            id,
            score
        )
    end
end
--- Lets a job that was begun wait before all others of its ordered lane.
local function letWaitFirst(s, base, id, group)
    s.call("HSET", base .. "job:" .. id, "held", "1")
    enterLane(
        s,
        base,
        group,
        id,
        -1
    )
end
--- Lets a job whose lease lapsed wait again; in an ordered lane before all others.
local function recover(s, base, id, fields, stalled)
    local group = fields[2]
    s.call(
        "HSET",
        base .. "job:" .. id,
        "state",
        "pending",
        "stalled",
        stalled,
        "owner",
        ""
    )
    if fields[9] ~= false and group ~= false then
        letWaitFirst(s, base, id, group)
    else
        letWait(
            s,
            base,
            id,
            group,
            fields[3]
        )
    end
end
--- Reads the rows of ids whose leases lapsed, and all that taking them back may write to.
local function readLapsed(s, base, ids)
    local call = s.call
    local rows = {}
    local groups = {}
    for ____, id in ipairs(ids) do
        local fields = call(
            "HMGET",
            base .. "job:" .. id,
            "state",
            "group",
            "priority",
            "stalled",
            "cancel",
            "dedup",
            "wait",
            "parent"
        )
        local group = fields[2]
        if group ~= false then
            groups[#groups + 1] = group
        end
        fields[9] = isOrdered(s, base, group) and "1" or false
        rows[#rows + 1] = fields
    end
    call("ZCARD", base .. "pending")
    readLanes(s, base, groups, 1)
    return rows
end
--- Takes back at most `limit` lapsed leases of one lane, out of those that lapsed first; answers how many.
local function takeBackLane(s, active, base, lane, limit)
    local call = s.call
    if limit == 0 then
        return 0
    end
    local lapsed = call(
        "ZRANGEBYSCORE",
        active,
        "-inf",
        s.now(),
        "LIMIT",
        0,
        1000
    )
    local ids = {}
    for ____, id in ipairs(lapsed) do
        if #ids < limit and call("HGET", base .. "job:" .. id, "group") == lane then
            ids[#ids + 1] = id
        end
    end
    if #ids == 0 then
        return 0
    end
    local rows = readLapsed(s, base, ids)
    if heardBy(s, base) > 0 then
        seldom("tellLapsed")(
            s,
            base,
            ids,
            rows,
            -1
        )
    end
    removeMembers(s, active, ids)
    local stop = #ids
    local taken = 0
    for i = 0, stop - 1 do
        if rows[i + 1][1] == "active" then
            releaseLane(s, base, lane)
            recover(
                s,
                base,
                ids[i + 1],
                rows[i + 1],
                countOf(s, rows[i + 1][4]) + 1
            )
            taken = taken + 1
        end
    end
    return taken
end
--- Any of the functions that most acts do not call; they are made when the first is asked for.
local rare = nil
seldom = function(name)
    if rare == nil then
        --- Whether limits keep the queue from being claimed from.
        -- 
        -- @cold
        local isHeldBackOnce = nil
        local function isHeldBack(s, base)
            if s.holds == nil then
                --- What kind of value a key holds. The server answers with a status, which its Lua gives as a table.
                local function holds(key)
                    return redis.call("TYPE", key).ok
                end
                s.holds = holds
            end
            if isHeldBackOnce == nil then
                --- A whole number in a field that others may have written; `other` for anything else.
                local function numberIn(s, field, most, other)
                    return field ~= false and s.int(field, 0, most) and s.num(field) or other
                end
                --- Until when a lane, or with the empty name the queue, is not to be claimed from; 0 for no such time.
                local function restsUntil(s, base, subject)
                    local ____until = s.call("ZSCORE", base .. "rest", subject)
                    return ____until == false and 0 or s.num(____until)
                end
                --- Whether limits keep the queue from being claimed from. Asked after the writes of an act, so a foreign type is no
                -- error here.
                local function isLimited(s, base)
                    local call = s.call
                    if s.holds(base .. "rest") == "zset" and restsUntil(s, base, "") > s.now() then
                        return true
                    end
                    local ceiling = numberIn(
                        s,
                        call("HGET", base .. "meta", "concurrency"),
                        9007199254740991,
                        0
                    )
                    return ceiling > 0 and s.holds(base .. "active") == "zset" and call("ZCARD", base .. "active") >= ceiling
                end
                isHeldBackOnce = function(s, base)
                    return isLimited(s, base)
                end
            end
            return isHeldBackOnce(s, base)
        end
        --- What those who listen want: 1 events, 2 results in them too. They are there; the text of `listeners` is until when
        -- somebody wants results, in server milliseconds.
        -- 
        -- @cold
        local function wantOf(s, base)
            local ____until = s.call("GET", base .. "listeners")
            return ____until ~= false and s.int(____until, 0, 9007199254740991) and s.num(____until) > s.now() and 2 or 1
        end
        --- Tells of lapsed leases, before the first write. `maxStalled` is -1 where none of them ends its job.
        -- 
        -- @cold
        local tellLapsedOnce = nil
        local function tellLapsed(s, base, ids, rows, maxStalled)
            if s.json == nil then
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
                s.json = json
            end
            if s.text == nil then
                --- The decimal text of a whole number up to 2^53, all of its digits.
                local function text(number)
                    return string.format("%.0f", number)
                end
                s.text = text
            end
            if tellLapsedOnce == nil then
                --- Brings what is spent up to this instant. A clock that was set back begins anew.
                local function age(s, rate)
                    local now = s.now()
                    local duration = rate.duration
                    if rate.burst == -1 then
                        if rate.at <= now or rate.at > now + duration then
                            rate.at = now + duration
                            rate.level = 0
                        end
                        return
                    end
                    local elapsed = now - rate.at
                    if rate.burst > 0 then
                        local gone = math.min(rate.level, rate.burst * duration)
                        if elapsed > 0 then
                            rate.level = elapsed * rate.max >= gone and 0 or gone - elapsed * rate.max
                        else
                            rate.level = gone
                        end
                        rate.at = now
                    elseif elapsed < 0 or elapsed >= 2 * duration then
                        rate.at = now
                        rate.level = 0
                        rate.before = 0
                    elseif elapsed >= duration then
                        rate.at = rate.at + duration
                        rate.before = rate.level
                        rate.level = 0
                    end
                end
                --- Puts a job that has ended into its set, with the instant at which it is to go if there is one.
                local function keep(s, base, set, id, ms)
                    local now = s.now()
                    s.call("ZADD", base .. set, set == "completed" and now or 0, id)
                    if ms > 0 then
                        s.call(
                            "ZADD",
                            base .. "expiry",
                            math.min(now + ms, 9007199254740991),
                            id
                        )
                    end
                end
                --- The bytes told up to and with an entry, whose first field says it; 0 for one that does not.
                local function sumOf(s, fields)
                    return fields[1] == "sum" and s.int(fields[2], 0, 9007199254740991) and s.num(fields[2]) or 0
                end
                --- Cuts the head so that at most `most` bytes stay behind the first record that is kept. At most 200 go at a time.
                local function cutHead(s, key, sum, most)
                    local rows = s.call(
                        "XRANGE",
                        key,
                        "-",
                        "+",
                        "COUNT",
                        200
                    )
                    local stop = #rows
                    local keep = ""
                    for i = 0, stop - 1 do
                        local row = rows[i + 1]
                        keep = row[1]
                        if sum - sumOf(s, row[2]) <= most then
                            break
                        end
                    end
                    if keep ~= "" then
                        s.call(
                            "XTRIM",
                            key,
                            "MINID",
                            "=",
                            keep
                        )
                    end
                end
                --- Appends an event to the stream, if the queue says so. `more` holds names and texts in turn; an empty text is left
                -- out, and one that is long is cut unless it is a result. `bytes` is about what the event takes.
                local function mirror(s, base, event, id, more, bytes)
                    local said = s.call("HMGET", base .. "meta", "events_bytes", "events_ms")
                    local most = said[1]
                    if most == false or not s.int(most, 65536, 9007199254740991) then
                        return
                    end
                    local key = base .. "stream:events"
                    local age = said[2]
                    local now = s.now()
                    local from = age ~= false and s.int(age, 1, now) and now - s.num(age) or 0
                    local oldest = s.text(from) .. "-0"
                    local admits = event == "added" or event == "deduplicated"
                    if not admits then
                        s.call(
                            "XTRIM",
                            key,
                            "MINID",
                            "=",
                            oldest
                        )
                    end
                    local last = s.call(
                        "XREVRANGE",
                        key,
                        "+",
                        "-",
                        "COUNT",
                        1
                    )
                    local before = #last == 0 and 0 or sumOf(s, last[1][2])
                    local sum = before + bytes + 64
                    local fields = {
                        "sum",
                        s.text(sum),
                        "event",
                        event
                    }
                    if id ~= "" then
                        fields[5] = "job"
                        fields[6] = id
                    end
                    local stop = #more
                    for i = 0, stop - 1, 2 do
                        local value = more[i + 2]
                        if value ~= "" then
                            fields[#fields + 1] = more[i + 1]
                            fields[#fields + 1] = #value > 1024 and more[i + 1] ~= "result" and string.sub(value, 1, 1024) or value
                        end
                    end
                    s.call(
                        "XADD",
                        key,
                        "*",
                        unpack(fields)
                    )
                    if admits then
                        s.call(
                            "XTRIM",
                            key,
                            "MINID",
                            "=",
                            oldest
                        )
                    end
                    if math.floor(before / 8192) ~= math.floor(sum / 8192) then
                        cutHead(
                            s,
                            key,
                            sum,
                            s.num(most) - 32768
                        )
                    end
                end
                --- Tells an event of a job. `more` holds names and texts in turn; an empty text says nothing and is left out.
                local function tell(s, base, event, id, more)
                    local text = "{\"event\":\"" .. event .. "\",\"job\":" .. s.json(id)
                    local stop = #more
                    for i = 0, stop - 1, 2 do
                        local value = more[i + 2]
                        if value ~= "" then
                            local isLong = #value > 1024 and more[i + 1] ~= "result"
                            text = text .. ",\"" .. more[i + 1] .. "\":" .. s.json(isLong and string.sub(value, 1, 1024) or value)
                        end
                    end
                    mirror(
                        s,
                        base,
                        event,
                        id,
                        more,
                        #text
                    )
                    s.call("PUBLISH", base .. "events", text .. "}")
                end
                --- The alias of a job, empty for none. `dedup` is that field of its row, without which there is none.
                local function aliasOfRow(s, base, id, dedup)
                    if dedup == false then
                        return ""
                    end
                    local alias = s.call("HGET", base .. "job:" .. id, "alias")
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
                --- Whether this lapse of an active job is its last: it was one too many, or the job was to be cancelled.
                local function isDoomed(s, fields, maxStalled)
                    if maxStalled < 0 or fields[1] ~= "active" then
                        return false
                    end
                    return countOf(s, fields[4]) + 1 >= maxStalled or fields[5] ~= false
                end
                --- The error of a job whose lapse was its last.
                local function lastError(fields)
                    return fields[5] == false and "stalled" or fields[5]
                end
                tellLapsedOnce = function(s, base, ids, rows, maxStalled)
                    local stop = #ids
                    for i = 0, stop - 1 do
                        local fields = rows[i + 1]
                        if fields[1] == "active" then
                            tellOfJob(
                                s,
                                base,
                                "stalled",
                                ids[i + 1],
                                fields[6],
                                {
                                    "stalled",
                                    s.text(countOf(s, fields[4]) + 1)
                                }
                            )
                            if isDoomed(s, fields, maxStalled) then
                                tellOfJob(
                                    s,
                                    base,
                                    "dead",
                                    ids[i + 1],
                                    fields[6],
                                    {
                                        "error",
                                        lastError(fields)
                                    }
                                )
                            end
                        end
                    end
                end
            end
            return tellLapsedOnce(s, base, ids, rows, maxStalled)
        end
        rare = {isHeldBack = isHeldBack, wantOf = wantOf, tellLapsed = tellLapsed}
    end
    return rare[name]
end
--- Keys: active, base. Arguments: group, limit. Answers how many were taken back.
local function greap(s, keys, args)
    local refusal = checkGreap(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local open = isOpen(s, keys[2])
    local taken = takeBackLane(
        s,
        keys[1],
        keys[2],
        args[1],
        s.num(args[2])
    )
    pushIfClaimable(s, keys[2], open)
    return taken
end
return greap(s, KEYS, ARGV)
