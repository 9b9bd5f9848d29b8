-- Makes everything that waits for the backend of a bot, or of one of its programs, due now. While the breaker is open,
-- only one probe is due; if it fails, the probe intervals start again from the shortest.
-- @keys state, lanes, pendingTurns
--   readerState  hash with the breaker: that of the program, or the state
-- @args registrationId: text, botId: digits
--   programId: digits?  absent for the bot's own backend
-- @reply
--   GONE
--   OFF  nothing is sent to the backend
--   OK  wake its turn
-- @include state
-- @include lanes
-- @include clock
-- @read bot <- state: registrationId, on, wokenPrograms
-- @read s <- readerState: push, openUntil
if bot.registrationId ~= registrationId then return { 'GONE' } end
local isAwake = programId == ''
  or string.find(',' .. (bot.wokenPrograms or '') .. ',', ',' .. programId .. ',', 1, true)
if bot.on ~= '1' or s.push ~= '1' or not isAwake then return { 'OFF' } end
local now = serverNow()
if s.openUntil then
  writeState(readerState, { '@openUntil', now })
  redis.call('HDEL', readerState, '@probeIntervalMs')
end
allDueNow(lanes, now)
redis.call('ZADD', pendingTurns, 'NX', now, botId .. (programId == '' and ':push' or ':program:' .. programId))
-- A turn that runs looks again at once.
redis.call('PUBLISH', '@channels.turnNews', botId)
return { 'OK' }
