-- @include activity
-- A number from decoded JSON, or nil; cjson decodes null to a value that is not nil.
local function numberIn(value)
  return type(value) == 'number' and value or nil
end

-- The bot, its shard and the reader count it as given up, whichever script gives it up.
local function countGivenUp(history, origin)
  local shard = string.match(history, '^(.*:)history$')
  local bot = shard .. 'bot:' .. origin.bot
  countActivity(bot .. ':activity:', shard .. 'activity:', origin.now, 0, 0, 1, 0, 0)
  countOfReader(bot .. ':reader-minutes:' .. origin.reader .. ':', origin.now, 0, 1, 0, '')
end

-- Appends a dead letter to the history stream, under the names of its codec (history-codec.ts).
--   origin: bot, registration, now, reader; entry: id, raw, and exclusive ('1' or '0'): whether the program that
--   gives it up took it alone, so that nobody else has it; failure: code, reason, attempts, and where known lastStatus,
--   firstFailedAtMs, lastFailedAtMs, destinations (JSON), excerpt
local function addDeadLetter(history, origin, entry, failure)
  local exclusive = string.sub(origin.reader, 1, 8) == 'program:' and entry.exclusive or '0'
  -- stylua: ignore
  redis.call('XADD', history, '*', 't', 'dead', 'b', origin.bot, 'g', origin.registration, 'a', origin.now,
    'i', entry.id, 'u', entry.raw, 'd', origin.reader, 'w', failure.reason, 'c', failure.attempts,
    's', failure.lastStatus or '', 'code', failure.code, 'firstFailedAt', failure.firstFailedAtMs or '',
    'lastFailedAt', failure.lastFailedAtMs or '', 'destinations', failure.destinations or '', 'excerpt', failure.excerpt or '', 'exclusive', exclusive)
  countGivenUp(history, origin)
end
