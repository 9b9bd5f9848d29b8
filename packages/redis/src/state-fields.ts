/**
 * Fields of a bot's state that TypeScript reads by their older, stored names; `scripts/lib/state.lua` has all of them.
 */
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
