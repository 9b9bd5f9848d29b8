-- Appends captured calls to the history stream, unless the bot is gone or keeps no history. A batch that was appended
-- before is skipped, because only its reply was lost.
-- KEYS  1 state  2 history  3 pending turns  4 batches: bot id → number of the process's newest batch
--       5 activity of the bot  6 activity of the shard  7 live stream
-- ARGV  1 registration id  2 now (ms)  3 bot id  4 number of the batch, above all earlier ones of the process
--       5… a call each, in lines: captured at (ms), method, params (JSON), actor (JSON, '' if only the bot is known), key
--          of its audit entry ('' for none), why parameters are missing ('' if none are), and the rest is the result
--          (JSON).
--          packages/domain/src/history/stream/history-codec.ts writes them and reads the records
-- RESULT -2 when the bot is not set up, -1 when not kept, else whether to wake the history writer (0/1)
-- @include state
-- @include activity
-- @include live
local BATCHES_LIFE_S = 3600
local FIRST_CALL = 5
local CALL = '^(%d+)\n(%l+)\n([^\n]*)\n([^\n]*)\n([^\n]*)\n([^\n]*)\n()'

local history, now, botId = KEYS[2], ARGV[2], ARGV[3]
-- @read s <- KEYS[1]: registrationId, manage, watchedUntil
if not s.registrationId then return -2 end
if s.registrationId ~= ARGV[1] or s.manage ~= '1' then return -1 end

local function recordOf(call)
  local at, method, params, actor, auditKey, incomplete, result = string.match(call, CALL)
  local record = { 't', 'call', 'b', botId, 'g', ARGV[1], 'a', at, 'm', method, 'p', params, 'r', string.sub(call, result) }
  if actor ~= '' then addField(record, 'u', actor) end
  if auditKey ~= '' then addField(record, 'c', auditKey) end
  if incomplete ~= '' then addField(record, 'n', incomplete) end
  return record
end

if tonumber(redis.call('HGET', KEYS[4], botId) or 0) < tonumber(ARGV[4]) then
  local watched = tonumber(s.watchedUntil or 0) > tonumber(now)
  for i = FIRST_CALL, #ARGV do
    local record = recordOf(ARGV[i])
    redis.call('XADD', history, '*', unpack(record))
    if watched then addLive(KEYS[7], #table.concat(record), unpack(record)) end
  end
  countActivity(KEYS[5], KEYS[6], now, 0, 0, 0, 0, #ARGV - FIRST_CALL + 1)
  if watched then announceLive(botId) end
  redis.call('HSET', KEYS[4], botId, ARGV[4])
  redis.call('EXPIRE', KEYS[4], BATCHES_LIFE_S)
end
return redis.call('ZADD', KEYS[3], 'NX', now, 'history')
