-- Says that somebody watches a bot for the next seconds, so that its live stream is written. The stream has no holes: if
-- nobody watched for a while, it begins anew.
-- KEYS  1 state  2 live stream
-- ARGV  1 registration id  2 for how long (ms)  3 how old entries may become (ms)  4 time to live of the stream (ms)
-- RESULT {'GONE'} | {'OK', id of the newest entry}
-- @include state
-- @include clock
local state, live = KEYS[1], KEYS[2]
-- @read s <- state: registrationId, watchedUntil
if s.registrationId ~= ARGV[1] then return { 'GONE' } end
-- With different clocks, one caller would take another's watch for expired.
local now = serverNow()
if tonumber(s.watchedUntil or 0) < now or redis.call('EXISTS', live) == 0 then
  redis.call('XADD', live, '*', 't', 'begin')
  redis.call('XTRIM', live, 'MAXLEN', 1)
else
  -- Keep the newest of the old entries: a client that has read up to it has missed nothing.
  local old = redis.call('XREVRANGE', live, now - tonumber(ARGV[3]), '-', 'COUNT', 1)
  if #old > 0 then redis.call('XTRIM', live, 'MINID', old[1][1]) end
end
redis.call('PEXPIRE', live, ARGV[4])
writeState(state, { '@watchedUntil', now + tonumber(ARGV[2]) })
return { 'OK', redis.call('XREVRANGE', live, '+', '-', 'COUNT', 1)[1][1] }
