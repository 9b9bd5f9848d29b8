-- Makes the caller the owner of a bot's polling: every older fencing token is refused from now on.
-- @keys state, log, consumers
-- @args registrationId: text, nowMs: number
-- @reply
--   GONE, OFF
--   OK fencingToken: number
--     pollOffset: number  to ask the platform for
--     polledAtMs: number  last success of that
--     quickest: number, slowest: number  updates that wait for the quickest reader, and for the slowest
--     refusedAtMs: number  since when the platform refuses it, 0: not
-- @include state
-- @include backlog
-- @include trim

-- @read s <- state: registrationId, on, pollOffset, pollOkAt, refusedAt, allowedCount, pull, push, pushKeptUntil,
--   pullCursorCount, pushCursorCount, pushPending, rules, rulesUnread, rulesPending, trimmedAt
if s.registrationId ~= registrationId then return { 'GONE' } end
if s.on ~= '1' then return { 'OFF' } end
local quickest, slowest = backlogOf(s, nowMs)
-- While the backlog is full nothing is appended, which would trim, and what has expired must not keep it full.
if slowest > 0 and nowMs - tonumber(s.trimmedAt) > TRIM_EVERY_MS then
  s.pullCursorCount = trimLog(state, log, consumers, nowMs)
  quickest, slowest = backlogOf(s, nowMs)
end
return reply.OK {
  fencingToken = redis.call('HINCRBY', state, '@pollingFencingToken', 1),
  pollOffset = tonumber(s.pollOffset),
  polledAtMs = tonumber(s.pollOkAt or 0),
  quickest = quickest,
  slowest = slowest,
  refusedAtMs = tonumber(s.refusedAt or 0),
}
