-- The journal of a reader: one line for each attempt, or for each update that was accepted, the newest first
-- (packages/domain/src/records/journal). Its oldest lines go to the history stream page by page, and from there to Postgres.
-- @include state
local LINES_KEPT, LINES_A_PAGE = 100, 100
-- Far fewer than Lua can pass to a command.
local LINES_AT_ONCE = 1000

-- Adds lines, the newest last. owner: bot, registration, now (text); name: of the reader. Returns whether pages went to the
-- history stream, which is then pending.
local function addLines(list, history, owner, name, lines)
  local length = 0
  for first = 1, #lines, LINES_AT_ONCE do
    length = redis.call('LPUSH', list, unpack(lines, first, math.min(#lines, first + LINES_AT_ONCE - 1)))
  end
  local pages = 0
  while length - pages * LINES_A_PAGE >= LINES_KEPT + LINES_A_PAGE do
    pages = pages + 1
    local last = -1 - (pages - 1) * LINES_A_PAGE
    local page = redis.call('LRANGE', list, textOf(last - LINES_A_PAGE + 1), textOf(last))
    -- stylua: ignore
    redis.call('XADD', history, '*', 't', 'lines', 'b', owner.bot, 'g', owner.registration, 'a', owner.now, 'd', name,
      'l', table.concat(page, '\n'))
  end
  if pages > 0 then redis.call('LTRIM', list, '0', textOf(length - pages * LINES_A_PAGE - 1)) end
  return pages > 0
end

-- The journal's line of an accepted update: when, its id, how it came (p polling, w webhook), whether the default readers
-- asked for it, the message and the chat that it is about where the lane does not say, its mark, lane and kind.
local function acceptedLine(at, id, via, allowed, raw, mark, lane, kind)
  local message = string.match(raw, '"message_id":%s*(%d+)') or '-'
  local chat = string.sub(lane, 1, 2) ~= 'c:' and string.match(raw, '"chat":%s*{%s*"id":%s*(-?%d+)') or '-'
  local about = (allowed and ' 0 ' or ' 1 ') .. message .. ' ' .. chat .. ' ' .. (mark == '' and '-' or mark)
  return at .. ' ' .. id .. ' ' .. via .. about .. ' ' .. lane .. ' ' .. kind
end
