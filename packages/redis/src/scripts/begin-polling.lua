-- Makes the caller the owner of a bot's polling: every older fencing token is refused from now on.
-- @keys state, log, consumers
-- @args registrationId: text
-- @reply
--   GONE, OFF
--   OK fencingToken: number
--     pollOffset: number  to ask the platform for
--     polledAgoMs: number?  last success of that
--     quickest: number, slowest: number  updates that wait for the quickest reader, and for the slowest
--     refusedForMs: number?  for how long the platform has refused it; absent when it does not
-- @include state
-- @include backlog
-- @include trim
-- @include clock

-- @read s <- state: registrationId, on, pollOffset, pollOkAt, refusedAt, allowedCount, pull, push, pushKeptUntil,
--   pullCursorCount, pushCursorCount, pushPending, rules, rulesUnread, rulesPending, trimmedAt
if s.registrationId ~= registrationId then return { 'GONE' } end
if s.on ~= '1' then return { 'OFF' } end
local now = serverNow()
local quickest, slowest = backlogOf(s, now)
-- While the backlog is full nothing is appended, which would trim, and what has expired must not keep it full.
if slowest > 0 and now - tonumber(s.trimmedAt) > TRIM_EVERY_MS then
  s.pullCursorCount = trimLog(state, log, consumers, now)
  quickest, slowest = backlogOf(s, now)
end
local polledAt, refusedAt = tonumber(s.pollOkAt or 0), tonumber(s.refusedAt or 0)
return reply.OK {
  fencingToken = redis.call('HINCRBY', state, '@pollingFencingToken', 1),
  pollOffset = tonumber(s.pollOffset),
  polledAgoMs = polledAt > 0 and now - polledAt or '',
  quickest = quickest,
  slowest = slowest,
  refusedForMs = refusedAt > 0 and now - refusedAt or '',
}
