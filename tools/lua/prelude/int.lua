--- Whether text is a canonical decimal integer from min to max.
local function int(text, min, max)
    if #text > 16 or (text ~= "0" and not string.find(text, "^[1-9]%d*$")) then
        return false
    end
    local number = tonumber(text)
    return number >= min and number <= max
end
