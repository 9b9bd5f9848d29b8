-- Ends the hold of a conversation, or what is left of one that ended by itself. To deliver what was held, it is called again and again: each
-- call appends some updates to the log, under new ids, and the last one ends the hold. Meanwhile what comes in is held, too, so the
-- order stays.
-- @keys state, log, holds, missed, heldChats, consumers, history, pendingTurns, accepted
-- @args registrationId: text, botId: digits
--   conversation: text  '<chat>', or '<chat>:<business connection>'
--   delivers: flag
--   limit: number  how many updates one call looks at
--   reservedId: number?  the highest reserved update id; absent when the caller did not ask Postgres
--   filtersDigest: text  of the filters by which the updates were matched
--   marksJson: text  their marks, as in accept-updates, without albums; '' for none
--   ...updates member: text  as an earlier call returned them
-- @reply
--   GONE, OFF
--   FREE  it is not held, and nothing is kept
--   DOUBT  Redis may have lost state: the caller reads the reserved id from Postgres and repeats the call
--   FILTERS digest: text, filters: text  others are in force
--   MORE members: text[]  to be matched and delivered
--     lastId: number, reserveIds: flag, wakePush: flag, wakeHistory: flag, wakePrograms: number[]
--     delivered: number  how many this call appended
--   OK lastId: number, reserveIds: flag, wakePush: flag, wakeHistory: flag, wakePrograms: number[], delivered: number
-- @include hold
-- @include clock
-- @include ids
-- @include audience
-- @include journal
-- @include wake-readers
-- @include trim
-- @include expiry
local RELEASING_MS = 600000

-- @read s <- state: registrationId, on, lastId, allowedCount, allowed, newestIsOurs, reserved, run, filtersDigest, seesHeld,
--   wokenPrograms, pull, push, rules, pushKeptUntil, pushCursorCount, openUntil
if s.registrationId ~= registrationId then return { 'GONE' } end
if s.on ~= '1' and delivers then return { 'OFF' } end
local now = serverNow()
local stored = redis.call('HGET', holds, conversation)
-- A group can become a supergroup between two calls.
local moved = supergroupOf(stored)
if moved then
  conversation, stored = moved, redis.call('HGET', holds, moved)
end
local hold = holdOf(stored)
if not hold or (hold.expires <= now and not isKeptEnded(missed, conversation, hold, now)) then return { 'FREE' } end
if delivers and count(updates) > 0 and (s.filtersDigest or '') ~= filtersDigest then
  return reply.FILTERS { digest = s.filtersDigest or '', filters = redis.call('HGET', state, '@filters') or '' }
end
local last, reserved = newestId(state, s, reservedId)
if not last then return { 'DOUBT' } end
if last + count(updates) > MAX_ID then return redis.error_reply('update ids of bot ' .. botId .. ' are used up') end

local seesHeld, allowedCount = s.seesHeld or ',', tonumber(s.allowedCount)
local pull, push = s.pull == '1', s.push == '1'
local holdsForPush, hasConsumers = push or tonumber(s.pushKeptUntil) > now, redis.call('EXISTS', consumers) == 1
local audience = openAudience(state, consumers, s.wokenPrograms, marksJson)
local lines, delivered, anyAllowed, givesUp = {}, 0, false, false
local bot = { id = botId, registration = registrationId, now = textOf(now) }

-- While the rest is delivered, such a hold is for no time.
local hasEnded = hold.expires <= now or hold.forMs == 0

-- The platform takes no late answer to a press.
local function isShortLived(kind)
  return string.find('@kinds.shortLived', ',' .. kind .. ',', 1, true) ~= nil or string.find(kind, '_query$') ~= nil
end

-- A hold may have ended when its updates had expired.
local function isWorthDelivering(entry)
  return entry.expires > now or (hasEnded and not isShortLived(entry.kind) and entry.expires + MISSED_LIFE_MS > now)
end

local function lastsUntil(entry)
  return isShortLived(entry.kind) and entry.expires or math.max(entry.expires, now + LATE_LIFE_MS)
end

-- Programs that saw it while it was held had it.
local function markOfMissed(mark, owner)
  if owner then return mark end
  local missedMark = 'm' .. (mark == '' and ',' or mark)
  for id in string.gmatch(seesHeld, '%d+') do
    if not string.find(missedMark, ',' .. id .. ',', 1, true) then missedMark = missedMark .. id .. ',' end
  end
  return missedMark
end

local function deliver(entry, number)
  local mark, owner, isParked = '', nil, false
  if audience then
    mark, owner, isParked = markOf(audience, number)
  end
  if owner and string.find(seesHeld, ',' .. owner .. ',', 1, true) then return end
  last = last + 1
  local id = textOf(last)
  local raw = string.sub(entry.raw, 1, entry.idStart - 1)
    .. id
    .. string.sub(entry.raw, entry.idStart + #string.match(entry.raw, '^%d+', entry.idStart))
  -- Rules look at nothing that was held; a mark of programs does not say so by itself.
  local isAgain = owner ~= nil
  if isParked then
    mark, givesUp = giveUpForParked(history, bot, owner, { id = id, raw = raw }), true
  else
    mark = markOfMissed(mark, owner)
  end
  local allowed = not owner and isAllowedKind(s.allowed, entry.kind)
  if allowed or owner then allowedCount = allowedCount + 1 end
  anyAllowed, delivered = anyAllowed or allowed, delivered + 1
  if hasConsumers or (allowed and (pull or holdsForPush)) then
    -- stylua: ignore
    redis.call('XADD', log, id .. '-0', 'u', raw, 'k', entry.kind, 'l', entry.lane, 't', bot.now,
      'x', textOf(lastsUntil(entry)), 'n', textOf(allowedCount), 'm', allowed and '0' or '1', 'tp', '', 'o', mark,
      unpack(isAgain and { 'r', '1' } or {}))
  end
  lines[#lines + 1] = acceptedLine(bot.now, id, 'h', allowed, raw, mark, entry.lane, entry.kind)
end

local number = 0
for i in each(updates) do
  number = number + 1
  local member = updates.member[i]
  -- If the reply of an earlier call was lost, it is not there any more.
  if redis.call('ZREM', missed, member) == 1 then
    local entry = missedOf(member)
    if isWorthDelivering(entry) then deliver(entry, number) end
  end
end

local woken, paged = NOBODY, false
if delivered > 0 then
  local owner = { bot = botId, registration = registrationId, now = bot.now }
  paged = addLines(accepted, history, owner, 'intake', lines)
  local changes = { '@lastId', textOf(last), '@allowedCount', textOf(allowedCount), '@newestIsOurs', '1' }
  moveIdleCursors(changes, pull, holdsForPush, textOf(last), textOf(allowedCount))
  writeState(state, changes)
  if (pull and anyAllowed) or hasConsumers then redis.call('PUBLISH', '@channels.appended', botId) end
  local found =
    { push = push, anyAllowed = anyAllowed, routable = false, history = givesUp or paged, count = allowedCount }
  woken = wakeReaders(pendingTurns, s, botId, now, found, audience)
end
local reserveIds = delivered > 0 and last > reserved - RESERVED_AHEAD
local from, to = missedRange(conversation)
local members = delivers and redis.call('ZRANGEBYLEX', missed, from, to, 'LIMIT', 0, limit) or {}
if #members > 0 then
  -- If the caller ends here, the rest is kept for a while, so that it can call again.
  local ends = math.max(hold.expires, now + RELEASING_MS)
  hold.expires = ends
  if hasEnded then hold.forMs = 0 end
  storeHold(holds, conversation, hold)
  noteHolds(state, holds, missed, now, ends)
  listHeld(heldChats, botId, conversation, now, ends)
  return reply.MORE {
    members = members,
    lastId = last,
    reserveIds = reserveIds,
    wakePush = woken.push,
    wakeHistory = woken.history,
    wakePrograms = woken.programs,
    delivered = delivered,
  }
end
redis.call('HDEL', holds, conversation)
forgetMissed(missed, conversation)
noteHolds(state, holds, missed, now)
listHeld(heldChats, botId, conversation, now)
return reply.OK {
  lastId = last,
  reserveIds = reserveIds,
  wakePush = woken.push,
  wakeHistory = woken.history,
  wakePrograms = woken.programs,
  delivered = delivered,
}
