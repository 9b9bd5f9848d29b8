-- Claims an Idempotency-Key of a bot for a call, or says how the call stands that claimed it first.
-- @keys entries  hash: digest of a key → its call, as in lib/idempotency.lua; `bytes` → those of all answers
--   claimed  sorted set: digest → when (ms) it was claimed
--   answers  sorted set: digest → when (ms) its answer was stored, while that is kept
-- @args digest: text, claim: text
--   leaseMs: number  the claim ends unless its process renews it
--   keptMs: number
--   keysAtMost: number  of a bot
-- @reply
--   CLAIMED
--   RUNNING leaseMs: number  that is left of the claim
--   ENDED params: text, answer: text  '' for an answer that is not kept
--   UNKNOWN
--   FULL retryAfterMs: number  until the oldest key is forgotten
-- @include clock
-- @include idempotency
local DROPPED_AT_ONCE = 20
local keys = { entries = entries, claimed = claimed, answers = answers }
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
  if redis.call('ZCARD', claimed) >= keysAtMost then
    local oldest = redis.call('ZRANGE', claimed, 0, 0, 'WITHSCORES')
    return reply.FULL { retryAfterMs = math.max(1, tonumber(oldest[2]) + keptMs - now) }
  end
  redis.call('HSET', entries, digest, 'r' .. string.format('%.0f', now + leaseMs) .. ':' .. claim)
  redis.call('ZADD', claimed, now, digest)
  for _, key in ipairs({ entries, claimed, answers }) do
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
