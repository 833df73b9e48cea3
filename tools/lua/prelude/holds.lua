--- What kind of value a key holds. The server answers with a status, which its Lua gives as a table.
local function holds(key)
    return redis.call("TYPE", key).ok
end
