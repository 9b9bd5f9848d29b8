-- The Idempotency-Keys of a bot. An entry is `r<until>:<claim>` while its call runs, `w…` if another call waits for that one,
-- `u` if nobody knows how it ended, and `d<digest of its parameters><answer>` when it has ended.
local STATE_AND_PARAMS = 23

-- The state of a call that runs, and the name of its claim; nil for one that does not run.
local function runningOf(entry)
  local state, untilMs, claim = string.match(entry or '', '^([rw])(%d+):(.*)$')
  return state, tonumber(untilMs), claim
end

-- Takes the answer of an entry out of the count of bytes.
local function forgetAnswer(keys, digest, entry)
  if redis.call('ZREM', keys.answers, digest) == 1 then redis.call('HINCRBY', keys.entries, 'bytes', -#entry) end
end

local function dropKey(keys, digest)
  forgetAnswer(keys, digest, redis.call('HGET', keys.entries, digest) or '')
  redis.call('HDEL', keys.entries, digest)
  redis.call('ZREM', keys.claimed, digest)
end

-- Stores an ended call. Beyond the bytes that a bot may have, the oldest answers go; their keys stay.
local function keepEnded(keys, digest, entry, now, bytesAtMost)
  redis.call('HSET', keys.entries, digest, entry)
  if #entry == STATE_AND_PARAMS then return end
  redis.call('ZADD', keys.answers, now, digest)
  local bytes = redis.call('HINCRBY', keys.entries, 'bytes', #entry)
  while bytes > bytesAtMost do
    local oldest = redis.call('ZPOPMIN', keys.answers)[1]
    if not oldest then return end
    local old = redis.call('HGET', keys.entries, oldest)
    redis.call('HSET', keys.entries, oldest, string.sub(old, 1, STATE_AND_PARAMS))
    bytes = redis.call('HINCRBY', keys.entries, 'bytes', -#old)
  end
end
