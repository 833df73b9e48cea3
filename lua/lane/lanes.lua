-- EMQ.LANES: Lists the lanes on the ring, in the order of their turns.
-- KEYS: ring, base
-- ARGV: cursor, n
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
local s = {base = base, call = redis.call, error = redis.error_reply, int = int, name = name, num = tonumber}
--- Shape, values and layout of `EMQ.LANES`: the text of the refusal, empty when all is well.
local function checkLanes(s, keys, args)
    if #keys ~= 2 then
        return "ERR EMQ.LANES takes 2 keys"
    end
    if #args ~= 2 then
        return "ERR wrong number of arguments for 'EMQ.LANES' command"
    end
    if args[1] ~= "" and not s.name(args[1]) then
        return "ERR EMQ.LANES bad argument cursor"
    end
    if not s.int(args[2], 1, 1000) then
        return "ERR EMQ.LANES bad argument n"
    end
    local base = keys[2]
    if not s.base(base) or keys[1] ~= base .. "ring" then
        return "ERR EMQ.LANES keys do not match the wire-4 layout"
    end
    return ""
end
--- Keys: ring, base. Arguments: cursor or empty, n. Answers how many there are, then names; nothing if the cursor is
-- gone.
local function lanes(s, keys, args)
    local refusal = checkLanes(s, keys, args)
    if refusal ~= "" then
        return s.error(refusal)
    end
    local call = s.call
    local ring = keys[1]
    local most = s.num(args[2])
    local lanes = call("LLEN", ring)
    local at = -1
    if args[1] ~= "" then
        local found = call(
            "LPOS",
            ring,
            args[1],
            "COUNT",
            1
        )
        if #found == 0 then
            return {}
        end
        at = found[1]
    end
    local count = math.min(most, lanes)
    local out = {lanes}
    if count == 0 then
        return out
    end
    for ____, lane in ipairs(call(
        "LRANGE",
        ring,
        at + 1,
        math.min(at + count, lanes - 1)
    )) do
        out[#out + 1] = lane
    end
    local rest = count + 1 - #out
    if rest > 0 then
        for ____, lane in ipairs(call("LRANGE", ring, 0, rest - 1)) do
            out[#out + 1] = lane
        end
    end
    return out
end
return lanes(s, KEYS, ARGV)
