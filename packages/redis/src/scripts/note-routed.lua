-- Stores the progress of a unit's routing, and appends links between messages to the history stream.
-- KEYS  1 state  2 work of rules  3 history  4 pending turns
-- ARGV  1 registration id  2 fencing token  3 now (ms)  4 bot id  5 id in its lane  6 progress (JSON)  7… the links' records, as
--       lib/history-records.lua says
-- RESULT {'GONE'} | {'FENCED' or 'OK', wake history (0/1)}: links are kept even from an owner that was replaced
-- @include history-records
-- @include state
-- @read s <- KEYS[1]: registrationId, rulesFencingToken
if s.registrationId ~= ARGV[1] then return { 'GONE' } end
local wakeHistory = 0
addHistoryRecords(KEYS[3], ARGV, 7)
if #ARGV > 6 then wakeHistory = redis.call('ZADD', KEYS[4], 'NX', ARGV[3], 'history') end
if s.rulesFencingToken ~= ARGV[2] then return { 'FENCED', wakeHistory } end
redis.call('HSET', KEYS[2], 'p:' .. ARGV[5], ARGV[6])
return { 'OK', wakeHistory }
