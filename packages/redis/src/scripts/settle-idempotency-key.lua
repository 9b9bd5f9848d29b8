-- Says how the call of a claim stands: it runs on, it ended, nobody knows how it ended, or it was not sent.
-- @keys entries, claimed, scopes  as of claim-idempotency-key
-- @args answersPrefix: text, botId: digits, digest: text, claim: text
--   outcome: running|ended|unknown|free
--   params: text, answer: text  of one that ended; '' for an answer that is not kept
--   leaseMs: number, keptMs: number
--   bytesAtMost: number  of all answers of a bot
-- @reply flag  the claim still held, or nobody had claimed the key after Redis lost it
-- @include clock
-- @include idempotency
local keys = { entries = entries, claimed = claimed, scopes = scopes, answersPrefix = answersPrefix }
local entry = redis.call('HGET', entries, digest)
local state, _, holder = runningOf(entry)
local isLost = not entry and outcome == 'ended'
if holder ~= claim and not isLost then return 0 end
local now = serverNow()
if outcome == 'running' then
  redis.call('HSET', entries, digest, state .. string.format('%.0f', now + leaseMs) .. ':' .. claim)
  return 1
end
if outcome == 'free' then
  dropKey(keys, digest)
elseif outcome == 'unknown' then
  redis.call('HSET', entries, digest, 'u')
else
  if isLost then addKey(keys, digest, now) end
  keepEnded(keys, digest, 'd' .. params .. answer, now, bytesAtMost, 2 * keptMs)
  for _, key in ipairs({ entries, claimed, scopes }) do
    redis.call('PEXPIRE', key, 2 * keptMs)
  end
end
if state == 'w' then redis.call('PUBLISH', '@channels.idempotencyKeys', botId .. ':' .. digest) end
return 1
