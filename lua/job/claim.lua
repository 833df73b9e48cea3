-- EMQ.CLAIM: Leases the first waiting job of the flat queue.
-- KEYS: pending, active, base
-- ARGV: lease_ms
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
--- Shape, values and layout of `EMQ.CLAIM`: the text of the refusal, empty when all is well.
local function checkClaim(s, keys, args)
    if #keys ~= 3 then
        return "ERR EMQ.CLAIM takes 3 keys"
    end
    if #args ~= 1 then
        return "ERR wrong number of arguments for 'EMQ.CLAIM' command"
    end
    if not s.int(args[1], 1, 2147483648) then
        return "ERR EMQ.CLAIM bad argument lease_ms"
    end
    local base = keys[3]
    if not s.base(base) or keys[1] ~= base .. "pending" or keys[2] ~= base .. "active" then
        return "ERR EMQ.CLAIM keys do not match the wire-4 layout"
    end
    return ""
end
--- The sorted set of a lane's waiting jobs.
local function laneKey(base, group)
    return ((base .. "g:") .. group) .. ":pending"
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
--- Ids looked at by one act, at most; also the most claimed.
local LOOKS_MAX = 1000
--- Payload bytes that one act answers, at most, unless a single job holds more.
local PAYLOAD_MAX = 1048576
--- Members popped at once, well below what a call can spread.
local POP_MAX = 400
--- A claim that has nothing yet.
local function startClaim(base, worker)
    return {
        base = base,
        worker = worker,
        jobs = {},
        ids = {},
        looks = 0,
        payload = 0,
        full = false
    }
end
--- Leases one popped id if its row waits for it. Answers whether it did; sets `full` and takes nothing when the payload
-- would pass the budget.
local function leaseOne(s, claim, id, lane)
    local call = s.call
    local row = (claim.base .. "job:") .. id
    local fields = call(
        "HMGET",
        row,
        "state",
        "attempts",
        "payload",
        "name",
        "opts",
        "group",
        "stalled",
        "deferred",
        "owner"
    )
    local attempts = fields[2]
    local group = fields[6]
    if attempts == false or fields[1] ~= "pending" then
        return false
    end
    if lane ~= "" and group ~= lane then
        return false
    end
    local payload = fields[3] == false and "" or fields[3]
    if claim.payload > 0 and claim.payload + #payload > PAYLOAD_MAX then
        claim.full = true
        return false
    end
    claim.payload = claim.payload + #payload
    local token = s.num(attempts) + 1
    if claim.worker ~= "" then
        call(
            "HSET",
            row,
            "state",
            "active",
            "attempts",
            token,
            "owner",
            claim.worker
        )
    else
        if fields[9] ~= false then
            call("HDEL", row, "owner")
        end
        call(
            "HSET",
            row,
            "state",
            "active",
            "attempts",
            token
        )
    end
    if lane == "" and group ~= false then
        occupyLane(s, claim.base, group)
    end
    local jobs = claim.jobs
    local at = #jobs
    jobs[at + 1] = id
    jobs[at + 1 + 1] = token
    jobs[at + 2 + 1] = payload
    jobs[at + 3 + 1] = fields[4] == false and "" or fields[4]
    jobs[at + 4 + 1] = fields[5] == false and "" or fields[5]
    jobs[at + 5 + 1] = group == false and "" or group
    jobs[at + 6 + 1] = fields[7] == false and "" or fields[7]
    jobs[at + 7 + 1] = fields[8] == false and "" or fields[8]
    claim.ids[#claim.ids + 1] = id
    return true
end
--- Puts back what was popped and not taken, from position `from` on.
local function unpop(s, key, popped, from)
    local stop = #popped
    do
        local i = from
        while i < stop do
            s.call("ZADD", key, popped[i + 1 + 1], popped[i + 1])
            i = i + 2
        end
    end
end
--- Claims up to `want` jobs from one sorted set: the flat queue (`lane` empty) or a lane. Answers how many; fewer than
-- `want` means that the set is empty or that the claim is `full`.
local function claimFrom(s, claim, key, lane, want)
    local taken = 0
    while taken < want and not claim.full do
        local room = math.min(want - taken, POP_MAX, LOOKS_MAX - claim.looks)
        if room <= 0 then
            claim.full = true
            return taken
        end
        local popped = s.call("ZPOPMIN", key, room)
        local stop = #popped
        if stop == 0 then
            return taken
        end
        local i = 0
        while i < stop and not claim.full do
            if leaseOne(s, claim, popped[i + 1], lane) then
                taken = taken + 1
            end
            if claim.full then
                unpop(s, key, popped, i)
            end
            claim.looks = claim.looks + 1
            i = i + 2
        end
        if stop < room * 2 then
            return taken
        end
    end
    return taken
end
--- Members of one `ZADD`, well below what a call can spread.
local LEASE_MAX = 200
--- Writes the leases of everything claimed, with one deadline. From the highest id down: a small `active` is a list that
-- each new member is searched in from its front.
local function writeLeases(s, active, ids, leaseMs)
    local deadline = s.now() + leaseMs
    local members = {}
    do
        local i = #ids - 1
        while i >= 0 do
            local at = #members
            members[at + 1] = deadline
            members[at + 1 + 1] = ids[i + 1]
            if at + 2 >= LEASE_MAX * 2 then
                s.call(
                    "ZADD",
                    active,
                    unpack(members)
                )
                members = {}
            end
            i = i - 1
        end
    end
    if #members > 0 then
        s.call(
            "ZADD",
            active,
            unpack(members)
        )
    end
end
--- The claimed jobs as (id, payload, token), which is what the plain claims answer.
local function plainJobs(claim)
    local out = {}
    local jobs = claim.jobs
    local stop = #jobs
    do
        local i = 0
        while i < stop do
            out[#out + 1] = {jobs[i + 1], jobs[i + 2 + 1], jobs[i + 1 + 1]}
            i = i + 8
        end
    end
    return out
end
--- Whether the queue is not paused. A `meta` of a foreign type raises, so a claim fails closed.
local function isOpen(s, base)
    return s.call("HEXISTS", base .. "meta", "paused") == 0
end
--- Keys: pending, active, base. Arguments: lease_ms. Answers id, payload, attempts, or an empty list.
local function claim(s, keys, args)
    local refusal = checkClaim(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    if not isOpen(s, keys[3]) then
        return {}
    end
    s.call("ZCARD", keys[2])
    local taken = startClaim(keys[3], "")
    claimFrom(
        s,
        taken,
        keys[1],
        "",
        1
    )
    writeLeases(
        s,
        keys[2],
        taken.ids,
        s.num(args[1])
    )
    local jobs = plainJobs(taken)
    return #jobs > 0 and jobs[1] or ({})
end
return claim(s, KEYS, ARGV)
