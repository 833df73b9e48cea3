--- The server's clock in whole Unix milliseconds, read once an act.
local instant = false
local function now()
    if instant == false then
        local clock = redis.call("TIME")
        instant = clock[1] * 1000 + math.floor(clock[2] / 1000)
    end
    return instant
end
