/** How many hash slots the bots are spread over; part of every stored key, so it never changes. */
export const SHARDS = 64;

/** The shard a bot lives in: its log, its state and its history stream share one Redis Cluster slot. */
export function shardOf(botId: number): number {
  return botId % SHARDS;
}

const tag = (shard: number): string => `{s${shard}}`;

const activityPrefixOf = (owner: string): string => `${owner}:activity:`;

/** The keys that all bots of a shard share. */
export function shardKeys(shard: number) {
  return {
    /** Stream: the records that the history writer still has to put into Postgres. */
    history: `${tag(shard)}:history`,
    /** Sorted set: `<bot id>:<turn kind>`, `<bot id>:program:<id>` or `history` → since when (ms) that turn is pending; lib/pending.lua. */
    pendingTurns: `${tag(shard)}:pending-turns`,
    /** Sorted set: `<bot id>:<chat>` that somebody has taken over → until when (ms); lib/hold.lua. */
    heldChats: `${tag(shard)}:held-chats`,
    /** Sorted set: bot → when an attempt to deliver one of its updates failed last, ms. */
    failing: `${tag(shard)}:failing`,
    /** Hash: what the shard's bots did in that hour since 1970; see scripts/lib/activity.lua. */
    activity: (hour: number) => `${activityPrefixOf(tag(shard))}${hour}`,
  };
}

/** Hash: bot id → number of the newest batch of captured calls that this process put on the shard's history stream. */
export function callBatchesKey(shard: number, process: string): string {
  return `${tag(shard)}:calls:${process}`;
}

/** The keys of one bot. */
export function botKeys(botId: number) {
  const prefix = `${tag(shardOf(botId))}:bot:${botId}`;
  return {
    ...shardKeys(shardOf(botId)),
    prefix,
    /** Hash: registration id, ids, cursors, fencing tokens, switches (see scripts/README.md). */
    state: `${prefix}:state`,
    /** Stream: the update log. */
    log: `${prefix}:log`,
    /** Hash: named consumers, and programs as `program:<id>`: `<name>` → `<acknowledged id> <last poll, ms>`. */
    consumers: `${prefix}:consumers`,
    /** Set: ids that push delivered out of order, which pull leaves out after it took over from push. */
    deliveredAhead: `${prefix}:delivered-ahead`,
    /** Sorted set: lane → when its first update is due, ms. */
    lanes: `${prefix}:lanes`,
    /** List per lane: ids that wait. */
    lane: (lane: string) => `${prefix}:lane:${lane}`,
    /** Hash: lane → name of the claim that holds its first unit. */
    inFlight: `${prefix}:in-flight`,
    /** Hash: `s:<id>` how often its handling began without an end, `r:<id>` its failed tries (JSON). */
    work: `${prefix}:work`,
    /** Hash: `r<dead letter id>` → JSON of the update that is sent again. */
    redriven: `${prefix}:redriven`,
    /** Set: ids of dead letters that were redriven and may still be in Postgres, because a redrive did not end. */
    justRedriven: `${prefix}:just-redriven`,
    /** List: the newest lines of the journal of push, of rules, and of what was accepted; the newest first. */
    attempts: `${prefix}:attempts`,
    rulesAttempts: `${prefix}:rules:attempts`,
    accepted: `${prefix}:accepted`,
    /** List: the JSON texts of the newest updates, for a day; the newest first. */
    recent: `${prefix}:recent`,
    /** Hash: what a reader did in that hour; see countOfReader in scripts/lib/activity.lua. */
    readerMinutes: (reader: string, hour: number) => `${readerMinutesPrefix(botId, reader)}${hour}`,
    /** Stream: what happens to the bot while somebody watches it; it lives for a minute after that. */
    live: `${prefix}:live`,
    /** List: the beginnings of the newest failed answers of the backend. */
    excerpts: `${prefix}:excerpts`,
    /** Sorted set: JSON of what a token of that program was refused → when it last was, ms. */
    programRefusals: (programId: number) => `${prefix}:program:${programId}:refusals`,
    /** Like lanes, lane, inFlight, redriven and work, for turns of rules; this work has two more fields. */
    rulesLanes: `${prefix}:rules:lanes`,
    rulesLane: (lane: string) => `${prefix}:rules:lane:${lane}`,
    rulesInFlight: `${prefix}:rules:in-flight`,
    rulesRedriven: `${prefix}:rules:redriven`,
    /** Also `p:<id>` the progress of its routing (JSON), and `g:<id>` its album. */
    rulesWork: `${prefix}:rules:work`,
    /** Hash: chat that a person has taken over → until when (ms), for how long at a time (ms), since when (ms), and by whom. */
    holds: `${prefix}:holds`,
    /** Sorted set: updates that were held, by chat and id; see lib/hold.lua. */
    missed: `${prefix}:missed`,
    /** Hash: `<account id> <conversation>` that somebody of the team has open → since when (ms), what they do there, and their name. */
    present: `${prefix}:present`,
    /** List: what the router decided for messages of the bot (JSON), newest first. */
    decisions: `${prefix}:decisions`,
    /** JSON: the bot that the router chose for the chat; it lives while the choice holds. */
    choice: (chatId: number) => `${prefix}:choice:${chatId}`,
    /** Hash: who asked the model for the bot on that day since 1970 → how often; by messages, and by trials of rules. */
    modelCalls: (by: 'live' | 'trial', day: number) => `${prefix}:model-calls:${by}:${day}`,
    /** Before the id of a program; see `programKeys`. */
    programPrefix: `${prefix}:program:`,
    /** The outcomes of calls with an Idempotency-Key; see scripts/claim-idempotency-key.lua. */
    idempotency: {
      entries: `${prefix}:idempotency`,
      claimed: `${prefix}:idempotency:claimed`,
      scopes: `${prefix}:idempotency:scopes`,
    },
    /** Before the scope whose answers they are. */
    idempotencyAnswers: `${prefix}:idempotency:answers:`,
    /** Exists for an hour after an event told that the bot has no place for another one that somebody made for it. */
    toldOfRefusal: `${prefix}:told-of-refusal`,
    /** Who answered this callback query; for ten minutes, of bots with several readers. */
    answeredCallback: (queryId: string) => `${prefix}:answered:${queryId}`,
    /** Each exists for a second: a setWebhook, a test delivery and having a reader try again are possible once a second. */
    recentSetWebhook: `${prefix}:set-webhook`,
    recentTestDelivery: `${prefix}:test-delivery`,
    recentTry: (reader: string) => `${prefix}:try:${reader}`,
    /** Exists for an hour after a logOut or close that is in the audit log. */
    recentLogOut: `${prefix}:log-out`,
    /** Exists for a day after a worker asked the platform for the bot's username. */
    usernameCheck: `${prefix}:username-check`,
    /** Set by the worker that checks the bot's webhook at the platform next. */
    webhookCheck: `${prefix}:webhook-check`,
    /** The kinds, with commas between them, that the platform ignored when the bot's webhook was set there. */
    ignoredKinds: `${prefix}:ignored-kinds`,
    /** Hash: what the bot did in that hour, like that of its shard. */
    activity: (hour: number) => `${activityPrefixOf(prefix)}${hour}`,
    /** Hash: minute of that hour → how many updates waited when the fleet was looked at; only where some did. */
    waiting: (hour: number) => `${prefix}:waiting:${hour}`,
    /** Bitmap of 4,096 platform ids that were seen. A bot that moved to another server gets ids anew: `moves` counts that. */
    seen: (block: number, moves = 0) => `${prefix}:seen:${moves === 0 ? '' : `${moves}:`}${block}`,
  };
}

/** The keys of a program, named as in scripts/lib/programs.lua. They mean the same as those of push. */
export function programKeys(botId: number, programId: number) {
  const prefix = `${botKeys(botId).programPrefix}${programId}`;
  return {
    /** Hash: switches, cursor, fencing token and breaker; fields as in the state of a bot. */
    state: `${prefix}:state`,
    lanes: `${prefix}:lanes`,
    lane: (lane: string) => `${prefix}:lane:${lane}`,
    inFlight: `${prefix}:in-flight`,
    work: `${prefix}:work`,
    redriven: `${prefix}:redriven`,
    attempts: `${prefix}:attempts`,
    excerpts: `${prefix}:excerpts`,
    /** Set: ids that it had before it changed from push to pull, and its cursor went back. */
    deliveredAhead: `${prefix}:delivered-ahead`,
    /** Set: ids of chats that are bound to it, and `@<revision>` of these chats. */
    chats: `${prefix}:chats`,
    stagedChats: `${prefix}:chats:staged`,
    /** Sorted set: paths of files that getFile gave to one of its tokens → when, ms. */
    files: `${prefix}:files`,
    /** Exists for a second after a setWebhook with one of its tokens. */
    recentSetWebhook: `${prefix}:set-webhook`,
  };
}

/** How often tools that write were used with an API key in that minute since 1970. */
export function mcpWritesKey(keyId: number, minute: number): string {
  return `mcp-writes:${keyId}:${minute}`;
}

export const SEEN_BLOCK_IDS = 4096;

export const HOUR_MS = 3_600_000;

/** The beginning of the keys in which scripts count what the bot does; the hour follows. */
export function activityPrefixes(botId: number): { activityPrefix: string; shardActivityPrefix: string } {
  return {
    activityPrefix: activityPrefixOf(botKeys(botId).prefix),
    shardActivityPrefix: activityPrefixOf(tag(shardOf(botId))),
  };
}

/** The beginning of the keys in which scripts count what a reader of the bot does; the hour follows. */
export function readerMinutesPrefix(botId: number, reader: string): string {
  return `${tag(shardOf(botId))}:bot:${botId}:reader-minutes:${reader}:`;
}

/** Configuration mirror: every process follows it. */
export const configKeys = {
  /** Hash: bot id → sealed JSON of its configuration. */
  bots: '{config}:bots',
  /** Sorted set: bot id (also of deleted bots) → version of its last change. */
  changes: '{config}:changes',
  /** Rises with every change; absent after Redis came back empty. */
  version: '{config}:version',
} as const;

/**
 * String: the id of the installation that this Redis belongs to, or a word that says that only a copy uses it. A start reads it and
 * the mirror, so both are at one master of a Cluster.
 */
export const installationKey = '{config}:installation';

/** Sorted set: endpoint at which one of our processes listens → when (ms) it last said so. */
export const listenersKey = '{listeners}:places';

/** Hash: `<name>:ok`, `<name>:failed` → JSON of when calls to this server got through, or did not. */
export const upstreamsKey = '{upstreams}:health';

/** The processes that run now. */
export const replicaKeys = {
  /** Set: ids of processes, also of some that ended a while ago. */
  ids: '{replicas}:ids',
  /** String: JSON of what the process says about itself; expires unless the process repeats it. */
  one: (id: string) => `{replicas}:one:${id}`,
} as const;

/** Notices to people. */
export const eventKeys = {
  /** Set by the worker that looks. */
  look: '{events}:look',
  /** String: since when (ms) one look has followed another. It goes when nobody looks for a while. */
  lookedSince: '{events}:looked-since',
  lookAtLetters: '{events}:look-at-letters',
  lookAtHeld: '{events}:look-at-held',
  lookAtChats: '{events}:look-at-chats',
  /** String: the id of the last dead letter that was looked at. */
  lastLetter: '{events}:last-letter',
} as const;

/** Figures of the whole fleet, gathered by one worker at a time. */
export const figureKeys = {
  /** String: JSON of the newest ones. */
  newest: '{figures}:newest',
  /** Set by the worker that gathers the next ones. */
  turn: '{figures}:turn',
  /** Hash: minute of that hour → how many updates of all bots waited, 0 included: then the fleet was looked at. */
  waiting: (hour: number) => `{figures}:waiting:${hour}`,
} as const;

/** Set by the worker whose turn it is to roll the activity of closed hours up into Postgres. */
export const rollUpTurnKey = '{activity}:turn';

/** Credentials and sessions of accounts; each session and counter has a slot of its own. */
export const authKeys = {
  /** String that is drawn again with every change of an account or an API key: older cache entries are stale. */
  version: '{auth}:version',
  session: (id: string) => `flotilla:session:${id}`,
  /** Sorted set: session of the account → when (ms) it was last used. It may name sessions that have ended. */
  sessionsOf: (accountId: number) => `flotilla:sessions-of:${accountId}`,
  /** String: JSON of the account that a link signs in, by the hash of the link's token. */
  signInLink: (tokenHash: string) => `flotilla:sign-in-link:${tokenHash}`,
  /** String: the hash of the only link that signs the account in. */
  signInLinkOf: (accountId: number) => `flotilla:sign-in-link-of:${accountId}`,
  /** String: JSON of a sign-in at the identity provider, by the hash of the cookie of the browser that began it. */
  oidcAttempt: (cookieHash: string) => `flotilla:oidc:${cookieHash}`,
  /** Strings: the sealed secret of an app that a session (its hash) sets up; JSON of whom a challenge was made for, by its hash. */
  begunTotp: (accountId: number, session: string) => `flotilla:totp:${accountId}:${session}`,
  passkeyChallenge: (hash: string) => `flotilla:passkey:${hash}`,
  /** String: the audit log tells already that the password was right there. */
  signInBegun: (accountId: number, addressHash: string) => `flotilla:sign-in-begun:${accountId}:${addressHash}`,
  /** Counters of failed sign-ins. */
  signInOfAccount: 'flotilla:sign-in:account',
  signInOfAddress: 'flotilla:sign-in:address',
  signInOfKnownAddress: 'flotilla:sign-in:known-address',
  /** Counters of all sign-ins, also of those that succeed. */
  passwordsOfAccount: 'flotilla:passwords:account',
  passwordsOfAddress: 'flotilla:passwords:address',
  /** Sorted set: network from which the account has signed in → when it last did, ms. */
  signedInFrom: (account: string) => `flotilla:sign-in:from:${account}`,
} as const;

/** Sorted set: bot of which somebody of the team has a chat open → when (ms) they last said so. */
export const PRESENT_BOTS_KEY = 'flotilla:present-bots';

/** Pub/sub channels. */
export const channels = {
  /** Payload: the id of a bot whose log has something new for pull. */
  appended: 'flotilla:appended',
  /**
   * Payload: the id of a bot whose turns, already woken, have something new to file; or the names of turns that a
   * worker holds, as in the pending turns, with spaces between them.
   */
  turnNews: 'flotilla:turn-news',
  /** Payload: the id of a bot whose live stream has something new. */
  live: 'flotilla:live',
  /** Payload: `<account id> <bot id> <chat id> <message id>`: up to where an account has now read a chat. */
  read: 'flotilla:read',
  /** Payload: JSON of what somebody of the team did in a chat: an act, a note, or their presence. */
  desk: 'flotilla:desk',
  /** Payload: the id of a bot whose state (breaker, refusal by the platform) changed. */
  botState: 'flotilla:bot-state',
  /** Payload: `<number of the 429> <ms until it is over> <ms since it began> <name of a flood>`; 0 ms: it is over. */
  floods: 'flotilla:floods',
  /** Payload: the id of a bot of which a question was settled. */
  questions: 'flotilla:questions',
  /** Payload: `<bot id>:<digest>` of an Idempotency-Key for whose first call another one waits. */
  idempotencyKeys: 'flotilla:idempotency-keys',
  /** Payload: the id of a bot whose configuration changed. */
  config: 'flotilla:config',
} as const;

/** Among the pending turns, begins the name of a turn that a worker holds, as lib/pending.lua says. */
export const HELD_TURN_PREFIX = 'held:';

/**
 * The shards in whose slots the parts of a queue of turns lie over a cluster: at even distances, so that 2, 3, 4, 6 or 12
 * masters have as many parts each. Stored keys contain them, so they never change.
 */
export const QUEUE_SHARDS = [10, 61, 50, 11, 60, 51, 12, 30, 52, 13, 31, 57] as const;

/** BullMQ prefix of the parts of queues that lie in this shard's slot. */
export const turnQueuePrefix = (shard: number): string => `${tag(shard)}:turns`;
