-- EMQ.SHOW: Tells what stands of some repeats of one set: their next occurrences and their records, at one instant.
-- KEYS: set, base
-- ARGV: ...
-- Generated from src/transition/ by `npm run generate`. Do not edit: a test fails when this file is stale.

--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
--- Whether text may name a lane: 1 to 256 bytes, no brace, no NUL.
local function name(text)
    return #text >= 1 and #text <= 256 and not string.find(text, "[{}%z]")
end
local s = {base = base, call = redis.call, error = redis.error_reply, name = name}
--- Shape, values and layout of `EMQ.SHOW`: the text of the refusal, empty when all is well.
local function checkShow(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.SHOW takes 2 keys"
    end
    if #args > 100 then
        return "ERR EMQ.SHOW bad argument name"
    end
    local base = keys[2]
    local plane = keys[1] == base .. "cron" and "cron" or "repeat"
    if not s.base(base) or keys[1] ~= base .. plane then
        return "ERR EMQ.SHOW keys do not match the wire-4 layout"
    end
    return ""
end
--- Keys: set, base. Arguments: names. Answers for each its score or the empty text, and its record.
local function show(s, keys, args)
    local refusal = checkShow(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local shown = {}
    for ____, name in ipairs(args) do
        local score = call("ZSCORE", keys[1], name)
        local one = {score == false and "" or score}
        if s.name(name) then
            for ____, part in ipairs(call("HGETALL", keys[1] .. ":" .. name)) do
                one[#one + 1] = part
            end
        end
        shown[#shown + 1] = one
    end
    return shown
end
return show(s, KEYS, ARGV)
