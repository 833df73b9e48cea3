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
