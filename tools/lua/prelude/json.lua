--- Escapes of control characters that have a short form.
local SHORT = {["\8"] = "\\b", ["\9"] = "\\t", ["\10"] = "\\n", ["\12"] = "\\f", ["\13"] = "\\r", ['"'] = '\\"', ["\\"] = "\\\\"}
--- The number of further bytes after a lead byte, and the range of the first of them; nil for a byte that cannot lead.
local function lead(byte)
    if byte >= 194 and byte <= 223 then return 1, 128, 191 end
    if byte == 224 then return 2, 160, 191 end
    if byte == 237 then return 2, 128, 159 end
    if byte >= 225 and byte <= 239 then return 2, 128, 191 end
    if byte == 240 then return 3, 144, 191 end
    if byte >= 241 and byte <= 243 then return 3, 128, 191 end
    if byte == 244 then return 3, 128, 143 end
    return nil
end
--- Replaces each maximal part that is no UTF-8 by U+FFFD.
local function repair(text)
    local out, at, size = {}, 1, #text
    while at <= size do
        local byte = string.byte(text, at)
        local more, low, high = lead(byte)
        local stop = at
        local whole = byte < 128
        if more then
            while stop - at < more do
                local following = string.byte(text, stop + 1)
                if not following or following < low or following > high then break end
                low, high = 128, 191
                stop = stop + 1
            end
            whole = stop - at == more
        end
        out[#out + 1] = whole and string.sub(text, at, stop) or "\239\191\189"
        at = stop + 1
    end
    return table.concat(out)
end
--- The text as a JSON string with its quotes.
local function json(text)
    local valid = string.find(text, "[\128-\255]") and repair(text) or text
    local escaped = string.gsub(valid, '[%z\1-\31"\\]', function(char)
        return SHORT[char] or string.format("\\u%04x", string.byte(char))
    end)
    return '"' .. escaped .. '"'
end
