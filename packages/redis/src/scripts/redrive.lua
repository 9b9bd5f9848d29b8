-- Gives dead letters back to the reader that they name, in the order given: to one with lanes at the end of their lanes, to
-- one that polls at the end of the log, under new ids. One that was given back already is skipped.
-- KEYS  1 state  2 lanes  3 redriven  4 pending turns  5 work of rules (for kind 'rules')  6 just redriven  7 log  8 consumers
--       9 hash of the program (for kind 'program:<id>')
-- ARGV  1 registration id  2 now (ms)  3 bot id  4 lane key prefix  5 expires at (ms)  6 kind ('push', 'rules' or 'program:<id>')
--       7 how long (ms) it is known which were put back  8 how many updates may wait for a reader that polls
--       9 the highest reserved update id ('' when the caller did not ask Postgres)
--       10… per dead letter: its id, update id, kind, lane, raw, progress of its routing (JSON or ''), album ('' for none),
--          whether its program took it alone ('1', '0'), offset of the first and of the last digit of update_id in raw
--          (1-based, '' when there is none)
-- RESULT {'GONE'} | {'OFF'} when nobody would get them | {'FULL'} when too many wait for the reader
--      | {'DOUBT'}: Redis may have lost state; the caller reads the reserved id from Postgres and repeats the call
--      | {'OK', 'lanes'}: wake a turn of that kind | {'OK', 'log', last id, reserve ids (0/1), wake push (0/1), wake rules (0/1)}
-- @include state
-- @include ids
-- @include trim
-- @include pending
local FIRST, FIELDS = 10, 10
local state, log, consumers, reader, now = KEYS[1], KEYS[7], KEYS[8], ARGV[6], tonumber(ARGV[2])
local program = isProgram(reader) and string.sub(reader, 9)
-- @read s <- state: registrationId, push, rules, programs, pull, parked, lastId, allowedCount, pullCursorCount, own, reserved, run
if s.registrationId ~= ARGV[1] then return { 'GONE' } end

-- If the caller ends before it removes them from Postgres, the repeated call must not send them twice.
local function isNew(letter)
  return redis.call('SADD', KEYS[6], ARGV[letter]) == 1
end

local function putInLanes()
  for i = FIRST, #ARGV, FIELDS do
    local id, lane = 'r' .. ARGV[i], ARGV[i + 3]
    local entry = {
      id = tonumber(ARGV[i + 1]), raw = ARGV[i + 4], kind = ARGV[i + 2], lane = lane, at = now, expires = tonumber(ARGV[5]),
      exclusive = ARGV[i + 7],
    }
    if isNew(i) and redis.call('HSETNX', KEYS[3], id, cjson.encode(entry)) == 1 then
      redis.call('RPUSH', ARGV[4] .. lane, id)
      redis.call('ZADD', KEYS[2], 'NX', now, lane)
      redis.call('HINCRBY', program and KEYS[9] or state, reader == 'rules' and '@rulesPending' or '@pushPending', 1)
      if ARGV[i + 5] ~= '' then redis.call('HSET', KEYS[5], 'p:' .. id, ARGV[i + 5]) end
      if ARGV[i + 6] ~= '' then redis.call('HSET', KEYS[5], 'g:' .. id, ARGV[i + 6]) end
    end
  end
  -- A paused program needs no turn until it is enabled.
  if not program or string.find(',' .. (s.programs or '') .. ',', ',' .. program .. ',', 1, true) then
    local _, _, held = makePending(KEYS[4], { ARGV[3] .. ':' .. reader }, ARGV[2])
    tellHeld(held)
  end
  return { 'OK', 'lanes' }
end

-- The default readers get again what no program does.
local function markOfDefault()
  local mark = ','
  for _, name in ipairs(redis.call('HKEYS', consumers)) do
    if isProgram(name) then mark = mark .. string.sub(name, 9) .. ',' end
  end
  return mark
end

-- consumer: that of the program, if it is one. A parked one holds the log again, as after a poll.
local function appendToLog(consumer)
  local count, letters = tonumber(s.allowedCount), (#ARGV - FIRST + 1) / FIELDS
  local cursor, polledAt = consumerOf(consumer)
  local waits = program and countAfter(log, cursor, count) or count - tonumber(s.pullCursorCount)
  if waits + letters > tonumber(ARGV[8]) then return { 'FULL' } end
  local last, reserved = newestId(state, s, ARGV[9])
  if not last then return { 'DOUBT' } end
  if last + letters > MAX_ID then return redis.error_reply('update ids of bot ' .. ARGV[3] .. ' are used up') end
  local mark = program and '=' .. program or markOfDefault()
  for i = FIRST, #ARGV, FIELDS do
    if isNew(i) then
      last, count = last + 1, count + 1
      local raw, first, behind = ARGV[i + 4], tonumber(ARGV[i + 8]), tonumber(ARGV[i + 9])
      if first then raw = string.sub(raw, 1, first - 1) .. last .. string.sub(raw, behind + 1) end
      redis.call('XADD', log, last .. '-0', 'u', raw, 'k', ARGV[i + 2], 'l', ARGV[i + 3], 't', now, 'x', ARGV[5], 'n', count,
        'm', program and '1' or '0', 'tp', '', 'o', mark, 'r', ARGV[i + 7])
    end
  end
  local changes = { '@lastId', last, '@allowedCount', count, '@own', 1 }
  moveIdleCursors(changes, s.pull == '1', s.push == '1' or tonumber(s.parked) > now, last, count)
  writeState(state, changes)
  if polledAt == '0' then redis.call('HSET', consumers, reader, cursor .. ' ' .. now) end
  redis.call('PUBLISH', 'flotilla:appended', ARGV[3])
  -- To the other readers it counts as waiting until they have passed it.
  local turns = {}
  for _, other in ipairs({ 'push', 'rules' }) do
    if s[other] == '1' then turns[#turns + 1] = ARGV[3] .. ':' .. other end
  end
  local toWake, _, held = makePending(KEYS[4], turns, ARGV[2])
  tellHeld(held)
  local function wakes(other) return toWake[ARGV[3] .. ':' .. other] and 1 or 0 end
  return { 'OK', 'log', last, last > reserved - RESERVED_AHEAD and 1 or 0, wakes('push'), wakes('rules') }
end

local hasLanes = s[reader] == '1'
if program then hasLanes = redis.call('HGET', KEYS[9], '@push') == '1' end
local consumer = program and redis.call('HGET', consumers, reader)
local polls = consumer or (reader == 'push' and s.pull == '1')
if not hasLanes and not polls then return { 'OFF' } end
local answer = hasLanes and putInLanes() or appendToLog(consumer)
redis.call('PEXPIRE', KEYS[6], ARGV[7])
return answer
