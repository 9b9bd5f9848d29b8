// Lists the tests that run again over Redis Sentinel and Redis Cluster. Paths are patterns for Jest.

/** Both forms: how a process finds its servers, what its libraries ask of them, and what a killed server does. */
const CONNECTIONS = {
  'apps/api/src/auth/session\\.test':
    'sessions and sign-in limits: their libraries have commands and scripts of their own',
  'apps/api/src/live/': 'scripts that write live streams, and channels over all nodes',
  'apps/api/src/outages\\.test': 'servers are killed and restarted: commands fail fast, connections come back',
  'apps/api/src/queue-board/': 'BullMQ: its connections, and the prefix that keeps a queue in one slot',
  'apps/worker/src/worker\\.test': 'turns: locks, wakes, removal of a bot and of all its keys',
  'packages/system-tests/src/own-addresses\\.test': 'the addresses of every server of the form are no backends',
};

/** Cluster only: keys lie in slots, and slots on several masters. A Sentinel set has one master, as a single server is. */
const SLOTS = {
  'apps/api/src/bot-api-proxy/(capture|intercepts)\\.test':
    'calls appended to the history streams; a key that lets one through',
  'apps/api/src/bot-api-proxy/flood/': 'floods of all bots in one slot, and a channel that every process follows',
  'apps/api/src/bot-api-proxy/idempotency/keyed-calls\\.test':
    'keys of calls: scripts over three keys of a bot, and calls that are woken through a channel',
  'apps/api/src/endpoints/takeover\\.test': 'held chats: scripts over keys of a bot, and reads of many bots at once',
  'apps/api/src/endpoints/poll-updates\\.test': 'pull: its script, and polls that are woken through a channel',
  'packages/system-tests/src/deliveries\\.test': 'push: claims, retries, breakers, dead letters and their redrive',
  'packages/system-tests/src/fleet-overview\\.test':
    'the states of bots of all shards, read by a script for each; readers; processes',
  'packages/system-tests/src/key-rotation\\.test': 'the mirror is rewritten, and keys are searched for on every master',
  'packages/system-tests/src/platform-webhook\\.test': 'accepting once, with two processes and no turn',
  'packages/system-tests/src/two-installations\\.test':
    'the id of the installation that Redis belongs to, and the processes of it: read, set and taken over',
  'packages/system-tests/src/routing/routing\\.test': 'rules: a turn that writes for bots in other slots',
};

/**
 * With every change (.ci/run): tests whose result the form of Redis can change, each with its reason. Those over Cluster
 * run every Lua script, so a script whose keys are in two slots fails here.
 */
export const WITH_EVERY_CHANGE = { sentinel: CONNECTIONS, cluster: { ...CONNECTIONS, ...SLOTS } };

/** They run beside each other. Over a cluster most files wait for retries. */
export const FILES_AT_ONCE = { sentinel: 2, cluster: 4 };

/** Every night, and with `npm run test:cluster -- all`: everything that stores something in Redis. */
export const EVERY_NIGHT = [
  'packages/system-tests/src/',
  'apps/worker/src/worker\\.test',
  'apps/api/src/(auth|live|queue-board|probes)/',
  'apps/api/src/bot-api-proxy/(capture|intercepts|flood/flood-shield|idempotency/keyed-calls)\\.test',
  'apps/api/src/(outages|drain)\\.test',
  'apps/api/src/endpoints/(every-operation|poll-updates|takeover)\\.test',
];

/** Never: tests that the form cannot affect. */
export const SAME_OVER_EVERY_FORM = {
  'check-infra|env-example|generated-client|proxied-pages|shipped-nginx|echo-bots|pgbouncer|watch|database-connections|tracing':
    'no Redis at all, or none that anything is kept in',
  'images|managed-stores|npm-commands|metrics|replicas|lost-ids|start-without-stores|system-tests/src/tls/|auth-over-cluster':
    'they start a Redis of their own: one that they restart or cut off, one with rights, one of each form',
  'other-programs|installed-programs':
    "other people's programs: those of the client libraries show what the form changes",
  'key-timing': 'measures rather than checks',
};
