-- The server's time (ms): for what several processes compare, because their clocks may differ.
local function serverNow()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
