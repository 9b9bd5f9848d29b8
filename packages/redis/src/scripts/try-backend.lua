-- Makes everything that waits for a bot's backend due now. While the breaker is open, that is one probe, after whose
-- failure the intervals begin anew.
-- KEYS  1 state  2 lanes  3 pending turns
-- ARGV  1 registration id  2 now (ms)  3 bot id
-- RESULT {'GONE'} | {'OFF'} when nothing is sent to a backend | {'OK'}: wake its push
-- @include state
-- @include lanes
local state, now, botId = KEYS[1], ARGV[2], ARGV[3]
-- @read s <- state: registrationId, on, push, openUntil
if s.registrationId ~= ARGV[1] then return { 'GONE' } end
if s.on ~= '1' or s.push ~= '1' then return { 'OFF' } end
if s.openUntil then
  writeState(state, { '@openUntil', now })
  redis.call('HDEL', state, '@probeIntervalMs')
end
allDueNow(KEYS[2], tonumber(now))
redis.call('ZADD', KEYS[3], 'NX', now, botId .. ':push')
-- A turn that runs looks again at once.
redis.call('PUBLISH', 'flotilla:pushable', botId)
return { 'OK' }
