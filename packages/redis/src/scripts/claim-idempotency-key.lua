-- Claims an Idempotency-Key of a bot for a call, or says how the call stands that claimed it first.
-- @keys entries  hash: digest of a key → its call, as in lib/idempotency.lua; `kept` → bytes of all answers
--   claimed  sorted set: digest → when (ms) it was claimed
--   scopes  sorted set: scope → bytes of its answers
-- @args answersPrefix: text  of the keys of answers of a scope
--   digest: text, claim: text
--   leaseMs: number  the claim ends unless its process renews it
--   keptMs: number
--   keysAtMost: number  of a bot
--   share: number  a scope may have this many times what is left
-- @reply
--   CLAIMED
--   RUNNING leaseMs: number  that is left of the claim
--   ENDED params: text, answer: text  '' for an answer that is not kept
--   UNKNOWN
--   FULL retryAfterMs: number  of the bot, or the share of the scope; until the oldest key is forgotten
-- @include clock
-- @include idempotency
local DROPPED_AT_ONCE = 20
local keys = { entries = entries, claimed = claimed, scopes = scopes, answersPrefix = answersPrefix }
local now = serverNow()
for _, old in ipairs(redis.call('ZRANGE', claimed, '-inf', now - keptMs, 'BYSCORE', 'LIMIT', 0, DROPPED_AT_ONCE)) do
  dropKey(keys, old)
end
local claimedAt = tonumber(redis.call('ZSCORE', claimed, digest) or nil)
if claimedAt and claimedAt <= now - keptMs then
  dropKey(keys, digest)
  claimedAt = nil
end
if not claimedAt then
  local left = keysAtMost - redis.call('ZCARD', claimed)
  local own = tonumber(redis.call('HGET', entries, 'keys:' .. scopeOf(digest)) or 0)
  if left <= 0 or own >= share * left then
    local oldest = redis.call('ZRANGE', claimed, 0, 0, 'WITHSCORES')
    return reply.FULL { retryAfterMs = math.max(1, tonumber(oldest[2]) + keptMs - now) }
  end
  redis.call('HSET', entries, digest, 'r' .. string.format('%.0f', now + leaseMs) .. ':' .. claim)
  addKey(keys, digest, now)
  for _, key in ipairs({ entries, claimed, scopes }) do
    redis.call('PEXPIRE', key, 2 * keptMs)
  end
  return { 'CLAIMED' }
end
local entry = redis.call('HGET', entries, digest)
local state, untilMs, holder = runningOf(entry)
if state and untilMs > now then
  if state == 'r' then redis.call('HSET', entries, digest, 'w' .. string.format('%.0f', untilMs) .. ':' .. holder) end
  return reply.RUNNING { leaseMs = untilMs - now }
end
if string.sub(entry, 1, 1) ~= 'd' then return { 'UNKNOWN' } end
return reply.ENDED { params = string.sub(entry, 2, STATE_AND_PARAMS), answer = string.sub(entry, STATE_AND_PARAMS + 1) }
