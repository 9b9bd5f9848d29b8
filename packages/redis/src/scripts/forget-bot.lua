-- Deletes the keys of a bot, except its seen bitmaps and hours of activity, which the caller finds by prefix.
-- @keys state, log, consumers
--   deliveredAhead  ids that push has delivered
--   lanes, inFlight, work, redriven, attempts, pendingTurns
--   rulesLanes, rulesInFlight, rulesWork, rulesRedriven, rulesAttempts, accepted, recent, live, decisions, holds, missed, heldChats, failing
-- @args botId: digits
--   lanePrefix: text, rulesLanePrefix: text, programPrefix: text  of the keys of lanes and programs
-- @reply flag
-- @include programs
for _, lane in ipairs(redis.call('ZRANGE', lanes, 0, -1)) do
  redis.call('DEL', lanePrefix .. lane)
end
for _, lane in ipairs(redis.call('ZRANGE', rulesLanes, 0, -1)) do
  redis.call('DEL', rulesLanePrefix .. lane)
end
redis.call('ZREM', pendingTurns, botId .. ':push', botId .. ':rules')
for _, name in ipairs(redis.call('HKEYS', consumers)) do
  if isProgram(name) then
    forgetProgram(programKeys(programPrefix, string.sub(name, 9)))
    redis.call('ZREM', pendingTurns, botId .. ':' .. name)
  end
end
for _, chat in ipairs(redis.call('HKEYS', holds)) do
  redis.call('ZREM', heldChats, botId .. ':' .. chat)
end
redis.call('ZREM', failing, botId)
redis.call('DEL', state, log, consumers, deliveredAhead, lanes, inFlight, work, redriven, attempts)
redis.call(
  'DEL',
  rulesLanes,
  rulesInFlight,
  rulesWork,
  rulesRedriven,
  rulesAttempts,
  accepted,
  recent,
  live,
  decisions,
  holds,
  missed
)
return 1
