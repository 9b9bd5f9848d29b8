-- One round of a rules turn: records what became of updates, files what is to be routed, shows what is new and hands
-- out what is due. Lanes flow on their own; the members of an album leave their lane together.
-- KEYS  as lib/reader.lua says
-- ARGV  as lib/reader.lua says, and after what has finished: how long an album is waited for (ms); everything up to this
--       id was looked at ('' nothing new); how many updates that were; then per one to be routed: lane, id, album ('' when
--       it is in none)
-- RESULT as lib/reader.lua says, with {newest id shown ('' none), revision of the configuration, {id, lane, kind, raw …}}
local READER = 'rules'
-- @include reader
local LOOK_AT_ONCE = 100

local s = redis.call('HMGET', state, 'gen', 'e:rules', 'on', 'rules', 'round:rules', 'looked', 'unlooked', 'routing', 'rev',
  'alone:rules')
local fencingToken, refusal = own(READER, s)
if not fencingToken then return { refusal } end
waiting = tonumber(s[8])
local looked, unlooked = tonumber(s[6]), tonumber(s[7])

local mine = settle()
local gatherMs, lookedTo, count = tonumber(ARGV[mine]), tonumber(ARGV[mine + 1]), tonumber(ARGV[mine + 2])
for at = mine + 3, #ARGV, 3 do
  local lane, id, album = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  if tonumber(id) > looked then
    if album ~= '' then redis.call('HSET', work, 'g:' .. id, album) end
    fileInLane(lane, id)
  end
end
if lookedTo and lookedTo > looked then
  looked = lookedTo
  unlooked = math.max(0, unlooked - count)
end

local active, shownTo, shown, units = s[3] == '1', '', {}, {}
if active then
  for _, found in ipairs(redis.call('XRANGE', log, '(' .. looked, '+', 'COUNT', LOOK_AT_ONCE)) do
    local entry = fieldsOf(found)
    shownTo = entry.id
    if entry.kind == 'message' or entry.kind == 'channel_post' or entry.kind == 'business_message' then
      shown[#shown + 1], shown[#shown + 2], shown[#shown + 3], shown[#shown + 4] = entry.id, entry.lane, entry.kind, entry.raw
    end
  end
  units = handOut(s[10], gatherMs)
end
note('looked', looked, 'unlooked', unlooked, 'routing', waiting)
return answer(fencingToken, active, looked, 'ruledTo', shownTo ~= '', 0, { shownTo, tonumber(s[9]), shown }, units)
