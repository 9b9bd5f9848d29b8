-- Says that somebody watches a bot for the next seconds, so that its live stream is written. The stream has no holes: if
-- nobody watched for a while, it begins anew.
-- @keys state, live
-- @args registrationId: text
--   forMs: number  how long the bot counts as watched
--   keptMs: number  how old entries may become
--   lifeMs: number  time to live of the stream
-- @reply
--   GONE
--   OK newest: text  id of the newest entry
-- @include state
-- @include clock
-- @read s <- state: registrationId, watchedUntil
if s.registrationId ~= registrationId then return { 'GONE' } end
-- With different clocks, one caller would take another's watch for expired.
local now = serverNow()
if tonumber(s.watchedUntil or 0) < now or redis.call('EXISTS', live) == 0 then
  redis.call('XADD', live, '*', 't', 'begin')
  redis.call('XTRIM', live, 'MAXLEN', 1)
else
  -- Keep the newest of the old entries: a client that has read up to it has missed nothing.
  local old = redis.call('XREVRANGE', live, now - keptMs, '-', 'COUNT', 1)
  if #old > 0 then redis.call('XTRIM', live, 'MINID', old[1][1]) end
end
redis.call('PEXPIRE', live, lifeMs)
writeState(state, { '@watchedUntil', now + forMs })
return reply.OK { newest = redis.call('XREVRANGE', live, '+', '-', 'COUNT', 1)[1][1] }
