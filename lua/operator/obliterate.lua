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
--- What kind of value a key holds. The server answers with a status, which its Lua gives as a table.
local function holds(key)
    return redis.call("TYPE", key).ok
end
--- Whether text is a canonical decimal integer from min to max.
local function int(text, min, max)
    if #text > 16 or (text ~= "0" and not string.find(text, "^[1-9]%d*$")) then
        return false
    end
    local number = tonumber(text)
    return number >= min and number <= max
end
local s = {base = base, call = redis.call, char = char, error = redis.error_reply, holds = holds, int = int, num = tonumber}
local seldom = nil
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
--- An act that has said nothing.
local function nothingTold()
    return {outbox = false, decided = {}, read = {}}
end
--- The lane whose rate a field of `rate` sets, empty for any other field.
local function ratedLane(s, field)
    return s.char(field, 0) == "m" and string.sub(field, 2) or ""
end
--- Whether the queue is not paused. A `meta` of a foreign type raises, so a claim fails closed.
local function isOpen(s, base)
    return s.call("HEXISTS", base .. "meta", "paused") == 0
end
--- Adds a row and every side key that a job may have to a list of keys to delete.
local function gatherRow(doomed, row)
    local next = #doomed
    doomed[next + 1] = row
    doomed[next + 2] = row .. ":logs"
    doomed[next + 3] = row .. ":lock"
    doomed[next + 4] = row .. ":result"
    doomed[next + 5] = row .. ":dependencies"
    doomed[next + 6] = row .. ":processed"
    doomed[next + 7] = row .. ":failed"
    doomed[next + 8] = row .. ":unsuccessful"
    doomed[next + 9] = row .. ":parents"
    doomed[next + 10] = row .. ":children"
end
--- The sorted set of a lane's waiting jobs.
local function laneKey(base, group)
    return base .. "g:" .. group .. ":pending"
end
--- Tells that a job was removed before it was over.
local function tellGone(s, base, ending)
    if ending == false then
        return
    end
    local kin = ending.kin
    if kin.parent ~= "" then
        seldom("childFailed")(
            s,
            base,
            kin.parent,
            kin.child,
            "removed",
            kin.policy,
            true,
            ending.open
        )
    end
    seldom("signalFailed")(
        s,
        base,
        kin,
        "removed",
        true
    )
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
    for i = 0, stop - 1, width do
        local lane = settings == "rate" and ratedLane(s, found[i + 1]) or found[i + 1]
        if lane ~= "" then
            lanes[#lanes + 1] = lane
            entries[#entries + 1] = found[i + 1]
        end
    end
    return {cursor = page[1], lanes = lanes, entries = entries}
end
--- Keys that name lanes which may not be on the ring.
local LANE_SETTINGS = {
    "paused",
    "glimit",
    "gweight",
    "gactive",
    "rate"
}
--- Notes which jobs of other queues wait for one that goes with its queue; those know already if it is over.
local function noteGone(s, base, ids)
    local notices = {}
    local told = nothingTold()
    for ____, id in ipairs(ids) do
        local row = base .. "job:" .. id
        local fields = s.holds(row) == "hash" and s.call("HMGET", row, "state", "parent") or ({false, false})
        local state = fields[1]
        local parent = fields[2]
        if parent ~= false and state ~= "dead" and state ~= "completed" then
            local notice = seldom("noteLast")(
                s,
                base,
                id,
                parent,
                told
            )
            if notice ~= false then
                notices[#notices + 1] = notice
            end
        end
    end
    return notices
end
--- Unlinks up to `most` jobs of a set with all that hangs on them; answers how many.
local function wipe(s, base, set, most)
    if most <= 0 then
        return 0
    end
    local ids = s.call("ZRANGE", set, 0, most - 1)
    local doomed = {}
    local notices = noteGone(s, base, ids)
    for ____, id in ipairs(ids) do
        gatherRow(doomed, base .. "job:" .. id)
    end
    deleteKeys(s, "UNLINK", doomed)
    removeMembers(s, set, ids)
    for ____, notice in ipairs(notices) do
        tellGone(s, base, notice)
    end
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
--- Any of the functions that most acts do not call; they are made when the first is asked for.
local rare = nil
seldom = function(name)
    if rare == nil then
        --- Signals a failure to all that do not hear of it in the act. A removal counts as ignored, whatever the policy.
        -- 
        -- @cold
        local function signalFailed(s, base, kin, ____error, isRemoved)
            local far = kin.far
            local stop = #far
            for i = 0, stop - 1, 4 do
                local policy = isRemoved and "id" or far[i + 4]
                local head = "\0fail\0" .. far[i + 1] .. "\0" .. far[i + 2] .. "\0" .. far[i + 3]
                s.call("RPUSH", base .. "flow:outbox", head .. "\0" .. policy .. "\0" .. ____error)
            end
        end
        --- Tells a parent that a child has failed, or was removed. `policy` is what the news says, for a parent that was not
        -- told of the child. Answers 1, 2 when the parent is dead by it and has signalled its own parents, or 0 when it says
        -- nothing new. The first write is one that a full server admits.
        -- 
        -- @cold
        local childFailedOnce = nil
        local function childFailed(s, base, parent, child, ____error, policy, isRemoved, open)
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
            if childFailedOnce == nil then
                --- The instant that a delay from now reaches; a longer one ends at the latest that there is.
                local function dueIn(s, ms)
                    return math.min(
                        s.now() + ms,
                        9007199254740991
                    )
                end
                --- Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
                local function isResting(s, base, lane)
                    return s.call("ZSCORE", base .. "rest", lane) ~= false
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
                --- Whether limits keep the queue from being claimed from.
                -- 
                -- @cold
                local isHeldBackOnce = nil
                local function isHeldBack(s, base)
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
                --- Pushes if the queue is claimable: not paused, below its limits, and flat work or a servable lane waits. `open` is
                -- what {@link isOpen} said before the first write of the act.
                local function pushIfClaimable(s, base, open)
                    local call = s.call
                    local wake = base .. "wake"
                    if not open or call("EXISTS", wake) == 1 or call("EXISTS", base .. "pending", base .. "ring") == 0 then
                        return
                    end
                    if call("EXISTS", base .. "meta", base .. "rest") > 0 and isHeldBack(s, base) then
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
                --- The score at which a job waits: its priority, 0 when it has none.
                local function scoreOf(s, priority)
                    return priority == false and 0 or s.num(priority)
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
                --- Lets a job wait in its lane. The first member of a servable lane brings it onto the ring.
                local function enterLane(s, base, group, id, score)
                    local call = s.call
                    local lane = laneKey(base, group)
                    local added = call("ZADD", lane, score, id)
                    if added == 1 and call("ZCARD", lane) == 1 and isServable(s, base, group) then
                        call("RPUSH", base .. "ring", group)
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
                --- Whether what a parent knows of a child says that it is forgotten.
                local function isForgotten(s, known)
                    return known ~= false and s.char(known, 0) == "-"
                end
                --- How many children a count says are open; what is no count says none.
                local function openIn(s, count)
                    return count ~= false and s.int(count, 0, 9007199254740991) and s.num(count) or 0
                end
                --- The policy of a failed child: what its parent was told, else what came with the news.
                local function policyFor(known, told, isRemoved)
                    local word = known == false and told or string.sub(known, 1, 2)
                    return isRemoved and word ~= "rm" and "id" or word
                end
                --- Takes a parent from where it waits for its children.
                local function stopAwaiting(s, base, parent)
                    s.call("ZREM", base .. "awaiting", parent)
                    s.call("ZREM", base .. "schedule", parent)
                end
                --- The fields of a parent that say how it is released.
                local RELEASE_FIELDS = {
                    "state",
                    "group",
                    "priority",
                    "wait_until",
                    "attempts",
                    "delay"
                }
                --- Lets a parent rest for its own delay, which counts from now: its children are what it waited for before.
                local function letParentRest(s, base, parent, delay)
                    s.call("HSET", base .. "job:" .. parent, "state", "scheduled")
                    s.call(
                        "ZADD",
                        base .. "schedule",
                        dueIn(
                            s,
                            s.num(delay)
                        ),
                        parent
                    )
                    pushIfHead(s, base, parent)
                end
                --- Lets a parent run, which has then not waited in vain: a time that it set ends with this. One that has never run may
                -- have a delay. `open` is whether to wake a worker for it, if that is what the queue lets happen.
                local function releaseParent(s, base, parent, fields, open)
                    stopAwaiting(s, base, parent)
                    local delay = fields[6]
                    if delay ~= false and fields[5] == "0" and s.int(delay, 1, 9007199254740991) then
                        letParentRest(s, base, parent, delay)
                        return
                    end
                    if fields[4] ~= false then
                        s.call("HDEL", base .. "job:" .. parent, "wait_until")
                    end
                    s.call("HSET", base .. "job:" .. parent, "state", "pending")
                    letWait(
                        s,
                        base,
                        parent,
                        fields[2],
                        fields[3]
                    )
                    if open then
                        pushIfClaimable(s, base, true)
                    end
                end
                --- Ends a parent because of a child. Its own parents hear of it by signals, also the one of its queue, so an act kills
                -- one level; answers whether there are any. An entry in `ttl` has the next sweep keep it as the terms of its worker
                -- say.
                -- 
                -- @cold
                local killParentOnce = nil
                local function killParent(s, base, parent, child, ____error)
                    if killParentOnce == nil then
                        --- Reads the parents of a job. `parent` is that field of its row; `near` is whether a first parent of the same queue is
                        -- told in the act.
                        -- 
                        -- @cold
                        local readKinOnce = nil
                        local function readKin(s, base, id, parent, near)
                            if readKinOnce == nil then
                                --- The name of the queue of a base key.
                                local function queueOf(base)
                                    return string.sub(base, 6, -3)
                                end
                                --- The policy that a signal carries: `fp`, or `id` for all others.
                                local function policyOf(word)
                                    return word == "id" and "id" or "fp"
                                end
                                readKinOnce = function(s, base, id, parent, near)
                                    local call = s.call
                                    local row = base .. "job:" .. id
                                    local own = queueOf(base)
                                    local fields = call(
                                        "HMGET",
                                        row,
                                        "parent_queue",
                                        "parent_policy",
                                        "parent_as"
                                    )
                                    local further = call("HGETALL", row .. ":parents")
                                    local far = {}
                                    local child = fields[3] == false and id or fields[3]
                                    local policy = policyOf(fields[2])
                                    local queue = (fields[1] == false or fields[1] == "") and own or fields[1]
                                    local isNear = near and queue == own
                                    if s.branded(parent) and parent ~= id and not isNear then
                                        far[1] = queue
                                        far[2] = parent
                                        far[3] = child
                                        far[4] = policy
                                    end
                                    local stop = #further
                                    for i = 0, stop - 1, 2 do
                                        local field = further[i + 1]
                                        local value = further[i + 2]
                                        local at = #far
                                        far[at + 1] = #value > 3 and string.sub(value, 4) or own
                                        far[at + 2] = string.sub(field, 1, 14)
                                        far[at + 3] = #field > 14 and string.sub(field, 16) or id
                                        far[at + 4] = policyOf(string.sub(value, 1, 2))
                                    end
                                    return {
                                        parent = isNear and s.branded(parent) and parent ~= id and parent or "",
                                        child = child,
                                        policy = policy,
                                        far = far
                                    }
                                end
                            end
                            return readKinOnce(s, base, id, parent, near)
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
                        --- Leaves the outcome of a job that has ended.
                        local function leaveOutcome(s, base, id, outcome, ____until)
                            s.call(
                                "SET",
                                base .. "job:" .. id .. ":result",
                                outcome,
                                "PXAT",
                                ____until
                            )
                        end
                        --- Reads the names of a job that is ending. `rowGoes` is whether its row goes too, and with it its alias.
                        -- 
                        -- @cold
                        local readNamesOfOnce = nil
                        local function readNamesOf(s, base, id, dedup, rowGoes)
                            if readNamesOfOnce == nil then
                                --- Whether a key is free once the job `id` is over.
                                local function isFree(held, id)
                                    return held == false or held == id
                                end
                                readNamesOfOnce = function(s, base, id, dedup, rowGoes)
                                    local call = s.call
                                    local own = call("HMGET", base .. "job:" .. id, "alias", "next")
                                    local keys = {}
                                    local key = dedup == "" and "" or base .. "de:" .. dedup
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
                                        local alias = base .. "de:" .. own[1]
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
                                        base .. "job:" .. next,
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
                                        alias = base .. "de:" .. fields[2]
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
                            end
                            return readNamesOfOnce(s, base, id, dedup, rowGoes)
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
                            local call = s.call
                            local next = names.next
                            local now = s.now()
                            call("HDEL", base .. "job:" .. next, "follows", "follow_at")
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
                            for i = 0, stop - 1 do
                                if tokens[i + 1] > 0 then
                                    call(
                                        "ZADD",
                                        key,
                                        math.floor(s.now() / 60000) * 134217728 + tokens[i + 1],
                                        ids[i + 1]
                                    )
                                    kept = kept + 1
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
                        --- The terms where nobody says any.
                        local function plainTerms()
                            return {
                                doneCount = -1,
                                doneMs = 0,
                                deadCount = 9007199254740991,
                                deadMs = 0,
                                resultMs = 0,
                                heard = 0,
                                wakes = true
                            }
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
                                row .. ":children",
                                row .. ":parents"
                            )
                        end
                        --- Drops the minutes that are too old, and fields that are no minutes.
                        -- 
                        -- @cold
                        local function dropOld(s, minutes, minute)
                            local call = s.call
                            if call("HLEN", minutes) <= 240 then
                                return
                            end
                            for ____, field in ipairs(call("HKEYS", minutes)) do
                                if not s.int(field, 0, 9007199254740991) or s.num(field) <= minute - 240 then
                                    call("HDEL", minutes, field)
                                end
                            end
                        end
                        --- Counts jobs that ended `completed` or `failed`.
                        local function tally(s, base, which, count)
                            local call = s.call
                            local minutes = base .. "metrics:" .. which .. ":minutes"
                            local minute = math.floor(s.now() / 60000)
                            call("HINCRBY", base .. "metrics:" .. which, "count", count)
                            if call("HINCRBY", minutes, minute, count) == count then
                                dropOld(s, minutes, minute)
                            end
                        end
                        --- Ends a job as dead whose lease has ended: it is kept as the terms say, or its row goes. `until` is until when its
                        -- outcome is left, 0 for nobody who asked.
                        local function bury(s, base, id, ____error, terms, ____until)
                            local call = s.call
                            local row = base .. "job:" .. id
                            if terms.deadCount == 0 then
                                local token = lastToken(
                                    s,
                                    base,
                                    call("HGET", row, "attempts")
                                )
                                deleteRow(s, row)
                                rememberTokens(s, base, {id}, {token})
                            else
                                call(
                                    "HSET",
                                    row,
                                    "state",
                                    "dead",
                                    "last_error",
                                    ____error,
                                    "finished_at",
                                    s.now()
                                )
                                keep(
                                    s,
                                    base,
                                    "dead",
                                    id,
                                    terms.deadMs
                                )
                            end
                            tally(s, base, "failed", 1)
                            if ____until > 0 then
                                leaveOutcome(
                                    s,
                                    base,
                                    id,
                                    "k" .. ____error,
                                    ____until
                                )
                            end
                        end
                        killParentOnce = function(s, base, parent, child, ____error)
                            local call = s.call
                            local row = base .. "job:" .. parent
                            local fields = call(
                                "HMGET",
                                row,
                                "dedup",
                                "wait",
                                "parent"
                            )
                            local names = readNames(
                                s,
                                base,
                                parent,
                                fields[1],
                                false
                            )
                            stopAwaiting(s, base, parent)
                            call("HDEL", row, "expires")
                            call("HSET", row, "failed_child", child)
                            call(
                                "ZADD",
                                base .. "ttl",
                                s.now(),
                                parent
                            )
                            bury(
                                s,
                                base,
                                parent,
                                ____error,
                                plainTerms(),
                                waitedUntil(s, fields[2], 0)
                            )
                            local own = fields[3]
                            if own ~= false then
                                signalFailed(
                                    s,
                                    base,
                                    readKin(
                                        s,
                                        base,
                                        parent,
                                        own,
                                        false
                                    ),
                                    ____error,
                                    false
                                )
                            end
                            letGo(s, base, names)
                            return own ~= false
                        end
                    end
                    return killParentOnce(s, base, parent, child, ____error)
                end
                --- The count of open children, which every parent has from then on: whoever deletes its row finds the rest by it.
                local function countIn(s, row)
                    local count = s.call("GET", row .. ":dependencies")
                    if count == false then
                        s.call("SET", row .. ":dependencies", 0)
                    end
                    return count
                end
                --- Counts open children less; answers how many are left, -1 where nothing was counted.
                local function countDown(s, row, by)
                    local count = countIn(s, row)
                    if count == false or by == 0 then
                        return -1
                    end
                    local left = math.max(
                        0,
                        openIn(s, count) - by
                    )
                    s.call("SET", row .. ":dependencies", left)
                    return left
                end
                --- Records a failure that does not end the parent; answers whether it lets the parent run.
                local function ignoreFailure(s, row, child, ____error, known, word)
                    local call = s.call
                    if word == "rm" and known ~= false then
                        call(
                            "HSET",
                            row .. ":children",
                            child,
                            "-" .. string.sub(known, 3)
                        )
                    else
                        call("HSET", row .. ":unsuccessful", child, ____error)
                    end
                    local isCounted = known ~= false or call("EXISTS", row .. ":children") == 0
                    return countDown(s, row, isCounted and 1 or 0) == 0 or word == "co"
                end
                childFailedOnce = function(s, base, parent, child, ____error, policy, isRemoved, open)
                    local call = s.call
                    local row = base .. "job:" .. parent
                    local fields = call(
                        "HMGET",
                        row,
                        unpack(RELEASE_FIELDS)
                    )
                    local state = fields[1]
                    if state == false or call("HEXISTS", row .. ":processed", child) == 1 then
                        return 0
                    end
                    if call("HEXISTS", row .. ":unsuccessful", child) == 1 then
                        return 0
                    end
                    local known = call("HGET", row .. ":children", child)
                    if isForgotten(s, known) then
                        return 0
                    end
                    local word = policyFor(known, policy, isRemoved)
                    if word == "fp" then
                        if call("HEXISTS", row .. ":failed", child) == 1 then
                            return 0
                        end
                        call("HDEL", row .. ":processed", child)
                        call("HSET", row .. ":failed", child, ____error)
                        if call("EXISTS", row .. ":dependencies") == 0 then
                            call("SET", row .. ":dependencies", 0)
                        end
                        if state == "awaiting_children" and killParent(
                            s,
                            base,
                            parent,
                            child,
                            ____error
                        ) then
                            return 2
                        end
                        return 1
                    end
                    call("HDEL", row .. ":failed", child)
                    local mayRun = ignoreFailure(
                        s,
                        row,
                        child,
                        ____error,
                        known,
                        word
                    )
                    local isWaiting = state == "awaiting_children"
                    local asks = state == "active" or isWaiting and fields[5] ~= "0"
                    if word == "co" and asks then
                        call("HSET", row, "eager", "1")
                    end
                    if mayRun and isWaiting then
                        releaseParent(
                            s,
                            base,
                            parent,
                            fields,
                            open
                        )
                    end
                    return 1
                end
            end
            return childFailedOnce(s, base, parent, child, ____error, policy, isRemoved, open)
        end
        --- Notes that a job goes with its whole queue: parents of the same queue go too. `false` when nobody is left to hear of
        -- it.
        -- 
        -- @cold
        local noteLastOnce = nil
        local function noteLast(s, base, id, parent, told)
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
            if noteLastOnce == nil then
                --- The name of the queue of a base key.
                local function queueOf(base)
                    return string.sub(base, 6, -3)
                end
                --- Reads the parents of a job. `parent` is that field of its row; `near` is whether a first parent of the same queue is
                -- told in the act.
                -- 
                -- @cold
                local readKinOnce = nil
                local function readKin(s, base, id, parent, near)
                    if readKinOnce == nil then
                        --- The policy that a signal carries: `fp`, or `id` for all others.
                        local function policyOf(word)
                            return word == "id" and "id" or "fp"
                        end
                        readKinOnce = function(s, base, id, parent, near)
                            local call = s.call
                            local row = base .. "job:" .. id
                            local own = queueOf(base)
                            local fields = call(
                                "HMGET",
                                row,
                                "parent_queue",
                                "parent_policy",
                                "parent_as"
                            )
                            local further = call("HGETALL", row .. ":parents")
                            local far = {}
                            local child = fields[3] == false and id or fields[3]
                            local policy = policyOf(fields[2])
                            local queue = (fields[1] == false or fields[1] == "") and own or fields[1]
                            local isNear = near and queue == own
                            if s.branded(parent) and parent ~= id and not isNear then
                                far[1] = queue
                                far[2] = parent
                                far[3] = child
                                far[4] = policy
                            end
                            local stop = #further
                            for i = 0, stop - 1, 2 do
                                local field = further[i + 1]
                                local value = further[i + 2]
                                local at = #far
                                far[at + 1] = #value > 3 and string.sub(value, 4) or own
                                far[at + 2] = string.sub(field, 1, 14)
                                far[at + 3] = #field > 14 and string.sub(field, 16) or id
                                far[at + 4] = policyOf(string.sub(value, 1, 2))
                            end
                            return {
                                parent = isNear and s.branded(parent) and parent ~= id and parent or "",
                                child = child,
                                policy = policy,
                                far = far
                            }
                        end
                    end
                    return readKinOnce(s, base, id, parent, near)
                end
                --- Says that the outbox is about to be filled, unless it is filled already or the act has said so. To be called before
                -- the first write.
                -- 
                -- @cold
                local function callDeliverer(s, base, told)
                    if told.outbox then
                        return
                    end
                    told.outbox = true
                    if s.call("LLEN", base .. "flow:outbox") == 0 then
                        s.call("PUBLISH", base .. "control", "f")
                    end
                end
                noteLastOnce = function(s, base, id, parent, told)
                    local kin = readKin(
                        s,
                        base,
                        id,
                        parent,
                        true
                    )
                    local own = queueOf(base)
                    local others = {}
                    local stop = #kin.far
                    for i = 0, stop - 1, 4 do
                        local at = #others
                        if kin.far[i + 1] ~= own then
                            for part = 0, 4 - 1 do
                                others[at + part + 1] = kin.far[i + part + 1]
                            end
                        end
                    end
                    if #others == 0 then
                        return false
                    end
                    callDeliverer(s, base, told)
                    return {kin = {parent = "", child = kin.child, policy = kin.policy, far = others}, open = false}
                end
            end
            return noteLastOnce(s, base, id, parent, told)
        end
        rare = {signalFailed = signalFailed, childFailed = childFailed, noteLast = noteLast}
    end
    return rare[name]
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
        "awaiting",
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
