-- How many updates wait for a bot's active readers: at the quickest of them, which intake is limited by, and at the
-- slowest, which is what they take of memory. Both 0 where nobody reads. The values of a state, in this order:
--   1 n  2 pull  3 push  4 parked  5 ackedN  6 filedN  7 pend  8 rules  9 unlooked  10 routing
local function waitingOf(s, now)
  local n, quickest, slowest = tonumber(s[1]), nil, 0
  if s[2] == '1' then
    quickest = n - tonumber(s[5])
    slowest = quickest
  end
  if s[3] == '1' or tonumber(s[4]) > now then
    local behind = n - tonumber(s[6]) + tonumber(s[7])
    quickest = math.min(quickest or behind, behind)
    slowest = math.max(slowest, behind)
  end
  if s[8] == '1' then
    local behind = tonumber(s[9]) + tonumber(s[10])
    -- Rules stop intake only where nobody else reads.
    quickest = quickest or behind
    slowest = math.max(slowest, behind)
  end
  return quickest or 0, slowest
end
