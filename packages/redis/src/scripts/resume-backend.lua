-- Makes everything that waits for the backend of a bot, or of one of its programs, due now. While the breaker is open,
-- only one probe is due; if it fails, the probe intervals start again from the shortest.
-- KEYS  1 state  2 lanes  3 pending turns  4 hash with the breaker: that of the program, or the state
-- ARGV  1 registration id  2 now (ms)  3 bot id  4 id of the program ('' for the bot's own backend)
-- RESULT {'GONE'} | {'OFF'} when nothing is sent to the backend | {'OK'}: wake its turn
-- @include state
-- @include lanes
local own, now, botId, program = KEYS[4], ARGV[2], ARGV[3], ARGV[4]
-- @read bot <- KEYS[1]: registrationId, on, programs
-- @read s <- own: push, openUntil
if bot.registrationId ~= ARGV[1] then return { 'GONE' } end
local isAwake = program == '' or string.find(',' .. (bot.programs or '') .. ',', ',' .. program .. ',', 1, true)
if bot.on ~= '1' or s.push ~= '1' or not isAwake then return { 'OFF' } end
if s.openUntil then
  writeState(own, { '@openUntil', now })
  redis.call('HDEL', own, '@probeIntervalMs')
end
allDueNow(KEYS[2], tonumber(now))
redis.call('ZADD', KEYS[3], 'NX', now, botId .. (program == '' and ':push' or ':program:' .. program))
-- A turn that runs looks again at once.
redis.call('PUBLISH', 'flotilla:turn-news', botId)
return { 'OK' }
