-- The outcomes of a call of a turn: its attempts are kept and shown to who watches, and counted.
-- @args from settle
--   tried: text  the attempts that the caller has made since its last call, a line each
--   measured: text  the same as lib/activity.lua counts them
--   hits: text  of rules, as lib/rule-hits.lua says; '' for none
--   activityPrefix: text, shardActivityPrefix: text, readerMinutesPrefix: text  of the keys of lib/activity.lua
-- @include turn
-- @include settle
-- @include journal
-- @include activity
-- @include live
-- @include rule-hits

-- Keeps the attempts that the turn has made since its last call. s: with watchedUntil
local function keepAttempts(turn, s, args)
  if turn.repeated or args.tried == '' then return end
  local lines = {}
  for line in string.gmatch(args.tried, '[^\n]+') do
    lines[#lines + 1] = line
  end
  local owner = { bot = turn.botId, registration = turn.registrationId, now = turn.nowText }
  local paged = addLines(turn.attempts, turn.history, owner, turn.reader, lines)
  if paged and redis.call('ZADD', turn.pendingTurns, 'NX', turn.nowText, 'history') == 1 then turn.wakeHistory = 1 end
  if tonumber(s.watchedUntil or 0) <= turn.now then return end
  for _, line in ipairs(lines) do
    addLive(turn.live, #line, 't', 'attempt', 'd', turn.reader, 'l', line)
  end
  announceLive(turn.botId)
end

-- Keeps how often rules acted on the units that this call settles.
local function keepHits(turn, args)
  if turn.repeated or args.hits == '' then return end
  local owner = { bot = turn.botId, registration = turn.registrationId, now = turn.nowText }
  if addHits(turn.history, turn.pendingTurns, owner, args.hits) then turn.wakeHistory = 1 end
end

-- When the last attempt of this call was made. Whoever lists attempts goes by their times, which are of the worker's clock.
local function lastAttempt(turn, args)
  local last
  for at in string.gmatch('\n' .. args.tried, '\n(%d+)') do
    if not last or tonumber(at) > tonumber(last) then last = at end
  end
  return last or turn.nowText
end

-- Counts for the bot, its shard and the reader, at the end of a call. What was given up is counted with its dead letter.
local function countOutcomes(turn, args)
  countActivity(args.activityPrefix, args.shardActivityPrefix, turn.now, 0, turn.delivered, 0, turn.retried, 0)
  -- An attempt at a backend that succeeded is an update that was delivered; an update that rules have sent on may be several.
  local delivered = turn.reader == 'rules' and turn.delivered or 0
  local attempts = turn.repeated and '' or args.measured
  local hasFailed = countOfReader(args.readerMinutesPrefix, turn.now, delivered, 0, turn.retried, attempts)
  if hasFailed then redis.call('ZADD', turn.failing, 'GT', lastAttempt(turn, args), turn.botId) end
end
