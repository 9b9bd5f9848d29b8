-- Puts a copy of an update at the end of the lane of its chat, for one attempt.
-- @keys state, holds, lanes, redriven, work, pendingTurns
--   readerState  hash of the reader: that of the program, or the state
-- @args registrationId: text, botId: digits, lanePrefix: text
--   programId: digits?  absent for the bot's own backend
--   conversation: text?  '<chat>', or '<chat>:<business connection>', whose hold keeps it back; absent: none does
--   copyId: text  its name in the lane, which begins with 'rc'
--   id: digits, kind: text, lane: text, raw: text  of the update
--   beginsWithinMs: number  later it leaves the lane without an attempt
-- @reply
--   GONE
--   OFF  nothing is sent to the backend
--   HELD  a person has taken the chat over
--   WAITS  the update itself waits in the lane
--   BEHIND  an earlier update of the chat is retried, or the breaker is open
--   OK  wake its turn
-- @include hold
-- @include pending
-- @include clock
-- @read bot <- state: registrationId, on, wokenPrograms
-- @read s <- readerState: push, openUntil
if bot.registrationId ~= registrationId then return { 'GONE' } end
local isAwake = programId == ''
  or string.find(',' .. (bot.wokenPrograms or '') .. ',', ',' .. programId .. ',', 1, true)
if bot.on ~= '1' or s.push ~= '1' or not isAwake then return { 'OFF' } end
local now = serverNow()
if conversation ~= '' and heldNow(holds, conversation, now) then return { 'HELD' } end
local waiting = lanePrefix .. lane
if redis.call('LPOS', waiting, id) then return { 'WAITS' } end
local head = redis.call('LINDEX', waiting, 0)
if s.openUntil or (head and redis.call('HEXISTS', work, 'r:' .. head) == 1) then return { 'BEHIND' } end
local entry =
  { id = tonumber(id), raw = raw, kind = kind, lane = lane, at = now, expires = now + beginsWithinMs, copy = true }
redis.call('HSET', redriven, copyId, cjson.encode(entry))
redis.call('RPUSH', waiting, copyId)
redis.call('ZADD', lanes, 'NX', now, lane)
redis.call('HINCRBY', readerState, '@pushPending', 1)
local turn = botId .. (programId == '' and ':push' or ':program:' .. programId)
local _, _, held = makePending(pendingTurns, { turn }, now)
tellHeld(held)
return { 'OK' }
