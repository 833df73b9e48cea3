-- EMQ.GBCLAIM: Leases up to `size` jobs of the lane whose turn it is, with one common deadline.
-- KEYS: ring, active, base
-- ARGV: lease_ms, size
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
--- Shape, values and layout of `EMQ.GBCLAIM`: the text of the refusal, empty when all is well.
local function checkGbclaim(s, keys, args)
    if #keys ~= 3 then
        return "ERR EMQ.GBCLAIM takes 3 keys"
    end
    if #args ~= 2 then
        return "ERR wrong number of arguments for 'EMQ.GBCLAIM' command"
    end
    if not s.int(args[1], 1, 2147483648) then
        return "ERR EMQ.GBCLAIM bad argument lease_ms"
    end
    if not s.int(args[2], 0, 1000) then
        return "ERR EMQ.GBCLAIM bad argument size"
    end
    local base = keys[3]
    if not s.base(base) or keys[1] ~= base .. "ring" or keys[2] ~= base .. "active" then
        return "ERR EMQ.GBCLAIM keys do not match the wire-4 layout"
    end
    return ""
end
--- The number in a counter field, 0 when it is absent.
local function countOf(s, field)
    return field == false and 0 or s.num(field)
end
--- The sorted set of a lane's waiting jobs.
local function laneKey(base, group)
    return ((base .. "g:") .. group) .. ":pending"
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
    do
        local i = 0
        while i < stop do
            local group = groups[i + 1]
            local lane = laneKey(base, group)
            if seen[lane] ~= true then
                seen[lane] = true
                call("SISMEMBER", base .. "paused", group)
                call("HGET", base .. "glimit", group)
                call("HGET", base .. "gactive", group)
                call("ZCARD", lane)
            end
            i = i + step
        end
    end
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
--- Raises the tokens of jobs that are about to be claimed for the first time by those of the former lives of their ids;
-- answers these by their place, 0 for none. Reads only.
-- 
-- @cold
local function recallTokens(s, base, ids, tokens)
    --- Tokens below one minute of the score: 2^27. With minutes below 2^26 (until 2097) the sum stays below 2^53.
    local TOKEN_SPAN = 134217728
    local formers = {}
    local stop = #ids
    do
        local i = 0
        while i < stop do
            local ____temp_0
            if tokens[i + 1] == 1 then
                ____temp_0 = s.call("ZSCORE", base .. "tokens", ids[i + 1])
            else
                ____temp_0 = false
            end
            local score = ____temp_0
            local packed = score == false and 0 or s.num(score)
            local former = packed - math.floor(packed / TOKEN_SPAN) * TOKEN_SPAN
            local ____tokens_1, ____temp_2 = tokens, i + 1
            ____tokens_1[____temp_2] = ____tokens_1[____temp_2] + former
            formers[i + 1] = former
            i = i + 1
        end
    end
    return formers
end
--- Books the former tokens of jobs that have just been claimed as interruptions, in their rows and in what the act
-- answers (eight parts a job, from `from` on), and forgets them.
-- 
-- @cold
local function bookTokens(s, base, ids, formers, jobs, from)
    local stop = #ids
    do
        local i = 0
        while i < stop do
            if formers[i + 1] > 0 then
                s.call("ZREM", base .. "tokens", ids[i + 1])
                s.call("HSET", (base .. "job:") .. ids[i + 1], "deferred", formers[i + 1])
                jobs[from + i * 8 + 7 + 1] = formers[i + 1]
            end
            i = i + 1
        end
    end
end
--- Ids looked at by one act, at most; also the most claimed.
local LOOKS_MAX = 1000
--- Payload bytes that one act answers, at most, unless a single job holds more.
local PAYLOAD_MAX = 1048576
--- Members of one pass, well below what a call can spread.
local PASS_MAX = 400
--- A claim that has nothing yet.
local function startClaim(base, active, worker, leaseMs)
    return {
        base = base,
        active = active,
        worker = worker,
        leaseMs = leaseMs,
        jobs = {},
        taken = 0,
        looks = 0,
        payload = 0,
        full = false,
        tokens = -1,
        held = false,
        late = {}
    }
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
--- The last instant that a score holds exactly.
local MS_MAX = 9007199254740991
--- Whether the row of a lane's job says that it must not run yet; its `due` is the tenth of the fields.
local function isLate(s, fields)
    local due = fields[10]
    return due ~= false and s.int(due, 0, MS_MAX) and s.num(due) > s.now()
end
--- Puts jobs that must not run yet into the schedule. They have left their lane; if it is ordered, there is one, and it
-- holds the lane.
-- 
-- @cold
local function postpone(s, lease, pass, lane)
    local call = s.call
    local stop = #pass.late
    do
        local i = 0
        while i < stop do
            local id = pass.late[i + 1]
            local row = (lease.base .. "job:") .. id
            if lease.held then
                call(
                    "HSET",
                    row,
                    "state",
                    "scheduled",
                    "held",
                    "1"
                )
                call("HINCRBY", lease.base .. "gactive", lane, 1)
            else
                call("HSET", row, "state", "scheduled")
            end
            call("HDEL", row, "owner")
            call("ZADD", lease.base .. "schedule", pass.dues[i + 1], id)
            lease.late[#lease.late + 1] = id
            i = i + 1
        end
    end
end
--- Notes a job that must not run yet, after reading what putting it into the schedule writes to.
-- 
-- @cold
local function noteLate(s, lease, pass, id, due, lane)
    --- Whether the lane of a row is in strict order. To be asked before the first write.
    local function isOrdered(s, base, group)
        return group ~= false and s.call("SISMEMBER", base .. "gordered", group) == 1
    end
    local at = #pass.late
    if at == 0 then
        s.call("ZCARD", lease.base .. "schedule")
    end
    pass.late[at + 1] = id
    pass.dues[at + 1] = due == false and "0" or due
    if isOrdered(s, lease.base, lane) then
        lease.held = true
    end
end
--- Leases ids that have left their set, from their rows as they were read, and adds them to what the act answers.
local function leaseAll(s, claim, pass, lane)
    local call = s.call
    local jobs = claim.jobs
    local ids = pass.ids
    local stop = #ids
    local from = #jobs
    local formers = claim.tokens > 0 and recallTokens(s, claim.base, ids, pass.tokens) or ({})
    do
        local i = 0
        while i < stop do
            local fields = pass.fields[i + 1]
            local row = pass.rows[i + 1]
            local token = pass.tokens[i + 1]
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
            local group = fields[6]
            if lane == "" and group ~= false then
                occupyLane(s, claim.base, group)
            end
            local at = #jobs
            jobs[at + 1] = ids[i + 1]
            jobs[at + 1 + 1] = token
            jobs[at + 2 + 1] = fields[3] == false and "" or fields[3]
            jobs[at + 3 + 1] = fields[4] == false and "" or fields[4]
            jobs[at + 4 + 1] = fields[5] == false and "" or fields[5]
            jobs[at + 5 + 1] = group == false and "" or group
            jobs[at + 6 + 1] = fields[7] == false and "" or fields[7]
            jobs[at + 7 + 1] = fields[8] == false and "" or fields[8]
            i = i + 1
        end
    end
    if #formers > 0 then
        bookTokens(
            s,
            claim.base,
            ids,
            formers,
            jobs,
            from
        )
    end
    writeLeases(s, claim.active, ids, claim.leaseMs)
    if lane ~= "" and stop > 0 then
        call("HINCRBY", claim.base .. "gactive", lane, stop)
    end
end
--- Reads the row of a waiting id. Its `attempts` come back as `false` when it cannot be leased: the row is gone or waits
-- elsewhere, or the payload would pass the budget, which also sets `full`. A flat claim with a worker does not ask for
-- the owner, since it overwrites it.
local function readWaiting(s, claim, row, lane)
    local call = s.call
    if claim.tokens < 0 then
        claim.tokens = call("ZCARD", claim.base .. "tokens")
    end
    local fields
    if lane ~= "" then
        fields = call(
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
            "owner",
            "due"
        )
    elseif claim.worker ~= "" then
        fields = call(
            "HMGET",
            row,
            "state",
            "attempts",
            "payload",
            "name",
            "opts",
            "group",
            "stalled",
            "deferred"
        )
    else
        fields = call(
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
    end
    local group = fields[6]
    if fields[1] ~= "pending" or lane ~= "" and group ~= lane then
        fields[2] = false
    elseif fields[2] ~= false then
        local bytes = fields[3] == false and 0 or #fields[3]
        if claim.payload > 0 and claim.payload + bytes > PAYLOAD_MAX then
            claim.full = true
            fields[2] = false
        else
            claim.payload = claim.payload + bytes
            if lane == "" and group ~= false then
                readLanes(s, claim.base, {group}, 1)
            end
        end
    end
    return fields
end
--- Reads the rows of waiting ids until the claim is full or a head holds its lane; answers how many ids are to leave the
-- set.
local function readPass(s, claim, pass, waiting, lane)
    local prefix = claim.base .. "job:"
    local ids = pass.ids
    local stop = #waiting
    local looked = 0
    while looked < stop and not claim.full and not claim.held do
        local row = prefix .. waiting[looked + 1]
        local fields = readWaiting(s, claim, row, lane)
        local attempts = fields[2]
        if attempts ~= false and lane ~= "" and isLate(s, fields) then
            noteLate(
                s,
                claim,
                pass,
                waiting[looked + 1],
                fields[10],
                lane
            )
        elseif attempts ~= false then
            local at = #ids
            pass.tokens[at + 1] = s.num(attempts) + 1
            ids[at + 1] = waiting[looked + 1]
            pass.rows[at + 1] = row
            pass.fields[at + 1] = fields
        end
        if not claim.full then
            looked = looked + 1
        end
    end
    return looked
end
--- Claims up to `want` jobs from one sorted set: the flat queue (`lane` empty) or a lane. Answers how many; fewer than
-- `want` means that the set is empty or that the claim is `full`.
local function claimFrom(s, claim, key, lane, want)
    local call = s.call
    local taken = 0
    while taken < want and not claim.full and not claim.held do
        local room = math.min(want - taken, PASS_MAX, LOOKS_MAX - claim.looks)
        if room <= 0 then
            claim.full = true
            return taken
        end
        local waiting = call("ZRANGE", key, 0, room - 1)
        local stop = #waiting
        if stop == 0 then
            return taken
        end
        local pass = {
            ids = {},
            rows = {},
            tokens = {},
            fields = {},
            late = {},
            dues = {}
        }
        local looked = readPass(
            s,
            claim,
            pass,
            waiting,
            lane
        )
        if looked > 0 then
            call("ZREMRANGEBYRANK", key, 0, looked - 1)
            leaseAll(s, claim, pass, lane)
            if #pass.late > 0 then
                postpone(s, claim, pass, lane)
            end
        end
        taken = taken + #pass.ids
        claim.taken = claim.taken + #pass.ids
        claim.looks = claim.looks + looked
        if stop < room then
            return taken
        end
    end
    return taken
end
--- Whether the queue is not paused. A `meta` of a foreign type raises, so a claim fails closed.
local function isOpen(s, base)
    return s.call("HEXISTS", base .. "meta", "paused") == 0
end
--- Jobs of one claim, at most.
local LANE_JOBS_MAX = 1000
--- How much a claim takes of its lane: as its weight says.
local BY_WEIGHT = 0
--- Serves the lane at the head of the ring; answers whether there was one. `most` is a number of jobs, or `BY_WEIGHT`.
local function serveOne(s, claim, most)
    local call = s.call
    local base = claim.base
    local ring = base .. "ring"
    local group = call("LINDEX", ring, 0)
    if group == false then
        return false
    end
    local key = laneKey(base, group)
    local limit = call("HGET", base .. "glimit", group)
    local active = countOf(
        s,
        call("HGET", base .. "gactive", group)
    )
    local weight = most == BY_WEIGHT and math.max(
        1,
        countOf(
            s,
            call("HGET", base .. "gweight", group)
        )
    ) or most
    local wanted = math.min(weight, LANE_JOBS_MAX)
    local headroom = limit == false and LANE_JOBS_MAX + 1 or math.max(
        0,
        s.num(limit) - active
    )
    local got = claimFrom(
        s,
        claim,
        key,
        group,
        math.min(wanted, headroom)
    )
    local kept = claim.held and 1 or 0
    claim.held = false
    claim.looks = claim.looks + 1
    if call("ZCARD", key) == 0 or limit ~= false and got + kept >= headroom then
        call("LPOP", ring)
    else
        call(
            "LMOVE",
            ring,
            ring,
            "LEFT",
            "RIGHT"
        )
    end
    return true
end
--- Pushes if one of the jobs that went into the schedule stands at its head.
-- 
-- @cold
local function pushIfLate(s, lease)
    --- The list stays within 64 tokens for foreign readers; 62 is the last index kept before one more is pushed.
    local LAST_KEPT = 62
    --- Pushes one token unless one lies there already.
    -- 
    -- The trim does nothing to a list that is absent, but it is a write that a full server admits, and after one such write
    -- the server admits the push as well: settling must work at `maxmemory`.
    local function push(s, wake)
        local call = s.call
        if call("EXISTS", wake) == 0 then
            call("LTRIM", wake, 0, LAST_KEPT)
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
    for ____, id in ipairs(lease.late) do
        pushIfHead(s, lease.base, id)
    end
end
--- Claims from the first lane of the ring that gives anything.
local function claimLane(s, claim, most)
    local call = s.call
    call("ZCARD", claim.active)
    call("HGET", claim.base .. "gactive", "")
    local turns = call("LLEN", claim.base .. "ring")
    while turns > 0 and claim.taken == 0 and not claim.full and claim.looks < LANE_JOBS_MAX do
        turns = serveOne(s, claim, most) and turns - 1 or 0
    end
    if #claim.late > 0 then
        pushIfLate(s, claim)
    end
end
--- The claimed jobs as (id, payload, token, lane).
local function laneJobs(claim)
    local out = {}
    local jobs = claim.jobs
    local stop = #jobs
    do
        local i = 0
        while i < stop do
            out[#out + 1] = {jobs[i + 1], jobs[i + 2 + 1], jobs[i + 1 + 1], jobs[i + 5 + 1]}
            i = i + 8
        end
    end
    return out
end
--- Keys: ring, active, base. Arguments: lease_ms, size or 0. Answers a list of id, payload, attempts, group.
local function gbclaim(s, keys, args)
    local refusal = checkGbclaim(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    if not isOpen(s, keys[3]) then
        return {}
    end
    local taken = startClaim(
        keys[3],
        keys[2],
        "",
        s.num(args[1])
    )
    local size = s.num(args[2])
    claimLane(s, taken, size == 0 and LANE_JOBS_MAX or size)
    return laneJobs(taken)
end
return gbclaim(s, KEYS, ARGV)
