-- EMQ.REPROCESS: Gives a dead job a fresh budget and lets it wait again.
-- KEYS: row, dead, pending, base
-- ARGV: id
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
local s = {base = base, call = redis.call, error = redis.error_reply, num = tonumber}
local seldom = nil
--- Shape, values and layout of `EMQ.REPROCESS`: the text of the refusal, empty when all is well.
local function checkReprocess(s, keys, args)
    if #keys ~= 4 then
        return "ERR EMQ.REPROCESS takes 4 keys"
    end
    if #args ~= 1 then
        return "ERR wrong number of arguments for 'EMQ.REPROCESS' command"
    end
    local base = keys[4]
    if not s.base(base) or keys[1] ~= base .. "job:" .. args[1] or keys[2] ~= base .. "dead" or keys[3] ~= base .. "pending" then
        return "ERR EMQ.REPROCESS keys do not match the wire-4 layout"
    end
    return ""
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
--- Lets a job wait in its lane. The first member of a servable lane brings it onto the ring.
local function enterLane(s, base, group, id, score)
    local call = s.call
    local lane = laneKey(base, group)
    local added = call("ZADD", lane, score, id)
    if added == 1 and call("ZCARD", lane) == 1 and isServable(s, base, group) then
        call("RPUSH", base .. "ring", group)
    end
end
--- Reads the place where a job waits, before the first write: a foreign type ends the act there.
local function readPlace(s, base, group)
    if group == false then
        s.call("ZCARD", base .. "pending")
    else
        readLanes(s, base, {group}, 1)
    end
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
--- Revives a member of `dead`; `fields` are `attempts`, `group`, `priority`, `state`, `parent` and `failed_child` of its
-- row, which must be there.
local function reviveDead(s, base, id, fields)
    local call = s.call
    local row = base .. "job:" .. id
    local attempts = fields[1]
    readPlace(s, base, fields[2])
    call("ZCARD", base .. "expiry")
    local parent = fields[5]
    local isParent = fields[6] ~= false
    if isParent or parent ~= false then
        seldom("readFamily")(
            s,
            base,
            id,
            parent,
            isParent
        )
    end
    call("ZREM", base .. "dead", id)
    call("ZREM", base .. "expiry", id)
    call(
        "HDEL",
        row,
        "last_error",
        "stalled",
        "cancel",
        "owner",
        "finished_at"
    )
    if attempts ~= false then
        call(
            "HSET",
            row,
            "state",
            "pending",
            "deferred",
            attempts
        )
    end
    if attempts == "0" then
        call("HDEL", row, "deferred")
    end
    if parent ~= false then
        seldom("reopenChild")(s, base, id, parent)
    end
    if not isParent or not seldom("awaitAgain")(s, base, id) then
        letWait(
            s,
            base,
            id,
            fields[2],
            fields[3]
        )
    end
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
            if s.int == nil then
                --- Whether text is a canonical decimal integer from min to max.
                local function int(text, min, max)
                    if #text > 16 or (text ~= "0" and not string.find(text, "^[1-9]%d*$")) then
                        return false
                    end
                    local number = tonumber(text)
                    return number >= min and number <= max
                end
                s.int = int
            end
            if s.now == nil then
                --- The server's clock in whole Unix milliseconds, read once an act.
                local instant = false
                local function now()
                    if instant == false then
                        local clock = redis.call("TIME")
                        instant = clock[1] * 1000 + math.floor(clock[2] / 1000)
                    end
                    return instant
                end
                s.now = now
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
        --- Lets a child count as open at its parent again, if that is of the same queue.
        -- 
        -- @cold
        local reopenChildOnce = nil
        local function reopenChild(s, base, id, parent)
            if s.branded == nil then
                --- Whether text is a branded id. The payload is compared byte by byte: the server's string order may follow a locale.
                local function branded(text)
                    if #text ~= 14 or not string.find(text, "^[A-Z][A-Z][A-Z][0-9A-Za-z]+$") then
                        return false
                    end
                    local last = "AzL8n0Y58m7"
                    for i = 1, 11 do
                        local have, most = string.byte(text, i + 3), string.byte(last, i)
                        if have ~= most then
                            return have < most
                        end
                    end
                    return true
                end
                s.branded = branded
            end
            if reopenChildOnce == nil then
                --- The name of the queue of a base key.
                local function queueOf(base)
                    return string.sub(base, 6, -3)
                end
                reopenChildOnce = function(s, base, id, parent)
                    local call = s.call
                    local own = call("HMGET", base .. "job:" .. id, "parent_queue", "parent_as")
                    local isNear = own[1] == false or own[1] == "" or own[1] == queueOf(base)
                    if not isNear or not s.branded(parent) then
                        return
                    end
                    call("HDEL", base .. "job:" .. parent .. ":failed", own[2] == false and id or own[2])
                end
            end
            return reopenChildOnce(s, base, id, parent)
        end
        --- Lets a parent wait again that died while it waited, when children of it are open. Answers whether it does.
        -- 
        -- @cold
        local awaitAgainOnce = nil
        local function awaitAgain(s, base, id)
            if s.char == nil then
                --- One byte of a text, counted from 0.
                local function char(text, index)
                    return string.sub(text, index + 1, index + 1)
                end
                s.char = char
            end
            if s.int == nil then
                --- Whether text is a canonical decimal integer from min to max.
                local function int(text, min, max)
                    if #text > 16 or (text ~= "0" and not string.find(text, "^[1-9]%d*$")) then
                        return false
                    end
                    local number = tonumber(text)
                    return number >= min and number <= max
                end
                s.int = int
            end
            if s.now == nil then
                --- The server's clock in whole Unix milliseconds, read once an act.
                local instant = false
                local function now()
                    if instant == false then
                        local clock = redis.call("TIME")
                        instant = clock[1] * 1000 + math.floor(clock[2] / 1000)
                    end
                    return instant
                end
                s.now = now
            end
            if awaitAgainOnce == nil then
                --- Writes fields and values in turn into a hash.
                local function writePairs(s, key, ____pairs)
                    local stop = #____pairs
                    if stop > 0 and stop <= 400 then
                        s.call(
                            "HSET",
                            key,
                            unpack(____pairs)
                        )
                        return
                    end
                    local part = {}
                    for i = 0, stop - 1 do
                        part[#part + 1] = ____pairs[i + 1]
                        if #part >= 400 or i == stop - 1 then
                            s.call(
                                "HSET",
                                key,
                                unpack(part)
                            )
                            part = {}
                        end
                    end
                end
                --- How many children a count says are open; what is no count says none.
                local function openIn(s, count)
                    return count ~= false and s.int(count, 0, 9007199254740991) and s.num(count) or 0
                end
                --- How many of the children that a parent was told of have not ended. It reads three hashes and looks at each child, so
                -- its cost is theirs: 10,000 children at most.
                -- 
                -- @cold
                local countOpenOnce = nil
                local function countOpen(s, row)
                    if countOpenOnce == nil then
                        --- Whether what a parent knows of a child says that it is forgotten.
                        local function isForgotten(s, known)
                            return known ~= false and s.char(known, 0) == "-"
                        end
                        countOpenOnce = function(s, row)
                            local call = s.call
                            local ended = {}
                            for ____, id in ipairs(call("HKEYS", row .. ":processed")) do
                                ended["c:" .. id] = true
                            end
                            for ____, id in ipairs(call("HKEYS", row .. ":unsuccessful")) do
                                ended["c:" .. id] = true
                            end
                            local children = call("HGETALL", row .. ":children")
                            local stop = #children
                            local open = 0
                            for i = 0, stop - 1, 2 do
                                if not isForgotten(s, children[i + 2]) and ended["c:" .. children[i + 1]] ~= true then
                                    open = open + 1
                                end
                            end
                            return open
                        end
                    end
                    return countOpenOnce(s, row)
                end
                --- Counts the failed children of a parent as ended, with their failures; answers how many are open.
                local function acceptFailures(s, row)
                    local call = s.call
                    local failed = call("HGETALL", row .. ":failed")
                    writePairs(s, row .. ":unsuccessful", failed)
                    call("DEL", row .. ":failed")
                    local left = math.max(
                        0,
                        openIn(
                            s,
                            call("GET", row .. ":dependencies")
                        ) - #failed / 2
                    )
                    if call("EXISTS", row .. ":children") == 1 then
                        left = countOpen(s, row)
                    end
                    call("SET", row .. ":dependencies", left)
                    return left
                end
                awaitAgainOnce = function(s, base, id)
                    local row = base .. "job:" .. id
                    s.call("HDEL", row, "failed_child")
                    s.call("ZREM", base .. "ttl", id)
                    if acceptFailures(s, row) == 0 then
                        return false
                    end
                    s.call("HSET", row, "state", "awaiting_children")
                    s.call(
                        "ZADD",
                        base .. "awaiting",
                        s.now(),
                        id
                    )
                    return true
                end
            end
            return awaitAgainOnce(s, base, id)
        end
        --- Reads what reviving a child, or a parent that died while it waited, touches.
        -- 
        -- @cold
        local readFamilyOnce = nil
        local function readFamily(s, base, id, parent, isParent)
            if s.branded == nil then
                --- Whether text is a branded id. The payload is compared byte by byte: the server's string order may follow a locale.
                local function branded(text)
                    if #text ~= 14 or not string.find(text, "^[A-Z][A-Z][A-Z][0-9A-Za-z]+$") then
                        return false
                    end
                    local last = "AzL8n0Y58m7"
                    for i = 1, 11 do
                        local have, most = string.byte(text, i + 3), string.byte(last, i)
                        if have ~= most then
                            return have < most
                        end
                    end
                    return true
                end
                s.branded = branded
            end
            if readFamilyOnce == nil then
                --- Reads what {@link acceptFailures} writes to.
                local function readFailures(s, base, row)
                    s.call("HLEN", row .. ":failed")
                    s.call("HLEN", row .. ":unsuccessful")
                    s.call("HLEN", row .. ":processed")
                    s.call("HLEN", row .. ":children")
                    s.call("GET", row .. ":dependencies")
                    s.call("ZCARD", base .. "awaiting")
                end
                readFamilyOnce = function(s, base, id, parent, isParent)
                    if isParent then
                        readFailures(s, base, base .. "job:" .. id)
                    end
                    if parent ~= false and s.branded(parent) then
                        s.call("HLEN", base .. "job:" .. parent .. ":failed")
                    end
                    s.call("ZCARD", base .. "ttl")
                end
            end
            return readFamilyOnce(s, base, id, parent, isParent)
        end
        rare = {isHeldBack = isHeldBack, reopenChild = reopenChild, awaitAgain = awaitAgain, readFamily = readFamily}
    end
    return rare[name]
end
--- Keys: row, dead, pending, base. Arguments: id. Answers 1, or -1 when the job is gone.
local function reprocess(s, keys, args)
    local refusal = checkReprocess(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local id = args[1]
    local fields = call(
        "HMGET",
        keys[1],
        "attempts",
        "group",
        "priority",
        "state",
        "parent",
        "failed_child"
    )
    if fields[1] == false then
        return -1
    end
    if call("ZSCORE", keys[2], id) == false then
        return s.error("EMQSTATE not dead")
    end
    local open = isOpen(s, keys[4])
    reviveDead(s, keys[4], id, fields)
    pushIfClaimable(s, keys[4], open)
    return 1
end
return reprocess(s, KEYS, ARGV)
