-- Makes the caller the owner of a bot's polling: every older fencing token is refused from now on.
-- KEYS  1 state  2 log  3 consumers
-- ARGV  1 registration id  2 now (ms)
-- RESULT {'GONE'} | {'OFF'}
--      | {'OK', fencing token, next offset to ask the platform for, last success of that (ms),
--         updates that wait for the quickest reader, and for the slowest, since when the platform refuses it (ms, 0: not)}
-- @include state
-- @include backlog
-- @include trim

-- @read s <- KEYS[1]: registrationId, on, pollOffset, pollOkAt, refusedAt, allowedCount, pull, push, parked,
--   pullCursorCount, pushCursorCount, pushPending, rules, rulesUnread, rulesPending, trimmedAt
if s.registrationId ~= ARGV[1] then return { 'GONE' } end
if s.on ~= '1' then return { 'OFF' } end
local now = tonumber(ARGV[2])
local quickest, slowest = backlogOf(s, now)
-- While the backlog is full nothing is appended, which would trim, and what has expired must not keep it full.
if slowest > 0 and now - tonumber(s.trimmedAt) > TRIM_EVERY_MS then
  s.pullCursorCount = trimLog(KEYS[1], KEYS[2], KEYS[3], now)
  quickest, slowest = backlogOf(s, now)
end
return { 'OK', redis.call('HINCRBY', KEYS[1], '@pollingFencingToken', 1), tonumber(s.pollOffset), tonumber(s.pollOkAt or 0),
  quickest, slowest, tonumber(s.refusedAt or 0) }
