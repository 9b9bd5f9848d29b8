-- Appends updates from the platform to a bot's log and to the history stream: each once, all or none.
-- @keys state, log, history, pendingTurns, consumers, activity, shardActivity, live, ...seen
-- @args registrationId: text, nowMs: digits, botId: digits
--   fencingToken: digits?  of the polling turn; absent for a push by the platform
--   pollOffset: digits?  to ask the platform for; absent keeps it
--   quickestLimit: number  backlog limit (updates) of the quickest reader
--   slowestLimit: number?  that of the slowest reader; absent unless memory is tight
--   traceparent: text  '' when not traced
--   reservedId: number?  the highest reserved update id; absent when the caller did not ask Postgres
--   runIds: text  those of the Redis servers that the caller knows
--   filtersDigest: text  of the filters by which the updates were judged, '' for none
--   marksJson: text  the mark of each update, as lib/log.lua says, and after a space its album, if it is in one; '' for none
--   ...updates platformId: digits
--     bitmap: number, bit: digits  which of `seen`, counted from 1, and the bit in it
--     kind: text, lane: text, expiresAtMs: digits
--     idStart: number, idEnd: number  offset of the first and of the last digit of update_id in raw, from 1
--     raw: text
-- @reply
--   GONE, OFF, FENCED, FULL
--   DOUBT  Redis may have lost state: the caller reads the reserved id from Postgres and repeats the call
--   FILTERS digest: text, filters: text  others are in force: the caller judges by them and repeats the call
--   OK appended: number, duplicates: number, lastId: number
--     wakePush: flag, wakeHistory: flag, wakeRules: flag, wakePrograms: number[]
--     reserveIds: flag  few reserved ids are left
-- @include state
-- @include trim
-- @include ids
-- @include backlog
-- @include activity
-- @include live
-- @include dead-letter
-- @include pending
-- Longer than the platform keeps updates, also when it was set half an hour ago.
local SEEN_LIFE_S = 90000
local SEEN_PROLONGED_MS = 1800000
local ALBUM_BYTES = 4096
-- As if program 0, which does not exist, took the update alone.
local MARK_OF_NOBODY = '=0'
-- With so many updates behind it, push is woken only to move its cursor past what programs took; intake stops much later.
local WAKE_PUSH_TO_PASS_FROM = 500

local now = tonumber(nowMs)
-- @read s <- state: registrationId, on, lastId, manage, allowed, pollingFencingToken, trimmedAt, openUntil, newestIsOurs,
--   reserved, run, allowedCount, pull, push, pushKeptUntil, pullCursorCount, pushCursorCount, pushPending, rules,
--   rulesUnread, rulesPending, filtersDigest, wokenPrograms, watchedUntil, seenProlonged
if s.registrationId ~= registrationId then return { 'GONE' } end
if s.on ~= '1' then return { 'OFF' } end
if fencingToken ~= '' and fencingToken ~= s.pollingFencingToken then return { 'FENCED' } end
if (s.filtersDigest or '') ~= filtersDigest then
  return reply.FILTERS { digest = s.filtersDigest or '', filters = redis.call('HGET', state, '@filters') or '' }
end

local last, lastText, n, nText = tonumber(s.lastId), s.lastId, tonumber(s.allowedCount), s.allowedCount
local polled, newestIsOurs, reserved = fencingToken ~= '', s.newestIsOurs == '1', tonumber(s.reserved or 0)
if not string.find(runIds, s.run or '?', 1, true) then
  local run = runId()
  if s.run ~= run then
    if not reservedId then return { 'DOUBT' } end
    -- Polled ids rise by themselves. They need the reserved id only if the state is certainly old.
    if not polled or newestIsOurs or reservedId > reserved then last = math.max(last, reserved, reservedId) end
    reserved, lastText = math.max(reserved, reservedId), tostring(last)
    writeState(state, { '@run', run, '@lastId', lastText, '@reserved', reserved })
  end
end
local pull, push, manage, rules = s.pull == '1', s.push == '1', s.manage == '1', s.rules == '1'
local holdsForPush = push or tonumber(s.pushKeptUntil) > now
local hasConsumers = redis.call('EXISTS', consumers) == 1
local watched = tonumber(s.watchedUntil or 0) > now

-- One slow reader does not stop intake unless memory is tight: the platform keeps updates when every reader is at its
-- limit.
local function isFull()
  local quickest, slowest = backlogOf(s, now)
  local isTight, onlyPrograms = slowestLimit ~= nil, hasConsumers and not (pull or holdsForPush or rules)
  if hasConsumers and (isTight or (onlyPrograms and redis.call('XLEN', log) >= quickestLimit)) then
    local quick, slow = programBacklog(s, log, consumers)
    slowest = math.max(slowest, slow)
    if onlyPrograms then quickest = quick or quickest end
  end
  return quickest >= quickestLimit or (isTight and slowest >= slowestLimit)
end
if isFull() then
  -- What has expired must not stop intake, and perhaps nobody polls.
  s.pullCursorCount, s.trimmedAt = trimLog(state, log, consumers, now), nowMs
  if isFull() then return { 'FULL' } end
end

local function isAllowedKind(kind)
  if s.allowed == '' then
    return kind ~= 'chat_member' and kind ~= 'message_reaction' and kind ~= 'message_reaction_count'
  end
  return string.find(s.allowed, ',' .. kind .. ',', 1, true) ~= nil
end

local albums, albumsChanged = nil, false
-- Later messages of an album go to the readers of its first one. The state remembers this for the newest albums.
local function ofAlbum(album, mark)
  albums = albums or redis.call('HGET', state, '@albums') or ''
  local known = string.match(albums, '\n' .. string.gsub(album, '%-', '%%-') .. ' (%S*)')
  if known then return known end
  albums, albumsChanged = albums .. '\n' .. album .. ' ' .. mark, true
  if #albums > ALBUM_BYTES then albums = string.match(albums, '\n.*', #albums - ALBUM_BYTES) end
  return mark
end

-- The mark of the update with this number, the program that takes it, and whether that program is parked. Updates that a
-- deleted program would have taken go to everybody.
local marks = marksJson ~= '' and cjson.decode(marksJson)
local function markOf(number)
  local mark, album = string.match(marks[number], '^(%S*) ?(.*)$')
  if album ~= '' then mark = ofAlbum(album, mark) end
  local owner = string.match(mark, '^=(%d+)$')
  local consumer = owner and redis.call('HGET', consumers, 'program:' .. owner)
  if owner and not consumer then return '', nil, false end
  return mark, owner, consumer and string.sub(consumer, -2) == ' 0'
end

-- All programs that push, and those that get one of these updates. Only the latter are woken.
local pushing, getsOne = {}, {}
for id in string.gmatch(s.wokenPrograms or '', '%d+') do
  pushing[#pushing + 1] = id
end
local function noteReaders(mark, owner)
  for _, id in ipairs(pushing) do
    if not getsOne[id] then
      if owner then
        getsOne[id] = owner == id
      else
        getsOne[id] = not string.find(mark, ',' .. id .. ',', 1, true)
      end
    end
  end
end

-- An update that a parked program takes alone becomes a dead letter, which can be sent to the bot's backend.
local function giveUpForParked(owner, id, raw)
  local origin = { bot = botId, registration = registrationId, now = now, reader = 'push' }
  local reason = 'program ' .. owner .. ', which takes it alone, is parked'
  addDeadLetter(history, origin, { id = id, raw = raw }, { code = 'too_far_behind', reason = reason, attempts = 0 })
end

-- Which seen bitmap was prolonged last, and when (ms). The ids of a bot are mostly in one.
local prolonged = s.seenProlonged
local function prolongSeen(key)
  local bitmap, since = string.match(prolonged or '', '^(%d+) (%d+)$')
  if bitmap == string.match(key, '%d+$') and math.abs(now - tonumber(since)) < SEEN_PROLONGED_MS then return end
  redis.call('EXPIRE', key, SEEN_LIFE_S)
  prolonged = string.match(key, '%d+$') .. ' ' .. nowMs
end

local highest = last
for i in each(updates) do
  highest = math.max(highest + 1, tonumber(updates.platformId[i]))
end
if highest > MAX_ID then return redis.error_reply('update ids of bot ' .. botId .. ' are used up') end

local appended, duplicates, anyAllowed, routable, givesUp = 0, 0, false, 0, false
local traced = traceparent ~= '' and { 'tp', traceparent } or {}
for i in each(updates) do
  local platformId, bitmap = tonumber(updates.platformId[i]), updates.bitmap[i]
  local seenKey = seen[bitmap]
  if redis.call('SETBIT', seenKey, updates.bit[i], 1) == 1 then
    duplicates = duplicates + 1
  else
    prolongSeen(seenKey)
    local kind, raw = updates.kind[i], updates.raw[i]
    local id = math.max(last + 1, platformId)
    last, lastText = id, updates.platformId[i]
    if id ~= platformId then
      lastText = tostring(id)
      raw = string.sub(raw, 1, updates.idStart[i] - 1) .. lastText .. string.sub(raw, updates.idEnd[i] + 1)
    end
    newestIsOurs = id ~= platformId or (newestIsOurs and not polled)
    local mark, owner, isParked = '', nil, false
    if marks then
      mark, owner, isParked = markOf(appended + duplicates + 1)
    end
    noteReaders(mark, owner)
    if isParked then
      giveUpForParked(owner, id, raw)
      -- If it polls again while the entry is kept, it must not get what may be sent to the bot.
      mark, givesUp = MARK_OF_NOBODY, true
    end
    -- The default readers leave out what a program takes, but it counts as waiting for them until they have passed it.
    local allowed = not owner and isAllowedKind(kind)
    if allowed or owner then
      n = n + 1
      nText = tostring(n)
    end
    anyAllowed = anyAllowed or allowed
    local forRules = rules and isRoutable(kind)
    if forRules then routable = routable + 1 end
    if hasConsumers or forRules or (allowed and (pull or holdsForPush)) then
      -- stylua: ignore
      redis.call('XADD', log, lastText .. '-0', 'u', raw, 'k', kind, 'l', updates.lane[i], 't', nowMs,
        'x', updates.expiresAtMs[i], 'n', nText, 'm', allowed and '0' or '1',
        unpack(mark == '' and traced or { 'tp', traceparent, 'o', mark }))
    end
    if manage then
      -- stylua: ignore
      redis.call('XADD', history, '*', 't', 'update', 'b', botId, 'g', registrationId, 'a', nowMs,
        'i', lastText, 'u', raw, unpack(traced))
    end
    if watched then
      addLive(live, #raw, 't', 'update', 'b', botId, 'g', registrationId, 'a', nowMs, 'i', lastText, 'u', raw)
    end
    appended = appended + 1
  end
end

local changes = {}
if pollOffset ~= '' then addField(changes, '@pollOffset', pollOffset) end
if polled then addField(changes, 'pollOkAt', nowMs) end
if appended == 0 then
  writeState(state, changes)
  return reply.OK {
    appended = 0,
    duplicates = duplicates,
    lastId = last,
    reserveIds = false,
    wakePush = false,
    wakeHistory = false,
    wakeRules = false,
    wakePrograms = {},
  }
end
countActivity(activity, shardActivity, now, appended, 0, 0, 0, 0)

if albumsChanged then addField(changes, '@albums', albums) end
addField(changes, '@lastId', lastText)
addField(changes, '@allowedCount', nText)
addField(changes, '@updateAt', nowMs)
if prolonged ~= s.seenProlonged then addField(changes, '@seenProlonged', prolonged) end
local ourText = newestIsOurs and '1' or '0'
if s.newestIsOurs ~= ourText then addField(changes, '@newestIsOurs', ourText) end
moveIdleCursors(changes, pull, holdsForPush, lastText, nText)
writeState(state, changes)
if (pull and anyAllowed) or hasConsumers then redis.call('PUBLISH', 'flotilla:appended', botId) end
if watched then announceLive(botId) end
-- A bot's own push comes first, then its programs, then its rules.
local turns, wakePrograms = {}, {}
-- What programs take alone counts as waiting for push until push has passed it, and would stop intake in the end.
local isToPass = n - tonumber(s.pushCursorCount) >= WAKE_PUSH_TO_PASS_FROM
-- While the breaker is open the turn sleeps until its next probe and reads the log then, so an append need not wake it.
if push and (anyAllowed or isToPass) and openUntilOf(s, now) <= now then turns[1] = botId .. ':push' end
for _, id in ipairs(pushing) do
  if getsOne[id] then turns[#turns + 1] = botId .. ':program:' .. id end
end
local rulesTurn = botId .. ':rules'
if routable > 0 then
  redis.call('HINCRBY', state, '@rulesUnread', routable)
  turns[#turns + 1] = rulesTurn
end
local toWake, isRunning, held = makePending(pendingTurns, turns, nowMs)
for _, id in ipairs(pushing) do
  if toWake[botId .. ':program:' .. id] then wakePrograms[#wakePrograms + 1] = id end
end
-- A running turn, perhaps waiting for a hanging request, must learn of new updates in its other lanes. The bot's id wakes
-- all its turns.
if isRunning then
  redis.call('PUBLISH', 'flotilla:turn-news', botId)
else
  tellHeld(held)
end
local wakeHistory = (manage or givesUp) and redis.call('ZADD', pendingTurns, 'NX', nowMs, 'history') or false
if now - tonumber(s.trimmedAt) > TRIM_EVERY_MS then trimLog(state, log, consumers, now) end
local reserve = (not polled or newestIsOurs) and last > reserved - RESERVED_AHEAD
return reply.OK {
  appended = appended,
  duplicates = duplicates,
  lastId = last,
  reserveIds = reserve,
  wakePush = toWake[botId .. ':push'] or false,
  wakeHistory = wakeHistory,
  wakeRules = toWake[rulesTurn] or false,
  wakePrograms = wakePrograms,
}
