/** Fields of a bot's state whose stored names are older than their names in code; running releases read the stored ones. */
export const stateFields = {
  registrationId: 'gen',
  revision: 'rev',
  lastId: 'last',
  allowedCount: 'n',
  pullCursor: 'acked',
  pullCursorCount: 'ackedN',
  pushCursor: 'filed',
  pushCursorCount: 'filedN',
  pushPending: 'pend',
  pushFloor: 'floor',
  rulesCursor: 'looked',
  rulesUnread: 'unlooked',
  rulesPending: 'routing',
  rulesFloor: 'ruledTo',
  pollingFencingToken: 'e:polling',
  pushFencingToken: 'e:push',
  rulesFencingToken: 'e:rules',
  pushClaim: 'round:push',
  rulesClaim: 'round:rules',
  pushSuspect: 'alone:push',
  rulesSuspect: 'alone:rules',
  failingSince: 'failSince',
  probeIntervalMs: 'probeMs',
  openUntil: 'closedUntil',
  hasDeliveredAhead: 'hides',
} as const;

/** Fields that are stored under their names in code. */
const SAME_NAMES = [
  ...['pull', 'push', 'manage', 'on', 'rules', 'allowed', 'parked', 'run', 'own', 'reserved', 'keptFrom', 'prevAck'],
  ...['prevAckAt', 'prevOffset', 'prevAt', 'pollOffset', 'pollOkAt', 'refusedAt', 'pushOkAt', 'pushErr', 'pushErrAt'],
  ...['goneSince', 'updateAt', 'pulledAt', 'trimmedAt', 'hookOkAt', 'watchedUntil', 'seenProlonged'],
  ...['filters', 'filtersDigest', 'albums'],
  // `programs`: those that updates wake. The others are fields of a program's own hash.
  ...['programs', 'target', 'parkedAt', 'parkedFor', 'polledAt'],
];

/** The stored name of a field; throws for a name that no field has, so that no script is loaded with one. */
export function storedName(name: string): string {
  const older = Object.hasOwn(stateFields, name) ? stateFields[name as keyof typeof stateFields] : undefined;
  if (older === undefined && !SAME_NAMES.includes(name)) throw new Error(`a bot's state has no field ${name}`);
  return older ?? name;
}
