-- The server's time (ms). Scripts use no other one: the clocks of processes may differ.
local function serverNow()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
