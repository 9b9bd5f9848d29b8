-- Appends captured calls to the history stream, unless the bot is gone or keeps no history. A batch that was appended
-- before is skipped, because only its reply was lost.
-- KEYS  1 state  2 history  3 pending turns  4 batches: bot id → number of the process's newest batch
--       5 activity of the bot  6 activity of the shard  7 live stream
-- ARGV  1 registration id  2 now (ms)  3 bot id  4 number of the batch, above all earlier ones of the process
--       5… the calls' records, as lib/history-records.lua says
-- RESULT -2 when the bot is not set up, -1 when not kept, else whether to wake the history writer (0/1)
-- @include history-records
-- @include state
-- @include activity
-- @include live
local BATCHES_LIFE_S = 3600

-- @read s <- KEYS[1]: registrationId, manage, watchedUntil
if not s.registrationId then return -2 end
if s.registrationId ~= ARGV[1] or s.manage ~= '1' then return -1 end
if tonumber(redis.call('HGET', KEYS[4], ARGV[3]) or 0) < tonumber(ARGV[4]) then
  countActivity(KEYS[5], KEYS[6], ARGV[2], 0, 0, 0, 0, addHistoryRecords(KEYS[2], ARGV, 5))
  if tonumber(s.watchedUntil or 0) > tonumber(ARGV[2]) then
    addLiveRecords(KEYS[7], ARGV, 5)
    announceLive(ARGV[3])
  end
  redis.call('HSET', KEYS[4], ARGV[3], ARGV[4])
  redis.call('EXPIRE', KEYS[4], BATCHES_LIFE_S)
end
return redis.call('ZADD', KEYS[3], 'NX', ARGV[2], 'history')
