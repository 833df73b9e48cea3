-- EMQ.EXPECT: Tells a parent of children that it did not know of.
-- KEYS: row, base
-- ARGV: id, token, ...
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
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
--- Whether text may name a lane: 1 to 256 bytes, no brace, no NUL.
local function name(text)
    return #text >= 1 and #text <= 256 and not string.find(text, "[{}%z]")
end
local s = {base = base, branded = branded, call = redis.call, char = char, error = redis.error_reply, int = int, name = name, num = tonumber}
--- Whether the queue is not paused. A `meta` of a foreign type raises, so a claim fails closed.
local function isOpen(s, base)
    return s.call("HEXISTS", base .. "meta", "paused") == 0
end
--- The name of the queue of a base key.
local function queueOf(base)
    return string.sub(base, 6, -3)
end
--- Whether what a parent knows of a child says that it is forgotten.
local function isForgotten(s, known)
    return known ~= false and s.char(known, 0) == "-"
end
--- How many children a count says are open; what is no count says none.
local function openIn(s, count)
    return count ~= false and s.int(count, 0, 9007199254740991) and s.num(count) or 0
end
--- Whether a word is a policy.
local function isPolicy(word)
    return word == "fp" or word == "id" or word == "co" or word == "rm"
end
--- Whether text may be the name under which a parent knows a child: up to 256 bytes, no NUL.
local function isKey(text)
    return #text <= 256 and (string.find(text, "\0", nil, true) or 0) - 1 < 0
end
--- The name of the first bad value of the child at `at`: id, queue or empty, policy.
local function badChildOf(s, args, at)
    if not s.branded(args[at + 1]) then
        return "child_id"
    end
    if args[at + 2] ~= "" and not s.name(args[at + 2]) then
        return "child_queue"
    end
    return isPolicy(args[at + 3]) and "" or "policy"
end
--- The name of the first bad argument of `EXPECT`: children, each with the job that stands for it or empty.
local function badExpect(s, args, from)
    local stop = #args
    if args[from] ~= "" and not s.int(args[from], 0, 9007199254740991) then
        return "token"
    end
    if stop == from or stop - from > 1000 * 5 then
        return "group"
    end
    for at = from, stop - 1, 5 do
        if at + 5 > stop then
            return "group"
        end
        local bad = badChildOf(s, args, at)
        if bad ~= "" then
            return bad
        end
        if args[at + 1] == args[from - 2 + 1] then
            return "child_id"
        end
        if args[at + 4] ~= "" and not s.branded(args[at + 4]) then
            return "job_id"
        end
        if not isKey(args[at + 5]) then
            return "key"
        end
    end
    return ""
end
--- Shape, values and layout of `EMQ.EXPECT`: the text of the refusal, empty when all is well.
local function checkExpect(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.EXPECT takes 2 keys"
    end
    if #args < 2 then
        return "ERR wrong number of arguments for 'EMQ.EXPECT' command"
    end
    local bad = badExpect(s, args, 2)
    if bad ~= "" then
        return "ERR EMQ.EXPECT bad argument " .. bad
    end
    local base = keys[2]
    if not s.base(base) or keys[1] ~= base .. "job:" .. args[1] then
        return "ERR EMQ.EXPECT keys do not match the wire-4 layout"
    end
    return ""
end
--- What is kept of a child whose id, queue and policy stand at `at`. `job` stands for it, and `key` names it; each empty
-- for none.
local function childEntry(base, args, at, job, key)
    local queue = args[at + 2] == queueOf(base) and "" or args[at + 2]
    local entry = args[at + 3] .. "\0" .. queue
    if key ~= "" then
        return entry .. "\0" .. job .. "\0" .. key
    end
    return job == "" and entry or entry .. "\0" .. job
end
--- Whether a token is the current one. No claim ever gave `0`, although a row is born with that number.
local function isCurrent(attempts, token)
    return token ~= "0" and attempts == token
end
--- Tells of one child, at `at`. Answers 0 when it has ended, 1 when it is open, 2 when it is open and new.
local function expectOne(s, base, row, args, at)
    local call = s.call
    local id = args[at + 1]
    local policy = args[at + 3]
    local children = row .. ":children"
    local known = call("HGET", children, id)
    if isForgotten(s, known) then
        return 0
    end
    local isIgnored = call("HEXISTS", row .. ":unsuccessful", id) == 1
    local hasEnded = isIgnored or call("HEXISTS", row .. ":processed", id) == 1
    if known == false and isIgnored and policy == "rm" then
        call("HDEL", row .. ":unsuccessful", id)
        local entry = childEntry(
            base,
            args,
            at,
            args[at + 4],
            args[at + 5]
        )
        call(
            "HSET",
            children,
            id,
            "-" .. string.sub(entry, 3)
        )
        return 0
    end
    if known == false or args[at + 4] ~= "" then
        call(
            "HSET",
            children,
            id,
            childEntry(
                base,
                args,
                at,
                args[at + 4],
                args[at + 5]
            )
        )
    end
    if known == false and isIgnored and policy == "co" then
        call("HSET", row, "eager", "1")
    end
    if hasEnded then
        return 0
    end
    return known == false and 2 or 1
end
--- The children of the call that a parent knows and that have not ended, for one that does not wait now: it runs, or is
-- going to, before all of them have ended, and may come to wait for the others.
local function openOnes(s, row, args)
    local call = s.call
    local open = {}
    do
        local at = 2
        while at < #args do
            local id = args[at + 1]
            local known = call("HGET", row .. ":children", id)
            local isOpen = known ~= false and not isForgotten(s, known)
            for ____, side in ipairs({"processed", "unsuccessful", "failed"}) do
                if isOpen and call("HEXISTS", row .. ":" .. side, id) == 1 then
                    isOpen = false
                end
            end
            if isOpen then
                open[#open + 1] = id
            end
            at = at + 5
        end
    end
    return open
end
--- Keys: row, base. Arguments: id, token or empty, children. Answers those that are open, 0 or -1.
local function expect(s, keys, args)
    local refusal = checkExpect(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local row = keys[1]
    local base = keys[2]
    local token = args[2]
    local fields = call("HMGET", row, "attempts", "state")
    if fields[1] == false then
        return -1
    end
    if token ~= "" and not isCurrent(fields[1], token) then
        return s.error("EMQSTALE expect token mismatch")
    end
    if token ~= "" and fields[2] ~= "active" then
        return s.error("EMQSTATE job is not active")
    end
    if token == "" and fields[2] ~= "awaiting_children" then
        return (fields[2] == "dead" or fields[2] == "completed") and 0 or openOnes(s, row, args)
    end
    local stop = #args
    if call("HLEN", row .. ":children") + (stop - 2) / 5 > 10000 then
        return s.error("EMQFULL children of a job")
    end
    local left = openIn(
        s,
        call("GET", row .. ":dependencies")
    )
    call("HLEN", row .. ":processed")
    call("HLEN", row .. ":unsuccessful")
    local open = {}
    for at = 2, stop - 1, 5 do
        local found = expectOne(
            s,
            base,
            row,
            args,
            at
        )
        if found > 0 then
            open[#open + 1] = args[at + 1]
        end
        if found == 2 then
            left = left + 1
        end
    end
    call("SET", row .. ":dependencies", left)
    return open
end
return expect(s, KEYS, ARGV)
