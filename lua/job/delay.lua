-- EMQ.DELAY: Puts an active job back until an instant, without spending an attempt.
-- KEYS: row, active, schedule, base
-- ARGV: id, token, mode, ms
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
--- The server's clock in whole Unix milliseconds, read once an act.
local instant = false
local function now()
    if instant == false then
        local clock = redis.call("TIME")
        instant = clock[1] * 1000 + math.floor(clock[2] / 1000)
    end
    return instant
end
--- The decimal text of a whole number up to 2^53, all of its digits.
local function text(number)
    return string.format("%.0f", number)
end
local s = {base = base, call = redis.call, error = redis.error_reply, int = int, json = json, now = now, num = tonumber, text = text}
local seldom = nil
--- Shape, values and layout of `EMQ.DELAY`: the text of the refusal, empty when all is well.
local function checkDelay(s, keys, args)
    if #keys ~= 4 then
        return "ERR EMQ.DELAY takes 4 keys"
    end
    if #args ~= 4 then
        return "ERR wrong number of arguments for 'EMQ.DELAY' command"
    end
    if not s.int(args[2], 0, 9007199254740991) then
        return "ERR EMQ.DELAY bad argument token"
    end
    if args[3] ~= "in" and args[3] ~= "at" then
        return "ERR EMQ.DELAY bad argument mode"
    end
    if not s.int(args[4], 0, 9007199254740991) then
        return "ERR EMQ.DELAY bad argument ms"
    end
    local base = keys[4]
    if not s.base(base) or keys[1] ~= base .. "job:" .. args[1] or keys[2] ~= base .. "active" or keys[3] ~= base .. "schedule" then
        return "ERR EMQ.DELAY keys do not match the wire-4 layout"
    end
    return ""
end
--- The instant that a delay from now reaches; a longer one ends at the latest that there is.
local function dueIn(s, ms)
    return math.min(
        s.now() + ms,
        9007199254740991
    )
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
--- Whether anybody listens: 0, or what {@link wantOf} says. To be asked before the first write.
local function heardBy(s, base)
    return s.call("EXISTS", base .. "listeners") == 0 and 0 or seldom("wantOf")(s, base)
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
--- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
local function isResting(s, base, lane)
    return s.call("ZSCORE", base .. "rest", lane) ~= false
end
--- Whether the queue has a ceiling of leased jobs, so that the end of any job can let another one run.
local function hasCeiling(s, base)
    return s.call("HEXISTS", base .. "meta", "concurrency") == 1
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
--- Pushes if one of the ids that this act scheduled stands at the head of the schedule now.
local function pushIfHead(s, base, id)
    local head = s.call("ZRANGE", base .. "schedule", 0, 0)
    if #head > 0 and head[1] == id then
        push(s, base .. "wake")
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
--- Whether an id is of the kind that the queue admits. Its other eleven bytes are the host's concern.
local function isJobId(id)
    return string.sub(id, 1, 3) == "JOB"
end
--- The number in a counter field, 0 when it is absent.
local function countOf(s, field)
    return field == false and 0 or s.num(field)
end
--- Sets a counter field of a row, or drops it at 0 so that a row holds nothing that says nothing.
local function setCount(s, row, field, count)
    if count > 0 then
        s.call("HSET", row, field, count)
    else
        s.call("HDEL", row, field)
    end
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
--- Takes a waiting job out of its lane. The last member out takes the lane off the ring.
local function leaveLane(s, base, group, id)
    local call = s.call
    local lane = laneKey(base, group)
    local removed = call("ZREM", lane, id)
    if removed == 1 and call("ZCARD", lane) == 0 and isServable(s, base, group) then
        call("LREM", base .. "ring", 1, group)
    end
    return removed
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
--- Counts one leased job more, for a job that was claimed from the flat queue although its row names a lane. If the lane
-- reaches its limit by it, it leaves the ring.
local function occupyLane(s, base, group)
    local call = s.call
    local active = call("HINCRBY", base .. "gactive", group, 1)
    local limit = call("HGET", base .. "glimit", group)
    if limit == false or active ~= s.num(limit) then
        return
    end
    if call(
        "ZCARD",
        laneKey(base, group)
    ) > 0 then
        call("LREM", base .. "ring", 1, group)
    end
end
--- Takes a job from where it waits; 1 if it waited there.
local function stopWaiting(s, base, id, group)
    if group == false then
        return s.call("ZREM", base .. "pending", id)
    end
    return leaveLane(s, base, group, id)
end
--- What a settlement reads of a row, in this order.
local function readHolder(s, row)
    return s.call(
        "HMGET",
        row,
        "attempts",
        "state",
        "owner",
        "group",
        "priority",
        "stalled",
        "deferred",
        "cancel",
        "dedup",
        "wait",
        "parent"
    )
end
--- The refusal of a settlement, empty when it is accepted. `gone` and `stale` are the verb's own texts.
local function judge(holder, token, gone, stale)
    local attempts = holder[1]
    if attempts == false then
        return gone
    end
    if token == "0" or attempts ~= token then
        return stale
    end
    local state = holder[2]
    if state == "active" or state == "pending" and holder[3] ~= false then
        return ""
    end
    return "EMQSTATE job is not active"
end
--- Takes an accepted job from where it waits after a lapse. The lapse was no crash and is taken back.
local function leaveWaiting(s, base, id, holder)
    stopWaiting(s, base, id, holder[4])
    setCount(
        s,
        base .. "job:" .. id,
        "stalled",
        countOf(s, holder[6]) - 1
    )
end
--- Takes an accepted job from where it is; its row still says that it is held, which suits one that is to go.
local function leavePlace(s, base, id, holder)
    local group = holder[4]
    if holder[2] == "active" then
        s.call("ZREM", base .. "active", id)
        if group ~= false then
            releaseLane(s, base, group)
        end
    else
        leaveWaiting(s, base, id, holder)
    end
end
--- Ends the lease of an accepted settlement: out of `active`, or out of where a lapsed job waits. The lapse of a holder
-- that came back after all was no crash and is taken back.
local function endLease(s, base, id, holder)
    local group = holder[4]
    local row = base .. "job:" .. id
    leavePlace(s, base, id, holder)
    if group == false then
        s.call("HDEL", row, "owner")
    else
        s.call("HDEL", row, "owner", "held")
    end
end
--- Ends the lease of an accepted settlement after which the job holds its ordered lane: the lane goes on counting it.
local function keepLane(s, base, id, holder, group)
    if holder[2] == "active" then
        s.call("ZREM", base .. "active", id)
    else
        leaveWaiting(s, base, id, holder)
        occupyLane(s, base, group)
    end
    s.call("HDEL", base .. "job:" .. id, "owner")
    s.call("HSET", base .. "job:" .. id, "held", "1")
end
--- Ends the lease of a job that goes into the schedule. In an ordered lane it holds the lane meanwhile. Everything that
-- scheduling writes to is read before the first write.
local function leaveForSchedule(s, base, id, holder)
    local group = holder[4]
    s.call("ZCARD", base .. "schedule")
    if group ~= false then
        readLanes(s, base, {group}, 1)
    end
    if group ~= false and isOrdered(s, base, group) then
        keepLane(
            s,
            base,
            id,
            holder,
            group
        )
    else
        endLease(s, base, id, holder)
    end
end
--- The text of a field, empty where it is absent.
local function said(field)
    return field == false and "" or field
end
--- Tells that a job goes into the schedule until `due`.
local function tellScheduled(s, base, id, holder, due)
    tellOfJob(
        s,
        base,
        "scheduled",
        id,
        holder[9],
        {
            "dueAt",
            s.text(due)
        }
    )
end
--- Puts an accepted job into the schedule and counts the interruption. `heard` is what `heardBy` says.
local function defer(s, base, id, holder, due, heard)
    local call = s.call
    local row = base .. "job:" .. id
    if heard > 0 then
        tellScheduled(
            s,
            base,
            id,
            holder,
            due
        )
    end
    leaveForSchedule(s, base, id, holder)
    call(
        "HSET",
        row,
        "state",
        "scheduled",
        "deferred",
        countOf(s, holder[7]) + 1
    )
    call("ZADD", base .. "schedule", due, id)
end
--- Any of the functions that most acts do not call; they are made when the first is asked for.
local rare = nil
seldom = function(name)
    if rare == nil then
        --- What those who listen want: 1 events, 2 results in them too. They are there; the text of `listeners` is until when
        -- somebody wants results, in server milliseconds.
        -- 
        -- @cold
        local function wantOf(s, base)
            local ____until = s.call("GET", base .. "listeners")
            return ____until ~= false and s.int(____until, 0, 9007199254740991) and s.num(____until) > s.now() and 2 or 1
        end
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
        rare = {wantOf = wantOf, isHeldBack = isHeldBack}
    end
    return rare[name]
end
--- Keys: row, active, schedule, base. Arguments: id, token, in or at, ms. Answers 1.
local function delay(s, keys, args)
    local refusal = checkDelay(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local id = args[1]
    local base = keys[4]
    if not isJobId(id) then
        return s.error("EMQKIND job id must be JOB-namespaced")
    end
    local holder = readHolder(s, keys[1])
    local verdict = judge(holder, args[2], "EMQSTALE job gone", "EMQSTALE delay token mismatch")
    if verdict ~= "" then
        return s.error(verdict)
    end
    local open = isOpen(s, base)
    local frees = holder[4] ~= false or hasCeiling(s, base)
    local ms = s.num(args[4])
    defer(
        s,
        base,
        id,
        holder,
        args[3] == "in" and dueIn(s, ms) or ms,
        heardBy(s, base)
    )
    if frees then
        pushIfClaimable(s, base, open)
    end
    pushIfHead(s, base, id)
    return 1
end
return delay(s, KEYS, ARGV)
