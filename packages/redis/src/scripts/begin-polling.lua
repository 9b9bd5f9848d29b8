-- Makes the caller the owner of a bot's polling: every older fencing token is refused from now on.
-- KEYS  1 state
-- ARGV  1 registration id  2 now (ms)
-- RESULT {'GONE'} | {'OFF'}
--      | {'OK', fencing token, next offset to ask the platform for, last success of that (ms),
--         updates that wait for the quickest reader, and for the slowest, since when the platform refuses it (ms, 0: not)}
-- @include state
-- @include backlog
-- @read s <- KEYS[1]: registrationId, on, pollOffset, pollOkAt, refusedAt, allowedCount, pull, push, parked,
--   pullCursorCount, pushCursorCount, pushPending, rules, rulesUnread, rulesPending
if s.registrationId ~= ARGV[1] then return { 'GONE' } end
if s.on ~= '1' then return { 'OFF' } end
local quickest, slowest = backlogOf(s, tonumber(ARGV[2]))
return { 'OK', redis.call('HINCRBY', KEYS[1], '@pollingFencingToken', 1), tonumber(s.pollOffset), tonumber(s.pollOkAt or 0),
  quickest, slowest, tonumber(s.refusedAt or 0) }
