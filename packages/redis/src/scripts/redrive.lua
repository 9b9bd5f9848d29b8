-- Gives dead letters back to the reader that they name, in the order given: to one with lanes at the end of their lanes, to
-- one that polls at the end of the log, under new ids. One that was given back already is skipped.
-- @keys state, lanes, redriven, pendingTurns, rulesWork, justRedriven, log, consumers, history, accepted
--   program?  its hash, for a program
-- @args registrationId: text, botId: digits, lanePrefix: text
--   keepMs: number  how long the updates are kept
--   reader: text  'push', 'rules' or 'program:<id>'
--   knownForMs: digits  how long the ids of redriven letters are remembered, so that a repeated call skips them
--   limit: number  how many updates may wait for a reader that polls
--   reservedId: number?  the highest reserved update id; absent when the caller did not ask Postgres
--   ...letters letterId: digits, id: digits  of the dead letter, and of its update
--     kind: text, lane: text, raw: text
--     progress: text  of its routing (JSON), '' for none
--     album: text  '' for none
--     exclusive: flag  its program took it alone
--     idStart: number?, idEnd: number?  offset of the first and of the last digit of update_id in raw, from 1
-- @reply
--   GONE
--   OFF  nobody would get them
--   FULL  too many wait for the reader
--   DOUBT  Redis may have lost state; the caller reads the reserved id from Postgres and repeats the call
--   LANES  wake a turn of that reader
--   LOG lastId: number
--     reserveIds: flag, wakePush: flag, wakeRules: flag
-- @include state
-- @include ids
-- @include trim
-- @include pending
-- @include clock
-- @include journal
local now, programId = serverNow(), isProgram(reader) and string.sub(reader, 9)
-- @read s <- state: registrationId, push, rules, wokenPrograms, pull, pushKeptUntil, lastId, allowedCount, pullCursorCount, newestIsOurs, reserved, run
if s.registrationId ~= registrationId then return { 'GONE' } end

-- The journal's line of an update that is sent again; place: its name in its lane, or '-'
local lines = {}
local function noteAgain(i, id, place)
  local owner = reader == 'push' and '-' or reader
  lines[#lines + 1] = now
    .. ' '
    .. id
    .. ' r 0 '
    .. place
    .. ' - '
    .. owner
    .. ' '
    .. letters.lane[i]
    .. ' '
    .. letters.kind[i]
end

-- If the caller ends before it removes them from Postgres, the repeated call must not send them twice.
local function isNew(letterId)
  return redis.call('SADD', justRedriven, letterId) == 1
end

local function putInLanes()
  for i in each(letters) do
    local id, lane, progress, album = 'r' .. letters.letterId[i], letters.lane[i], letters.progress[i], letters.album[i]
    local entry = {
      id = tonumber(letters.id[i]),
      raw = letters.raw[i],
      kind = letters.kind[i],
      lane = lane,
      at = now,
      expires = now + keepMs,
      exclusive = letters.exclusive[i] and '1' or '0',
    }
    if isNew(letters.letterId[i]) and redis.call('HSETNX', redriven, id, cjson.encode(entry)) == 1 then
      redis.call('RPUSH', lanePrefix .. lane, id)
      noteAgain(i, letters.id[i], id)
      redis.call('ZADD', lanes, 'NX', now, lane)
      redis.call('HINCRBY', programId and program or state, reader == 'rules' and '@rulesPending' or '@pushPending', 1)
      if progress ~= '' then redis.call('HSET', rulesWork, 'p:' .. id, progress) end
      if album ~= '' then redis.call('HSET', rulesWork, 'g:' .. id, album) end
    end
  end
  -- A paused program needs no turn until it is enabled.
  if not programId or string.find(',' .. (s.wokenPrograms or '') .. ',', ',' .. programId .. ',', 1, true) then
    local _, _, held = makePending(pendingTurns, { botId .. ':' .. reader }, now)
    tellHeld(held)
  end
  return { 'LANES' }
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
  local allowedCount, added = tonumber(s.allowedCount), count(letters)
  local cursor, polledAt = consumerOf(consumer)
  local waits = programId and countAfter(log, cursor, allowedCount) or allowedCount - tonumber(s.pullCursorCount)
  if waits + added > limit then return { 'FULL' } end
  local last, reserved = newestId(state, s, reservedId)
  if not last then return { 'DOUBT' } end
  if last + added > MAX_ID then return redis.error_reply('update ids of bot ' .. botId .. ' are used up') end
  local mark = programId and '=' .. programId or markOfDefault()
  for i in each(letters) do
    if isNew(letters.letterId[i]) then
      last, allowedCount = last + 1, allowedCount + 1
      noteAgain(i, textOf(last), '-')
      local raw, idStart, idEnd = letters.raw[i], letters.idStart[i], letters.idEnd[i]
      if idStart then raw = string.sub(raw, 1, idStart - 1) .. last .. string.sub(raw, idEnd + 1) end
      -- stylua: ignore
      redis.call('XADD', log, last .. '-0', 'u', raw, 'k', letters.kind[i], 'l', letters.lane[i], 't', now, 'x', now + keepMs,
        'n', allowedCount, 'm', programId and '1' or '0', 'tp', '', 'o', mark, 'r', letters.exclusive[i] and '1' or '0')
    end
  end
  local changes = { '@lastId', last, '@allowedCount', allowedCount, '@newestIsOurs', 1 }
  moveIdleCursors(changes, s.pull == '1', s.push == '1' or tonumber(s.pushKeptUntil) > now, last, allowedCount)
  writeState(state, changes)
  if polledAt == '0' then redis.call('HSET', consumers, reader, cursor .. ' ' .. now) end
  redis.call('PUBLISH', '@channels.appended', botId)
  -- To the other readers it counts as waiting until they have passed it.
  local turns = {}
  for _, other in ipairs({ 'push', 'rules' }) do
    if s[other] == '1' then turns[#turns + 1] = botId .. ':' .. other end
  end
  local toWake, _, held = makePending(pendingTurns, turns, now)
  tellHeld(held)
  local function wakes(other)
    return toWake[botId .. ':' .. other] or false
  end
  return reply.LOG {
    lastId = last,
    reserveIds = last > reserved - RESERVED_AHEAD,
    wakePush = wakes('push'),
    wakeRules = wakes('rules'),
  }
end

local hasLanes = s[reader] == '1'
if programId then hasLanes = redis.call('HGET', program, '@push') == '1' end
local consumer = programId and redis.call('HGET', consumers, reader)
local polls = consumer or (reader == 'push' and s.pull == '1')
if not hasLanes and not polls then return { 'OFF' } end
local answer = hasLanes and putInLanes() or appendToLog(consumer)
redis.call('PEXPIRE', justRedriven, knownForMs)
if #lines > 0 then
  local owner = { bot = botId, registration = registrationId, now = textOf(now) }
  local paged = addLines(accepted, history, owner, 'intake', lines)
  if paged then redis.call('ZADD', pendingTurns, 'NX', now, 'history') end
end
return answer
