-- Reads a consumer's updates and acknowledges as getUpdates does (offsets: last+1…last+11, larger, negative, zero).
-- @keys state, log, consumers
--   deliveredAhead  ids that push has delivered, which the default consumer, or the program whose own push it was, leaves out
--   program?  its hash, for a program
-- @args registrationId: text
--   activityPrefix: text, shardActivityPrefix: text  of the keys of lib/activity.lua
--   consumer: text  '' is the default one
--   owner: text  digits: whose share of the named consumers a new one takes
--   askedOffset: digits, limit: number, timeoutMs: number
--   acknowledges: flag  on the first read of a call
--   throttles: flag  for the platform's 3 s wait of repeated empty calls
--   kinds: text  that this reader wants: ',message,poll,', '' for all, '!,poll,' for all but these. The cursor moves by offsets;
--       it also passes what has expired and what another program took, that of a program also what it does not want
--   answerBytes: number  that the answer has already from scans before this one
--   backFrom: text, backCounted: number?  for a negative offset: where to go on counting back ('+' at first), the id counted last
--   revision: digits  of the configuration that names the program
--   seesHeld: flag  a named consumer asks for what is held, too
--   polledBy: text  who polls, for people
--   takenKinds: text  as kinds, for what the program took alone under earlier kinds
-- @reply
--   GONE, OFF, TOO_MANY
--   CHANGED  the program may want other kinds by a newer configuration
--   BACK offset: number, backFrom: text, backCounted: number?  a negative offset reaches farther back than one call looks
--   OK from: number  the offset from which nothing has been scanned; the asked one while the bot has no update id
--     throttled: flag
--     more: flag  to scan from there
--     updates: number, joined: bytes  how many, and these as one text as an array of JSON holds them
--     appendedAgoMs: number  the first of them, 0 when there is none
--     answerBytes: number
-- @include clock
-- @include state
-- @include trim
-- @include consumer
-- @include scan-log
local TOO_OLD = 100000
local THROTTLED_MS = 3000

local default, forProgram = consumer == '', isProgram(consumer)
-- @read s <- state: registrationId, on, pull, lastId, allowedCount, pullCursor, pullCursorCount, keptFrom, prevAck, prevAckAt,
--   revision, trimmedAt, pulledAt, filtersDigest
if s.registrationId ~= registrationId then return { 'GONE' } end
if s.on ~= '1' or (s.pull ~= '1' and not forProgram) then return { 'OFF' } end
-- By the older configuration, the cursor would pass updates of kinds that the program wants by the newer one.
if forProgram and tonumber(s.revision) > tonumber(revision) then return { 'CHANGED' } end
-- A poll that began before the program got a backend must not move the cursor, which is now the floor of its lanes.
if forProgram and redis.call('HGET', program, '@push') == '1' then return { 'OFF' } end

local reader = {
  name = consumer,
  owner = owner,
  default = default,
  forProgram = forProgram,
  program = forProgram and string.sub(consumer, 9) or '',
  now = serverNow(),
  s = s,
  state = state,
  programState = program,
  polledBy = polledBy,
  log = log,
  consumers = consumers,
  deliveredAhead = deliveredAhead,
  activityPrefix = activityPrefix,
  shardActivityPrefix = shardActivityPrefix,
  kinds = kinds,
  takenKinds = takenKinds,
  seesHeld = seesHeld,
  last = tonumber(s.lastId),
}
local refusal = openConsumer(reader)
if refusal == 'GONE' then return { 'GONE' } end
if refusal == 'TOO_MANY' then return { 'TOO_MANY' } end

-- Where to read from, by the offset that was asked for; the first read of a call acknowledges what is before it.
local offset, tail, from = tonumber(askedOffset), reader.last + 1, nil
if acknowledges and offset < 0 then
  local back = countBack(reader, -offset, backFrom, backCounted)
  if not back.isWhole then
    return reply.BACK { offset = -back.left, backFrom = back.at, backCounted = back.counted or '' }
  end
  if back.counted then acknowledge(reader, back.counted - 1, false) end
elseif acknowledges then
  local isKnown = reader.last > 0 and offset <= tail + SLACK and offset >= reader.cursor + 1 - TOO_OLD
  if offset > 0 and isKnown then from = acknowledgeBefore(reader, offset) end
elseif offset > reader.cursor + 1 and offset <= tail + SLACK then
  from = offset
elseif offset > 0 and offset <= reader.cursor and offset >= oldestReadable(reader) then
  from = offset
end

local throttled = false
if throttles and (default or forProgram) then
  local own = forProgram and program or state
  -- @read poll <- own: prevOffset, prevAt
  local isRepeated = poll.prevOffset == askedOffset and reader.now - tonumber(poll.prevAt) < THROTTLED_MS
  throttled = isRepeated and timeoutMs < THROTTLED_MS
  writeState(own, { '@prevOffset', askedOffset, '@prevAt', reader.now })
end

local scan = scanLog(reader, from or reader.cursor + 1, limit, answerBytes)
noteRead(reader, scan.cursorAfter, acknowledges)
-- A long scan trims each time: to remove all that the cursor may pass at once would block Redis.
if scan.more or (acknowledges and reader.now - tonumber(s.trimmedAt) > TRIM_EVERY_MS) then
  trimLog(state, log, consumers, reader.now)
end
-- Without any id nobody can tell yet whether the offset is one of this bot: the next read of the call asks for it again.
local isUndecided = offset > 0 and reader.last == 0
return reply.OK {
  from = isUndecided and offset or scan.from,
  throttled = throttled,
  more = scan.more,
  updates = #scan.raws,
  joined = table.concat(scan.raws, ',\n'),
  appendedAgoMs = scan.appendedAt and math.max(0, reader.now - scan.appendedAt) or 0,
  answerBytes = scan.size,
}
