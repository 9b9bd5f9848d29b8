-- Says that a pending turn is served now, so that upkeep does not take its wake for lost.
-- @keys pendingTurns
-- @args turn: text
-- @reply flag  it is pending
-- @include clock
if not redis.call('ZSCORE', pendingTurns, turn) then return 0 end
redis.call('ZADD', pendingTurns, serverNow(), turn)
return 1
