-- EMQ.WPAUSE: Pauses or resumes one worker of the queue.
-- KEYS: workers, base
-- ARGV: worker, paused
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
local s = {base = base, call = redis.call, error = redis.error_reply}
--- Shape, values and layout of `EMQ.WPAUSE`: the text of the refusal, empty when all is well.
local function checkWpause(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.WPAUSE takes 2 keys"
    end
    if #args ~= 2 then
        return "ERR wrong number of arguments for 'EMQ.WPAUSE' command"
    end
    if args[2] ~= "on" and args[2] ~= "off" then
        return "ERR EMQ.WPAUSE bad argument paused"
    end
    local base = keys[2]
    if not s.base(base) or keys[1] ~= base .. "workers" then
        return "ERR EMQ.WPAUSE keys do not match the wire-4 layout"
    end
    return ""
end
--- Tells workers that something about `name` was written.
local function tellControl(s, base, letter, name)
    s.call("PUBLISH", base .. "control", letter .. name)
end
--- Whether an entry says that its worker is to take no jobs.
local function isPausedEntry(entry)
    return entry ~= false and string.sub(entry, 1, 15) == "{\"paused\":true,"
end
--- An entry with that word, or without it.
local function pausedEntry(entry, isPaused)
    local rest = isPausedEntry(entry) and string.sub(entry, 16) or string.sub(entry, 2)
    return isPaused and "{\"paused\":true," .. rest or "{" .. rest
end
--- Keys: workers, base. Arguments: worker, on or off. Answers 1, 0 when it was so, -1 when no such worker is listed.
local function wpause(s, keys, args)
    local refusal = checkWpause(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local worker = args[1]
    local entry = call("HGET", keys[1], worker)
    if entry == false or string.sub(entry, 1, 1) ~= "{" then
        return -1
    end
    local isPaused = args[2] == "on"
    if isPausedEntry(entry) == isPaused then
        return 0
    end
    tellControl(s, keys[2], "w", worker)
    call("HDEL", keys[1], worker)
    call(
        "HSET",
        keys[1],
        worker,
        pausedEntry(entry, isPaused)
    )
    return 1
end
return wpause(s, KEYS, ARGV)
