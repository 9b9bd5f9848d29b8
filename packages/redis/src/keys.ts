/** How many hash slots the bots are spread over; part of every stored key, so it never changes. */
export const SHARDS = 64;

/** The shard a bot lives in: its log, its state and its history stream share one Redis Cluster slot. */
export function shardOf(botId: number): number {
  return botId % SHARDS;
}

const tag = (shard: number): string => `{s${shard}}`;

/** The keys that all bots of a shard share. */
export function shardKeys(shard: number) {
  return {
    /** Stream: what the history writer still has to put into Postgres. */
    history: `${tag(shard)}:history`,
    /** Sorted set `<bot id>:<turn kind>` (of history `history`) → ms since when that turn is owed. The stored name is older. */
    pendingTurns: `${tag(shard)}:dirty`,
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
    /** Hash: registration id, ids, places, epochs, switches (see scripts/README.md). */
    state: `${prefix}:state`,
    /** Stream: the update log. */
    log: `${prefix}:log`,
    /** Hash: named consumers, `<name>` → `<acknowledged id> <last poll, ms>`. */
    consumers: `${prefix}:consumers`,
    /** Set: ids that push has delivered out of order, which pull leaves out after a hand-over. */
    deliveredByPush: `${prefix}:skip`,
    /** Sorted set: lane → when its first update is due, ms. */
    lanes: `${prefix}:lanes`,
    /** List per lane: ids that wait. */
    lane: (lane: string) => `${prefix}:lane:${lane}`,
    /** Hash: lane → name of the claim that holds its first unit. */
    inFlight: `${prefix}:flight`,
    /** Hash: `s:<id>` times its handling was begun and not ended, `r:<id>` failed tries (JSON). */
    work: `${prefix}:work`,
    /** Hash: `r<dead letter id>` → JSON of the update that is sent again. */
    redriven: `${prefix}:redriven`,
    /** List: the last attempts at delivery, newest first. */
    attempts: `${prefix}:attempts`,
    /** As lanes, lane, inFlight, redriven and work, for the turns that route; work has more: */
    rulesLanes: `${prefix}:rules:lanes`,
    rulesLane: (lane: string) => `${prefix}:rules:lane:${lane}`,
    rulesInFlight: `${prefix}:rules:flight`,
    rulesRedriven: `${prefix}:rules:redriven`,
    /** `p:<id>` what was sent already, `g:<id>` album. */
    rulesWork: `${prefix}:rules:work`,
    /** Exists for a second after a setWebhook, which is taken once a second. */
    recentSetWebhook: `${prefix}:set-webhook`,
    /** Exists for an hour after a logOut or close that is in the audit log. */
    recentLogOut: `${prefix}:log-out`,
    /** Taken by whoever checks the bot's webhook at the platform next. */
    webhookCheck: `${prefix}:webhook-check`,
    /** Bitmap of 4,096 platform ids that were seen. */
    seen: (block: number) => `${prefix}:seen:${block}`,
  };
}

export const SEEN_BLOCK_IDS = 4096;

/** Configuration mirror: every process follows it. */
export const configKeys = {
  /** Hash: bot id → sealed JSON of its configuration. */
  bots: '{config}:bots',
  /** Sorted set: bot id (also of deleted bots) → version of its last change. */
  changes: '{config}:changes',
  /** Rises with every change; absent after Redis came back empty. */
  version: '{config}:version',
} as const;

/** Sorted set: where a process of ours listens → when (ms) it last said so. */
export const listenersKey = '{listeners}:places';

/** Figures of the whole fleet, which one worker at a time gathers. */
export const figureKeys = {
  /** String: JSON of the newest ones. */
  newest: '{figures}:newest',
  /** Taken by whoever gathers the next ones. */
  turn: '{figures}:turn',
} as const;

/** Credentials and sessions of accounts; each session and counter has a slot of its own. */
export const authKeys = {
  /** String drawn anew by every change of an account or an API key: what a process cached before it is stale. */
  version: '{auth}:version',
  session: (id: string) => `flotilla:session:${id}`,
  /** Counters of failed sign-ins. */
  signInOfAccount: 'flotilla:sign-in:account',
  signInOfAddress: 'flotilla:sign-in:address',
  signInOfKnownAddress: 'flotilla:sign-in:known-address',
  /** Sorted set: network from which the account has signed in → when it last did, ms. */
  signedInFrom: (account: string) => `flotilla:sign-in:from:${account}`,
} as const;

/** How fast a bot may send: what it sent lately, over all processes. One slot per sending bot. */
export function paceKeys(botId: number) {
  const prefix = `{pace:${botId}}`;
  return {
    /** List: when (ms) the latest messages were sent, in all and to one chat; newest first. */
    bot: `${prefix}:bot`,
    chat: (chatId: number | string) => `${prefix}:chat:${chatId}`,
    /** Exists while the bot is known not to see the messages of that chat. */
    unshared: (chatId: number) => `${prefix}:unshared:${chatId}`,
    /** Until when (ms) the platform wants nothing for that chat. */
    blocked: (chatId: number | string) => `${prefix}:blocked:${chatId}`,
  };
}

/** Exists for a day where one of our bots wrote a message whose author other bots cannot see. */
export function ownPostKey(chat: number | string, messageId: number): string {
  return `flotilla:own-post:${chat}:${messageId}`;
}

/** What a routed message was made from, for the time its link is on its way to Postgres. */
export function freshLinkKey(botId: number, businessConnectionId: string, chatId: number, messageId: number): string {
  return `flotilla:link:${botId}:${businessConnectionId}:${chatId}:${messageId}`;
}

/** Pub/sub channels. */
export const channels = {
  /** Payload: the id of a bot whose log has something new for pull. */
  appended: 'flotilla:appended',
  /** Payload: the id of a bot whose push turn, already woken, has something new to file. */
  pushable: 'flotilla:pushable',
  /** Payload: the id of a bot whose configuration changed. */
  config: 'flotilla:config',
} as const;

/** BullMQ prefix of one kind of turns; each queue has a slot of its own. */
export function turnQueuePrefix(kind: string): string {
  return `{turns-${kind}}`;
}
