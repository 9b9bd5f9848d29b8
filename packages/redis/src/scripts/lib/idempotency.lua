-- The Idempotency-Keys of a bot. An entry is `r<until>:<claim>` while its call runs, `w…` if another call waits for that one,
-- `u` if nobody knows how it ended, and `d<digest of its parameters><answer>` when it has ended. A digest begins with that of its
-- scope, whose share is counted: in field `keys:<scope>` of the entries, in `scopes`, and in a sorted set of its own answers.
local STATE_AND_PARAMS = 23
local SCOPE = 4

local function scopeOf(digest)
  return string.sub(digest, 1, SCOPE)
end

-- Sorted set: digest → when (ms) its answer was stored, while that is kept.
local function answersOf(keys, scope)
  return keys.answersPrefix .. scope
end

-- The state of a call that runs, and the name of its claim; nil for one that does not run.
local function runningOf(entry)
  local state, untilMs, claim = string.match(entry or '', '^([rw])(%d+):(.*)$')
  return state, tonumber(untilMs), claim
end

-- Counts bytes of answers, of the scope and of all.
local function countBytes(keys, scope, bytes)
  if tonumber(redis.call('ZINCRBY', keys.scopes, bytes, scope)) <= 0 then redis.call('ZREM', keys.scopes, scope) end
  return redis.call('HINCRBY', keys.entries, 'kept', bytes)
end

local function addKey(keys, digest, now)
  redis.call('ZADD', keys.claimed, now, digest)
  redis.call('HINCRBY', keys.entries, 'keys:' .. scopeOf(digest), 1)
end

local function dropKey(keys, digest)
  local scope = scopeOf(digest)
  local entry = redis.call('HGET', keys.entries, digest) or ''
  if redis.call('ZREM', answersOf(keys, scope), digest) == 1 then countBytes(keys, scope, -#entry) end
  redis.call('HDEL', keys.entries, digest)
  redis.call('ZREM', keys.claimed, digest)
  local count = 'keys:' .. scope
  if redis.call('HINCRBY', keys.entries, count, -1) <= 0 then redis.call('HDEL', keys.entries, count) end
end

-- Stores an ended call. Beyond the bytes that a bot may have, the oldest answers of the scope with most go; their keys stay.
local function keepEnded(keys, digest, entry, now, bytesAtMost, keptMs)
  redis.call('HSET', keys.entries, digest, entry)
  if #entry == STATE_AND_PARAMS then return end
  local scope = scopeOf(digest)
  redis.call('ZADD', answersOf(keys, scope), now, digest)
  redis.call('PEXPIRE', answersOf(keys, scope), keptMs)
  local bytes = countBytes(keys, scope, #entry)
  while bytes > bytesAtMost do
    local most = redis.call('ZREVRANGE', keys.scopes, 0, 0)[1]
    local oldest = most and redis.call('ZPOPMIN', answersOf(keys, most))[1]
    if not oldest then return end
    local old = redis.call('HGET', keys.entries, oldest)
    redis.call('HSET', keys.entries, oldest, string.sub(old, 1, STATE_AND_PARAMS))
    bytes = countBytes(keys, most, -#old)
  end
end
