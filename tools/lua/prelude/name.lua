--- Whether text may name a lane: 1 to 256 bytes, no brace, no NUL.
local function name(text)
    return #text >= 1 and #text <= 256 and not string.find(text, "[{}%z]")
end
