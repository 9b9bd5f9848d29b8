-- Remembers how far the routing of an update has come, and puts links between messages on the history stream.
-- KEYS  1 state  2 work of rules  3 history  4 pending turns
-- ARGV  1 registration id  2 fencing token  3 now (ms)  4 bot id  5 id in its lane  6 progress (JSON)  7… links (JSON)
-- RESULT {'GONE'} | {'FENCED' or 'OK', wake history (0/1)}: a link is kept even by an owner that was replaced
-- @include state
local s = readState(KEYS[1], { 'registrationId', 'rulesFencingToken' })
if s.registrationId ~= ARGV[1] then return { 'GONE' } end
local wakeHistory = 0
for i = 7, #ARGV do
  redis.call('XADD', KEYS[3], '*', 't', 'link', 'b', ARGV[4], 'g', ARGV[1], 'a', ARGV[3], 'l', ARGV[i])
end
if #ARGV > 6 then wakeHistory = redis.call('ZADD', KEYS[4], 'NX', ARGV[3], 'history') end
if s.rulesFencingToken ~= ARGV[2] then return { 'FENCED', wakeHistory } end
redis.call('HSET', KEYS[2], 'p:' .. ARGV[5], ARGV[6])
return { 'OK', wakeHistory }
