-- Appends updates from the platform to a bot's log and to the history stream: each once, all or none.
-- @keys state, log, history, pendingTurns, consumers, live, accepted, recent, holds, missed, ...seen
-- @args registrationId: text, botId: digits, moves: digits
--   activityPrefix: text, shardActivityPrefix: text  of the keys of lib/activity.lua
--   fencingToken: digits?  of the polling turn; absent for a push by the platform
--   pollOffset: digits?  to ask the platform for; absent keeps it
--   quickestLimit: number  backlog limit (updates) of the quickest reader
--   slowestLimit: number?  that of the slowest reader; absent unless memory is tight
--   traceparent: text  '' when not traced
--   reservedId: number?  the highest reserved update id; absent when the caller did not ask Postgres
--   runIds: text  those of the Redis servers that the caller knows
--   filtersDigest: text  of the filters by which the updates were matched, '' for none
--   marksJson: text  the mark of each update, as lib/log.lua says, and after a space its album, if it is in one; '' for none
--   ...updates platformId: digits
--     bitmap: number, bit: digits  which of `seen`, counted from 1, and the bit in it
--     kind: text, lane: text
--     keepMs: number  how long it is kept, from now
--     expiresAtMs: digits?  the end of that from the date of its event; absent when it has none
--     idStart: number, idEnd: number  offset of the first and of the last digit of update_id in raw, from 1
--     passesHold: flag  readers get it also while its chat is held
--     raw: text
-- @reply
--   GONE, OFF, FENCED, FULL
--   DOUBT  Redis may have lost state: the caller reads the reserved id from Postgres and repeats the call
--   FILTERS digest: text, filters: text  others are in force: the caller matches the updates by them and repeats the call
--   OK appended: number, duplicates: number, lastId: number
--     wakePush: flag, wakeHistory: flag, wakeRules: flag, wakePrograms: number[]
--     reserveIds: flag  few reserved ids are left
-- @include clock
-- @include state
-- @include trim
-- @include ids
-- @include backlog
-- @include activity
-- @include live
-- @include journal
-- @include audience
-- @include expiry
-- @include wake-readers
-- @include hold
-- @include recent
-- @read s <- state: registrationId, on, moves, lastId, manage, allowed, pollingFencingToken, trimmedAt, openUntil, newestIsOurs,
--   reserved, run, allowedCount, pull, push, pushKeptUntil, pullCursorCount, pushCursorCount, pushPending, rules,
--   rulesUnread, rulesPending, filtersDigest, wokenPrograms, watchedUntil, seenProlonged, heldUntil
if s.registrationId ~= registrationId then return { 'GONE' } end
if s.on ~= '1' then return { 'OFF' } end
local polled, newestIsOurs = fencingToken ~= '', s.newestIsOurs == '1'
if polled and fencingToken ~= s.pollingFencingToken then return { 'FENCED' } end
-- Of a server that the bot has left, or has come to since the caller read its configuration.
if (s.moves or '0') ~= moves then return { 'FENCED' } end
if (s.filtersDigest or '') ~= filtersDigest then
  return reply.FILTERS { digest = s.filtersDigest or '', filters = redis.call('HGET', state, '@filters') or '' }
end
local last, lastText, reserved = idsToAppendAfter(state, s, runIds, polled, reservedId)
if not last then return { 'DOUBT' } end

local now = serverNow()
local nowText, n, nText = textOf(now), tonumber(s.allowedCount), s.allowedCount
local pull, push, manage, rules = s.pull == '1', s.push == '1', s.manage == '1', s.rules == '1'
local holdsForPush, hasConsumers = push or tonumber(s.pushKeptUntil) > now, redis.call('EXISTS', consumers) == 1
local watched = tonumber(s.watchedUntil or 0) > now
-- Who reads: by it the backlog is limited.
local onlyPrograms = hasConsumers and not (pull or holdsForPush or rules)
local limits =
  { quickest = quickestLimit, slowest = slowestLimit, programs = hasConsumers, onlyPrograms = onlyPrograms }
if isFull(s, log, consumers, limits, now) then
  -- Expired updates must not stop intake, and perhaps nobody polls.
  s.pullCursorCount, s.trimmedAt = trimLog(state, log, consumers, now), nowText
  if isFull(s, log, consumers, limits, now) then return { 'FULL' } end
end

local highest = last
for i in each(updates) do
  highest = math.max(highest + 1, tonumber(updates.platformId[i]))
end
if highest > MAX_ID then return redis.error_reply('update ids of bot ' .. botId .. ' are used up') end

-- Chats are looked up only while one is held.
local known = tonumber(s.heldUntil or 0) > now and {}
local seesHeld = known and redis.call('HGET', state, '@seesHeld') or ','
local audience = openAudience(state, consumers, s.wokenPrograms, marksJson)
local appended, duplicates, anyAllowed, routable, givesUp = 0, 0, false, 0, false
local lines, texts, via = {}, {}, polled and 'p' or 'w'
local traced = traceparent ~= '' and { 'tp', traceparent } or {}
local prolonged, lookedAt = s.seenProlonged, nil
for i in each(updates) do
  local bitmap = updates.bitmap[i]
  if redis.call('SETBIT', seen[bitmap], updates.bit[i], 1) == 1 then
    duplicates = duplicates + 1
  else
    if bitmap ~= lookedAt then
      prolonged, lookedAt = prolongSeen(prolonged, seen[bitmap], now), bitmap
    end
    local platformId, raw, kind = tonumber(updates.platformId[i]), updates.raw[i], updates.kind[i]
    local id = math.max(last + 1, platformId)
    last, lastText = id, updates.platformId[i]
    if id ~= platformId then
      lastText = tostring(id)
      raw = string.sub(raw, 1, updates.idStart[i] - 1) .. lastText .. string.sub(raw, updates.idEnd[i] + 1)
    end
    newestIsOurs = id ~= platformId or (newestIsOurs and not polled)
    local mark, owner, isParked = '', nil, false
    if audience then
      mark, owner, isParked = markOf(audience, appended + duplicates + 1)
    end
    local mayBeHeld = known and mark ~= MARK_OF_NOBODY and not updates.passesHold[i]
    local chat = mayBeHeld and chatOfEntry(updates.lane[i], raw)
    local held = chat and heldAs(holds, known, chat, raw, now)
    local expires = expiryOf(updates.keepMs[i], updates.expiresAtMs[i], now)
    if held then
      local entry =
        { id = id, expires = expires, idStart = updates.idStart[i], kind = kind, lane = updates.lane[i], raw = raw }
      keepMissed(missed, held, entry, tonumber(s.heldUntil))
      mark, owner, isParked = markOfHeld(mark, owner, seesHeld), nil, false
    end
    if isParked then
      local bot = { id = botId, registration = registrationId, now = nowText }
      -- If it polls again while the entry is kept, it must not get what may be sent to the bot.
      mark, givesUp = giveUpForParked(history, bot, owner, { id = lastText, raw = raw }), true
    end
    -- The default readers leave out what a program takes, but it counts as waiting for them until they have passed it.
    local allowed = not owner and not held and isAllowedKind(s.allowed, kind)
    if allowed or owner then
      n = n + 1
      nText = tostring(n)
    end
    anyAllowed = anyAllowed or allowed
    local forRules = rules and isForRules(kind, mark)
    if forRules then routable = routable + 1 end
    if hasConsumers or forRules or (allowed and (pull or holdsForPush)) then
      -- stylua: ignore
      redis.call('XADD', log, lastText .. '-0', 'u', raw, 'k', kind, 'l', updates.lane[i], 't', nowText,
        'x', expires, 'n', nText, 'm', allowed and '0' or '1',
        unpack(mark == '' and traced or { 'tp', traceparent, 'o', mark }))
    end
    if manage then
      -- stylua: ignore
      redis.call('XADD', history, '*', 't', 'update', 'b', botId, 'g', registrationId, 'a', nowText,
        'i', lastText, 'u', raw, unpack(traced))
    end
    if watched then
      addLive(live, #raw, 't', 'update', 'b', botId, 'g', registrationId, 'a', nowText, 'i', lastText, 'u', raw)
    end
    if manage and #raw <= RECENT_BYTES then texts[#texts + 1] = raw end
    lines[#lines + 1] = acceptedLine(nowText, lastText, via, allowed, raw, mark, updates.lane[i], kind)
    appended = appended + 1
  end
end

local changes, woken = {}, NOBODY
if pollOffset ~= '' then addField(changes, '@pollOffset', pollOffset) end
if polled then addField(changes, '@pollOkAt', nowText) end
local paged = false
if appended > 0 then
  local owner = { bot = botId, registration = registrationId, now = nowText }
  paged = addLines(accepted, history, owner, 'intake', lines)
  -- While memory is tight, nothing is kept that no reader needs.
  if slowestLimit then
    redis.call('DEL', recent)
  else
    keepRecent(recent, texts)
  end
  countActivity(activityPrefix, shardActivityPrefix, now, appended, 0, 0, 0, 0)
  noteAlbums(audience, changes)
  addField(changes, '@lastId', lastText)
  addField(changes, '@allowedCount', nText)
  addField(changes, '@updateAt', nowText)
  if prolonged ~= s.seenProlonged then addField(changes, '@seenProlonged', prolonged) end
  if newestIsOurs ~= (s.newestIsOurs == '1') then addField(changes, '@newestIsOurs', newestIsOurs and '1' or '0') end
  moveIdleCursors(changes, pull, holdsForPush, lastText, nText)
end
writeState(state, changes)
-- Where nothing else waits for the poller, it passes at once what programs took alone: it may not need to poll at all.
if pull and not anyAllowed and s.pullCursorCount == s.allowedCount and nText ~= s.allowedCount then
  -- @read kept <- state: keptFrom, prevAck, prevAckAt
  movePullCursor(state, kept, lastText, nText, now)
end
if appended > 0 then
  if (pull and anyAllowed) or hasConsumers then redis.call('PUBLISH', '@channels.appended', botId) end
  if watched then announceLive(botId) end
  if routable > 0 then redis.call('HINCRBY', state, '@rulesUnread', routable) end
  local found =
    { push = push, anyAllowed = anyAllowed, routable = routable > 0, history = manage or givesUp or paged, count = n }
  woken = wakeReaders(pendingTurns, s, botId, now, found, audience)
  if now - tonumber(s.trimmedAt) > TRIM_EVERY_MS then trimLog(state, log, consumers, now) end
end
return reply.OK {
  appended = appended,
  duplicates = duplicates,
  lastId = last,
  reserveIds = appended > 0 and (not polled or newestIsOurs) and last > reserved - RESERVED_AHEAD,
  wakePush = woken.push,
  wakeHistory = woken.history,
  wakeRules = woken.rules,
  wakePrograms = woken.programs,
}
