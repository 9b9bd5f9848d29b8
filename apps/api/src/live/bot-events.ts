import type { BotResource } from '@flotilla/contract/bots.ts';
import type { KnownFloods } from '@flotilla/domain/fleet/bot-list/attention.ts';
import { type BotStatus, readBotStatuses } from '@flotilla/domain/fleet/bot-list/bot-status.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import type { BotDirectory } from '@flotilla/domain/fleet/bots/bot-directory.ts';
import { type Caller, seesBot } from '@flotilla/domain/people/accounts/caller.ts';
import type { BotChanges, ChangedBots } from '@flotilla/domain/watch/live/bot-changes.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { audienceOf, presentBotTo } from '../present/present-bot.ts';

/** A client that is told how bots change. */
export type BotListener = {
  caller: Caller;
  /** The client watches every bot that the caller sees. */
  fleet: boolean;
  /** The bots that the client names. */
  bots: ReadonlySet<number>;
  onBot(data: string, bytes: number): void;
  /** More changed than can be told. */
  onGap(): void;
};

/** Tells clients the new state of bots that changed. */
export type BotEvents = {
  /** From now on, and what changed since then, if that is not 0. `told` is called when the client knows that. */
  listen(listener: BotListener, sinceMs: number, told: () => void): { stop(): void };
  /** True if this process knows what changed since then. */
  remembers(sinceMs: number): boolean;
  close(): void;
};

type Deps = {
  redis: RedisHandles;
  directory: BotDirectory;
  clock: Clock;
  log: Logger;
  floods: KnownFloods;
  changes: BotChanges;
};

/** Some states end with time, and nobody announces them: an intake that has stopped. */
const COMPARE_EVERY_MS = 3000;
/** When more bots change at once, the client does better to ask for the list. */
const BOTS_AT_ONCE = 200;

export function botEvents(deps: Deps): BotEvents {
  const { changes } = deps;
  const listeners = new Set<BotListener>();
  /** The bots that the clients name, as they know them. */
  const known = new Map<number, string>();
  let work = Promise.resolve();

  const tell = async (changed: ChangedBots['botIds'], to: Iterable<BotListener>): Promise<void> => {
    const wanted = [...to].map((listener) => ({ listener, ids: wantedOf(listener, changed) }));
    const bots = presentBots(deps.directory, new Set(wanted.flatMap(({ ids }) => ids ?? [])));
    const texts = await readTexts(deps, [...bots.values()]);
    for (const [id, text] of texts) if (known.has(id)) known.set(id, text.essence);
    for (const { listener, ids } of wanted) {
      if (ids === null) listener.onGap();
      else for (const id of ids) tellOne(listener, texts.get(id));
    }
  };
  /** The state of bots for clients that begin to watch them. */
  const learn = async (ids: ReadonlySet<number>): Promise<void> => {
    const fresh = new Set([...ids].filter((id) => !known.has(id)));
    const texts = await readTexts(deps, [...presentBots(deps.directory, fresh).values()]);
    for (const [id, text] of texts) known.set(id, text.essence);
  };
  /** Finds changes that nobody announced, of the bots that clients name. */
  const compare = async (): Promise<void> => {
    const named = new Set([...listeners].flatMap(({ bots }) => [...bots]));
    for (const id of known.keys()) if (!named.has(id)) known.delete(id);
    const texts = await readTexts(deps, [...presentBots(deps.directory, named).values()]);
    for (const [id, text] of texts) {
      const before = known.get(id);
      known.set(id, text.essence);
      if (before === undefined || before === text.essence) continue;
      for (const listener of listeners) if (listener.bots.has(id)) tellOne(listener, text);
    }
  };
  /** One at a time, so that an older state is never told after a newer one. */
  const queue = (task: () => Promise<void>, failed: () => void) => {
    work = work.then(task).catch((error: unknown) => {
      deps.log.debug({ reason: String(error) }, 'the state of watched bots cannot be read');
      failed();
    });
  };

  const stopChanges = changes.onChange(({ botIds }) => {
    if (listeners.size === 0) return;
    queue(
      () => tell(botIds, listeners),
      () => tellGap(listeners),
    );
  });
  const comparing = setInterval(() => {
    if (listeners.size > 0) queue(compare, () => {});
  }, COMPARE_EVERY_MS);

  return {
    listen: (listener, sinceMs, told) => {
      const missed = sinceMs === 0 ? null : changes.since(sinceMs);
      listeners.add(listener);
      if (missed === null) told();
      queue(
        async () => {
          await learn(listener.bots);
          if (missed === null) return;
          await tell(missed, [listener]);
          told();
        },
        () => tellGap([listener]),
      );
      return { stop: () => listeners.delete(listener) };
    },
    remembers: (sinceMs) => changes.since(sinceMs) !== null,
    close: () => {
      clearInterval(comparing);
      stopChanges();
    },
  };
}

function tellGap(listeners: Iterable<BotListener>): void {
  for (const listener of listeners) listener.onGap();
}

/** The changed bots that the client watches; null when they are too many, or nobody knows which. */
function wantedOf(listener: BotListener, changed: ChangedBots['botIds']): number[] | null {
  if (changed === null) return null;
  const ids = [...changed].filter((id) => listener.bots.has(id) || (listener.fleet && seesBot(listener.caller, id)));
  return ids.length > BOTS_AT_ONCE ? null : ids;
}

function presentBots(directory: BotDirectory, ids: ReadonlySet<number>): Map<number, Bot> {
  if (!directory.ready()) return new Map();
  return new Map([...ids].flatMap((id) => directory.byId(id) ?? []).map((bot) => [bot.id, bot]));
}

type Text = { data: string; bytes: number };
/** A bot as each audience sees it; `essence` changes when clients must be told. */
type BotTexts = { for(caller: Caller): Text; essence: string };

async function readTexts(deps: Deps, bots: Bot[]): Promise<Map<number, BotTexts>> {
  const statuses = await readBotStatuses(deps, bots);
  return new Map(bots.map((bot, at) => [bot.id, textsOf(bot, statuses[at]!)]));
}

function textsOf(bot: Bot, status: BotStatus): BotTexts {
  const masked = presentBotTo({ seesSecrets: false, seesParent: true }, bot, status);
  const { last_update_at: _at, last_error_at: _errorAt, pending_update_count: _count, ...lasting } = masked;
  const known = new Map<string, Text>();
  return {
    for: (caller) => {
      const audience = audienceOf(caller, bot);
      const key = JSON.stringify(audience);
      const text = known.get(key) ?? textOf(presentBotTo(audience, bot, status));
      known.set(key, text);
      return text;
    },
    essence: `${bot.revision} ${JSON.stringify(lasting)}`,
  };
}

function textOf(bot: BotResource): Text {
  const data = JSON.stringify(bot);
  return { data, bytes: Buffer.byteLength(data) };
}

function tellOne(listener: BotListener, texts: BotTexts | undefined): void {
  if (texts === undefined) return;
  const { data, bytes } = texts.for(listener.caller);
  listener.onBot(data, bytes);
}
