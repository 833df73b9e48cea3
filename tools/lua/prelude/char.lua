--- One byte of a text, counted from 0.
local function char(text, index)
    return string.sub(text, index + 1, index + 1)
end
