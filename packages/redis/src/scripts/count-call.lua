-- Counts a call against a rate, unless it is over the rate.
-- KEYS  1 calls of this second  2 calls of this minute
-- ARGV  1 most in a second ('' any)  2 most in a minute ('' any)  3 now (ms)
-- RESULT 0 when it was counted, else how many seconds to wait
local now = tonumber(ARGV[3])
local function isOver(key, most)
  return most ~= '' and tonumber(redis.call('GET', key) or 0) >= tonumber(most)
end
if isOver(KEYS[2], ARGV[2]) then return math.ceil((60000 - now % 60000) / 1000) end
if isOver(KEYS[1], ARGV[1]) then return 1 end
for at, life in ipairs({ 1000, 60000 }) do
  redis.call('INCR', KEYS[at])
  redis.call('PEXPIRE', KEYS[at], life)
end
return 0
