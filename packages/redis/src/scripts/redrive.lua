-- Puts dead letters back at the end of their lanes, in the order given; one that is there already is skipped.
-- KEYS  1 state  2 lanes  3 redriven  4 pending turns  5 work of rules (for kind 'rules')  6 just redriven
--       7 hash of the program (for kind 'program:<id>')
-- ARGV  1 registration id  2 now (ms)  3 bot id  4 lane key prefix  5 expires at (ms)  6 kind ('push', 'rules' or 'program:<id>')
--       7 how long (ms) it is known which were put back  8… per dead letter: its id, update id, kind, lane, raw, progress of its routing (JSON or ''), album ('' for none)
-- RESULT {'GONE'} | {'OFF'} when there is no backend, or no rules | {'OK'}: wake a turn of that kind
-- @include state
-- @include pending
local reader = ARGV[6]
-- @read s <- KEYS[1]: registrationId, push, rules, programs
local ofProgram = KEYS[7] and redis.call('HGET', KEYS[7], '@push')
if s.registrationId ~= ARGV[1] then return { 'GONE' } end
if (KEYS[7] and ofProgram or s[reader]) ~= '1' then return { 'OFF' } end
-- If the caller ends before it removes them from Postgres, the repeated call must not send them twice.
for i = 8, #ARGV, 7 do
  local id, lane = 'r' .. ARGV[i], ARGV[i + 3]
  local entry = { id = tonumber(ARGV[i + 1]), raw = ARGV[i + 4], kind = ARGV[i + 2], lane = lane, at = tonumber(ARGV[2]), expires = tonumber(ARGV[5]) }
  if redis.call('SADD', KEYS[6], ARGV[i]) == 1 and redis.call('HSETNX', KEYS[3], id, cjson.encode(entry)) == 1 then
    redis.call('RPUSH', ARGV[4] .. lane, id)
    redis.call('ZADD', KEYS[2], 'NX', ARGV[2], lane)
    redis.call('HINCRBY', KEYS[7] or KEYS[1], reader == 'rules' and '@rulesPending' or '@pushPending', 1)
    if ARGV[i + 5] ~= '' then redis.call('HSET', KEYS[5], 'p:' .. id, ARGV[i + 5]) end
    if ARGV[i + 6] ~= '' then redis.call('HSET', KEYS[5], 'g:' .. id, ARGV[i + 6]) end
  end
end
redis.call('PEXPIRE', KEYS[6], ARGV[7])
-- A paused program needs no turn until it is enabled.
if not KEYS[7] or string.find(',' .. (s.programs or '') .. ',', ',' .. string.sub(reader, 9) .. ',', 1, true) then
  local _, _, held = makePending(KEYS[4], { ARGV[3] .. ':' .. reader }, tonumber(ARGV[2]))
  tellHeld(held)
end
return { 'OK' }
