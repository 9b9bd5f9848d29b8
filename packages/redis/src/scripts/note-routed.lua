-- Stores the progress of a unit's routing, and appends links between messages and hits of rules to the history stream.
-- @keys state, rulesWork, history, pendingTurns
-- @args registrationId: text, fencingToken: digits
--   botId: digits
--   hits: text  of rules, as lib/rule-hits.lua says; '' for none
--   inLane: text  id in its lane
--   progress: text  JSON
--   ...records: scalar  of the links, as lib/history-records.lua says
-- @reply
--   GONE
--   FENCED wakeHistory: flag  links are kept even from an owner that was replaced
--   OK wakeHistory: flag
-- @include history-records
-- @include rule-hits
-- @include state
-- @include clock
-- @read s <- state: registrationId, rulesFencingToken
if s.registrationId ~= registrationId then return { 'GONE' } end
local wakeHistory, now = false, serverNow()
addHistoryRecords(history, ARGV, span(records))
if count(records) > 0 then wakeHistory = redis.call('ZADD', pendingTurns, 'NX', now, 'history') == 1 end
if s.rulesFencingToken ~= fencingToken then return reply.FENCED { wakeHistory = wakeHistory } end
redis.call('HSET', rulesWork, 'p:' .. inLane, progress)
if hits ~= '' then
  local owner = { bot = botId, registration = registrationId, now = textOf(now) }
  wakeHistory = addHits(history, pendingTurns, owner, hits) or wakeHistory
end
return reply.OK { wakeHistory = wakeHistory }
