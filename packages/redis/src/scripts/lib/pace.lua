-- Times at which a bot sends, in lists: the newest first.

-- The earliest time from `from` on at which so many messages keep the distance and the window of these limits.
local function earliestTime(times, from, messages, limits)
  local at = from
  local newest = redis.call('LINDEX', times, 0)
  if newest then at = math.max(at, tonumber(newest) + limits.spacingMs) end
  local limiting = redis.call('LINDEX', times, limits.most - math.min(messages, limits.most))
  if limiting then at = math.max(at, tonumber(limiting) + limits.windowMs) end
  return at
end

-- Notes that so many messages are sent at that time, which is not before the newest that was noted.
local function noteTimes(times, at, messages, kept, livesMs)
  for _ = 1, math.min(messages, kept) do
    redis.call('LPUSH', times, at)
  end
  redis.call('LTRIM', times, 0, kept - 1)
  redis.call('PEXPIRE', times, math.ceil(livesMs))
end
