-- Puts captured calls on the history stream, unless the bot is gone or keeps no history.
-- KEYS  1 state  2 history  3 dirty
-- ARGV  1 generation  2 now (ms)  3 bot id  4… per call: method, parameters (JSON), result (raw JSON), who had it made (JSON, or '')
-- RESULT -1 when not kept, else whether to wake the history writer (0/1)
local s = redis.call('HMGET', KEYS[1], 'gen', 'manage')
if s[1] ~= ARGV[1] or s[2] ~= '1' then return -1 end
for i = 4, #ARGV, 4 do
  local entry = { 't', 'call', 'b', ARGV[3], 'g', ARGV[1], 'a', ARGV[2],
    'm', ARGV[i], 'p', ARGV[i + 1], 'r', ARGV[i + 2] }
  if ARGV[i + 3] ~= '' then
    entry[#entry + 1] = 'u'
    entry[#entry + 1] = ARGV[i + 3]
  end
  redis.call('XADD', KEYS[2], '*', unpack(entry))
end
return redis.call('ZADD', KEYS[3], 'NX', ARGV[2], 'history')
