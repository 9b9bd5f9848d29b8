/** Fields of a bot's state that TypeScript reads and whose stored names are older; `scripts/lib/state.lua` has them all. */
export const stateFields = {
  revision: 'rev',
  allowedCount: 'n',
  pullCursorCount: 'ackedN',
  pushCursorCount: 'filedN',
  pushPending: 'pend',
  rulesUnread: 'unlooked',
  rulesPending: 'routing',
  failingSince: 'failSince',
  openUntil: 'closedUntil',
} as const;
