--- Whether text is a queue's base key. An empty name passes here; the native and the embedded form refuse it.
local function base(text)
    return string.find(text, "^emq:{[^{}%z]*}:$") ~= nil
end
