-- Brings a bot's state in line with its configuration; the only script that creates a state.
-- @keys state, log, consumers
--   deliveredAhead  ids that push has delivered
--   lanes, inFlight, work, redriven, history, pendingTurns
--   rulesLanes, rulesInFlight, rulesWork, rulesRedriven
-- @args registrationId: text, lanePrefix: text
--   pull: flag, push: flag, manage: flag, on: flag
--   allowed: text  kinds (',message,poll,' or '' for the default set)
--   changesJson: text  stored changes of cursors, as packages/domain/src/fleet/bots/cursor-change.ts says; those that an earlier call
--       has applied are left out here
--   revision: number  of the configuration
--   botId: digits, rules: flag, rulesLanePrefix: text
--   moves: digits  how often the bot came to another server
--   reservedId: number  update ids up to this one may have been given out
--   programs: text  ids of the bot's programs (',1,5,')
--   seesHeld: text  the programs that also get what is held (',1,5,')
--   filters: text, filtersDigest: text  what decides which programs get an update, '' for none
--   pushing: text  the programs that push (' 5:1:target', with 1 unless it is paused)
--   programPrefix: text  of the keys of programs
--   drops: flag  waiting updates
--   dropsOf: digits?  the program for which waiting updates are dropped
-- @reply
--   GONE  the state is of another registration
--   OLD  a newer configuration was applied already
--   OK waits: flag  something waits for push
--     more: flag  a deleted program left more: the call is repeated
-- @include clock
-- @include state
-- @include trim
-- @include ids
-- @include programs
-- @include deleted-programs
-- @include reader-switches
local bot = {
  id = botId,
  registration = registrationId,
  now = serverNow(),
  state = state,
  history = history,
  pendingTurns = pendingTurns,
  log = log,
  consumers = consumers,
  deliveredAhead = deliveredAhead,
  prefix = programPrefix,
  push = { lanes = lanes, inFlight = inFlight, work = work, redriven = redriven, lanePrefix = lanePrefix },
  rules = {
    lanes = rulesLanes,
    inFlight = rulesInFlight,
    work = rulesWork,
    redriven = rulesRedriven,
    lanePrefix = rulesLanePrefix,
  },
}
-- @read known <- state: registrationId, revision
if known.registrationId and known.registrationId ~= registrationId then return { 'GONE' } end
if known.registrationId and tonumber(known.revision) > revision then return { 'OLD' } end
if not known.registrationId then createState(bot) end
beginAbove(state, reservedId, known.registrationId == nil)

-- @read s <- state: lastId, allowedCount, pull, push, pushKeptUntil, pullCursor, pullCursorCount, pushCursor, rules, on, wokenPrograms, moves
-- The other server knows no offset of ours, and its ids may be lower. Whoever polled the one before is refused.
if (s.moves or '0') ~= moves then
  writeState(state, { '@moves', moves, '@pollOffset', 0, '@newestIsOurs', 1, '@seenProlonged', '' })
  redis.call('HINCRBY', state, '@pollingFencingToken', 1)
end
bot.last, bot.count, bot.on = tonumber(s.lastId), tonumber(s.allowedCount), on
bot.woken = s.on == '1' and s.wokenPrograms or ''
local before = {
  pull = s.pull == '1',
  push = s.push == '1',
  rules = s.rules == '1',
  on = s.on == '1',
  isParked = tonumber(s.pushKeptUntil) > bot.now,
  pullCursor = tonumber(s.pullCursor),
  pullCursorCount = s.pullCursorCount,
  pushCursor = tonumber(s.pushCursor),
}

-- Whoever applies a configuration first does what its changes do to cursors, and nobody does it again.
local handsOver, retries = false, false
for _, change in ipairs(cjson.decode(changesJson)) do
  if change.revision > tonumber(known.revision or 0) then
    handsOver = handsOver or change.handOver
    retries = retries or change.retryNow
  end
end

-- The programs that this call leaves as they are: those of the configuration, and deleted ones of which more is left.
local kept, more = programs, false
for _, name in ipairs(redis.call('HKEYS', consumers)) do
  local id = string.sub(name, 9)
  if isProgram(name) and not string.find(programs, ',' .. id .. ',', 1, true) and deadLetterTaken(bot, name) then
    kept, more = kept .. id .. ',', true
  end
end

local wanted = { pull = pull, push = push, rules = rules, handsOver = handsOver, drops = drops }
switchPush(bot, before, wanted)
switchPull(bot, before, wanted)
leaveOffPush(bot, before, wanted)
-- stylua: ignore
writeState(state, { '@pull', switchOf(pull), '@push', switchOf(push), '@manage', switchOf(manage), '@on', switchOf(on),
  '@allowed', allowed, '@revision', revision })
-- Nobody could poll before, so nobody was silent.
if known.registrationId and ((on and not before.on) or (pull and not before.pull)) then
  writeState(state, { '@servedSince', bot.now })
end
switchRules(bot, before, wanted)
if drops then dropWaitingOfBot(bot) end
if retries then retryBackend(bot) end
writeState(state, { '@seesHeld', seesHeld })
if filtersDigest == '' then
  redis.call('HDEL', state, '@filters', '@filtersDigest', '@albums')
else
  writeState(state, { '@filters', filters, '@filtersDigest', filtersDigest })
end
redis.call('HSET', state, '@wokenPrograms', applyPrograms(bot, programs, kept, pushing))
if dropsOf ~= '' and string.find(programs, ',' .. dropsOf .. ',', 1, true) then dropWaiting(bot, dropsOf) end
-- A poll may have heard of what is dropped now.
if drops or pull ~= before.pull then redis.call('PUBLISH', '@channels.appended', botId) end
trimLog(state, log, consumers, bot.now)
local waits = redis.call('EXISTS', lanes) == 1
  or #redis.call('XRANGE', log, '(' .. redis.call('HGET', state, '@pushCursor'), '+', 'COUNT', 1) > 0
-- If the wake that follows is lost, upkeep finds this pending turn, or an append a minute later, where the turn still sleeps from
-- before. A turn of a push that was on already knows of its work.
if waits and push and on and not (before.push and before.on) then
  redis.call('ZADD', pendingTurns, 'NX', bot.now, pushTurnOf(bot))
end
return reply.OK { waits = waits, more = more }
