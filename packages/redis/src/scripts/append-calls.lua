-- Appends captured calls to the history stream, unless the bot is gone or keeps no history. A batch that was appended
-- before is skipped, because only its reply was lost.
-- @keys state, history, pendingTurns, holds
--   batches  bot id → number of the process's newest batch
--   live
-- @args registrationId: text, botId: digits
--   batch: digits  its number, above all earlier ones of the process
--   activityPrefix: text, shardActivityPrefix: text  of the keys of lib/activity.lua
--   ...calls: text  in lines: captured at (ms), method, params (JSON), actor (JSON, '' if only the bot is known), key of its
--       audit entry ('' for none), why parameters are missing ('' if none are), and the rest is the result (JSON).
--       packages/domain/src/records/history/stream/history-codec.ts writes them and reads the records
-- @reply
--   GONE  the bot is not set up
--   OFF  its history is not kept
--   OK wakeHistory: flag, sends: flag  the outbox of the bot sends, and wants to know what else is sent
-- @include state
-- @include activity
-- @include live
-- @include clock
-- @include hold
local BATCHES_LIFE_S = 3600
-- A turn of the outbox says every few seconds that it goes on.
local OUTBOX_SENDS_MS = 10000
local CALL = '^(%d+)\n(%l+)\n([^\n]*)\n([^\n]*)\n([^\n]*)\n([^\n]*)\n()'

-- @read s <- state: registrationId, manage, watchedUntil, outboxAt
if not s.registrationId then return { 'GONE' } end
if s.registrationId ~= registrationId or s.manage ~= '1' then return { 'OFF' } end

local now = serverNow()
local anyHeld, known = nil, {}

-- True if the bot's program wrote in a chat that a person has taken over. What a person sent names the account.
local function isSentWhileHeld(method, params, actor, result)
  if not (string.find(method, '^send') or string.find(method, '^forward') or string.find(method, '^copy')) then
    return false
  end
  if string.find(actor, '"accountId":', 1, true) then return false end
  if anyHeld == nil then anyHeld = redis.call('EXISTS', holds) == 1 end
  if not anyHeld then return false end
  local chat = chatOfEntry('', result) or string.match(params, '"chat_id":"(-?%d+)"')
  return chat ~= nil and heldAs(holds, known, chat, result .. params, now) ~= nil
end

local function recordOf(call)
  local at, method, params, actor, auditKey, incomplete, resultAt = string.match(call, CALL)
  local result = string.sub(call, resultAt)
  -- stylua: ignore
  local record = { 't', 'call', 'b', botId, 'g', registrationId, 'a', at, 'm', method, 'p', params,
    'r', result }
  if actor ~= '' then addField(record, 'u', actor) end
  if auditKey ~= '' then addField(record, 'c', auditKey) end
  if incomplete ~= '' then addField(record, 'n', incomplete) end
  if isSentWhileHeld(method, params, actor, result) then addField(record, 'h', '1') end
  return record
end

if tonumber(redis.call('HGET', batches, botId) or 0) < tonumber(batch) then
  local watched = tonumber(s.watchedUntil or 0) > now
  for i in each(calls) do
    local record = recordOf(calls[i])
    redis.call('XADD', history, '*', unpack(record))
    if watched then addLive(live, #table.concat(record), unpack(record)) end
  end
  countActivity(activityPrefix, shardActivityPrefix, now, 0, 0, 0, 0, count(calls))
  if watched then announceLive(botId) end
  redis.call('HSET', batches, botId, batch)
  redis.call('EXPIRE', batches, BATCHES_LIFE_S)
end
return reply.OK {
  wakeHistory = redis.call('ZADD', pendingTurns, 'NX', now, 'history'),
  sends = now - tonumber(s.outboxAt or 0) < OUTBOX_SENDS_MS,
}
