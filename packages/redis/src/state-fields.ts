/** The fields of a bot's state and of a program's hash, as stored; scripts/README.md says what they mean. */
const NAMES = [
  ...['registrationId', 'revision', 'run', 'on', 'pull', 'push', 'rules', 'manage', 'allowed', 'wokenPrograms'],
  ...[
    'lastId',
    'allowedCount',
    'newestIsOurs',
    'reserved',
    'moves',
    'seenProlonged',
    'albums',
    'filters',
    'filtersDigest',
  ],
  ...['pullCursor', 'pullCursorCount', 'keptFrom', 'prevAck', 'prevAckAt', 'prevOffset', 'prevAt'],
  ...['pushCursor', 'pushCursorCount', 'pushPending', 'pushFloor', 'pushFencingToken', 'pushClaim', 'pushSuspect'],
  ...['rulesCursor', 'rulesUnread', 'rulesPending', 'rulesFloor', 'rulesFencingToken', 'rulesClaim', 'rulesSuspect'],
  ...[
    'pollingFencingToken',
    'pollOffset',
    'pollOkAt',
    'pollErr',
    'pollErrAt',
    'pollTries',
    'refusedAt',
    'hookOkAt',
    'intakePausedAt',
    'intakeSince',
    'foreignAt',
    'foreignHost',
  ],
  ...['failingSince', 'probeIntervalMs', 'openUntil', 'goneSince', 'pushOkAt', 'pushErr', 'pushErrAt'],
  ...['updateAt', 'pulledAt', 'trimmedAt', 'watchedUntil', 'outboxAt', 'pushKeptUntil', 'heldUntil', 'seesHeld'],
  ...['servedSince', 'unreachableSince', 'unreachableAt', 'unreachableTimes', 'unreachableErr', 'polledBy'],
  ...['heldSends', 'sendsHeldSince'],
  // Of a program only.
  ...['target', 'hasDeliveredAhead', 'parkedAt', 'parkedFor', 'polledAt'],
] as const;

export type StateField = (typeof NAMES)[number];

export function isStateField(name: string): name is StateField {
  return (NAMES as readonly string[]).includes(name);
}
