-- Appends how often rules acted to the history stream, whose writer adds it up. owner: bot, registration, now (text); hits: ids of
-- rules, each with how often: '5 1 8 3'. Returns whether the history is pending since now.
local function addHits(history, pendingTurns, owner, hits)
  -- stylua: ignore
  redis.call('XADD', history, '*', 't', 'hits', 'b', owner.bot, 'g', owner.registration, 'a', owner.now, 'h', hits)
  return redis.call('ZADD', pendingTurns, 'NX', owner.now, 'history') == 1
end
