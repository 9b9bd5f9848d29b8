import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { channels, configKeys } from '@flotilla/redis/keys.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import { HOME } from '../upstreams/server-of-name.ts';
import type { Bot } from './bot.ts';
import type { BotDirectory } from './bot-directory.ts';
import { fromFormerNames } from './former-names.ts';
import { type ProgramTokens, programTokens } from './program-credential.ts';
import { SEALED_PLACES } from './sealed-bot.ts';

const CHECK_EVERY_MS = 1000;
/** A token revoked elsewhere must stop working within 5 s. */
const CONFIRMED_FOR_MS = 4000;

type Snapshot = {
  version: number;
  byId: Map<number, Bot>;
  byToken: Map<string, Bot>;
  programTokens: ProgramTokens;
  /** How many bots have this id at the platform: one may be added again, with a new token, before it is removed. */
  platformIds: Map<number, number>;
};

/** Keeps this process's snapshot of the configuration; resolves after the first attempt to load it. */
export async function followDirectory(deps: {
  redis: RedisHandles;
  secrets: SecretBox;
  log: Logger;
}): Promise<BotDirectory & { close(): void }> {
  const { commands } = deps.redis;
  const listeners = new Set<(botId: number) => void>();
  let snapshot: Snapshot | null = null;
  let refreshing: Promise<void> | null = null;
  let again = false;
  let doubted = false;
  let confirmedAtMs = Number.NEGATIVE_INFINITY;

  const open = (id: number, stored: string): Bot => {
    const space = stored.indexOf(' ');
    const place = SEALED_PLACES.mirrored(id, Number(stored.slice(0, space)));
    try {
      const bot = fromFormerNames<Bot>(JSON.parse(deps.secrets.open(stored.slice(space + 1), place)));
      // Earlier releases wrote no labels, no servers and no template.
      const lacking = { labels: bot.labels ?? [], template: bot.template ?? {} };
      return { ...HOME, ...bot, ...lacking, created_at: new Date(bot.created_at) };
    } catch (error) {
      throw new Error(`the configuration of bot ${id} cannot be read (${String(error)})`, { cause: error });
    }
  };
  const put = (into: Snapshot, id: number, stored: string | null | undefined) => {
    // Decrypted before anything is replaced: a bot that cannot be read must not be taken for a stranger's.
    const bot = stored ? open(id, stored) : null;
    const before = into.byId.get(id);
    if (before) {
      // Another registration may have its token since.
      if (into.byToken.get(before.token)?.id === id) into.byToken.delete(before.token);
      into.programTokens.remove(before);
      count(into.platformIds, before.telegram_id, -1);
    }
    into.byId.delete(id);
    if (bot === null) return;
    into.byId.set(id, bot);
    into.byToken.set(bot.token, bot);
    into.programTokens.put(bot);
    count(into.platformIds, bot.telegram_id, 1);
  };

  const load = async (version: number): Promise<void> => {
    const fresh: Snapshot = {
      version,
      byId: new Map(),
      byToken: new Map(),
      programTokens: programTokens(),
      platformIds: new Map(),
    };
    for (const [id, stored] of Object.entries(await commands.hgetall(configKeys.bots))) put(fresh, Number(id), stored);
    const ids = new Set([...fresh.byId.keys(), ...(snapshot?.byId.keys() ?? [])]);
    snapshot = fresh;
    for (const id of ids) tell(id);
  };
  const follow = async (from: Snapshot, version: number): Promise<void> => {
    const changed = await commands.zrangebyscore(configKeys.changes, `(${from.version}`, '+inf');
    if (changed.length === 0) return;
    const stored = await commands.hmget(configKeys.bots, ...changed);
    const failures: unknown[] = [];
    for (const [at, id] of changed.map(Number).entries()) {
      const revision = from.byId.get(id)?.revision;
      try {
        put(from, id, stored[at]);
      } catch (error) {
        // It keeps what was known, and the others go on. As the version stays, the next comparison tries again.
        failures.push(error);
        continue;
      }
      if (from.byId.get(id)?.revision !== revision) tell(id);
    }
    if (failures.length > 0) throw failures[0];
    from.version = version;
  };
  const tell = (id: number) => {
    for (const listener of listeners) listener(id);
  };

  const compare = async (): Promise<void> => {
    const begunAtMs = performance.now();
    const version = Number((await commands.get(configKeys.version)) ?? 0);
    if (version === 0) snapshot = null;
    else if (!snapshot || doubted || version < snapshot.version) {
      const wasDoubted = doubted;
      doubted = false;
      await load(version).catch((error) => {
        doubted ||= wasDoubted;
        throw error;
      });
    } else if (version > snapshot.version) await follow(snapshot, version);
    confirmedAtMs = begunAtMs;
  };
  /** One comparison runs at a time. A call during it waits for the next one, so that a writer sees its own write. */
  const refresh = (): Promise<void> => {
    if (refreshing) {
      again = true;
      return refreshing.then(() => (again ? refresh() : (refreshing ?? undefined)));
    }
    again = false;
    refreshing = compare().finally(() => {
      refreshing = null;
    });
    return refreshing;
  };
  let trouble = '';
  const tryRefresh = () => {
    refresh().then(
      () => {
        trouble = '';
      },
      (error) => {
        // Refreshes run every second. An unlisted key fails each of them until somebody acts, so it is logged once.
        const reason = String(error);
        if (reason !== trouble) deps.log.warn({ reason }, 'the bot directory could not be refreshed');
        trouble = reason;
      },
    );
  };

  const subscription = deps.redis.subscribe(channels.config, {
    message: tryRefresh,
    listening: () => {
      // Redis may have restarted with less data than before.
      doubted = snapshot !== null;
      tryRefresh();
    },
  });
  const timer = setInterval(tryRefresh, CHECK_EVERY_MS);
  await refresh().catch(() => {});

  const current = (): Snapshot => {
    if (snapshot) return snapshot;
    throw new FlotillaError('unavailable', 'The list of bots cannot be read at the moment.', { retryAfterS: 1 });
  };
  return {
    byId: (id) => current().byId.get(id),
    byToken: (token) => current().byToken.get(token),
    byProgramToken: (token) => current().programTokens.find(token),
    byProgram: (programId) => current().programTokens.botOf(programId),
    all: () => [...current().byId.values()],
    isOwnBot: (telegramId) => current().platformIds.has(telegramId),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ready: () => snapshot !== null,
    isConfirmed: () => snapshot !== null && performance.now() - confirmedAtMs < CONFIRMED_FOR_MS,
    refresh,
    close: () => {
      clearInterval(timer);
      subscription.close();
    },
  };
}

/** Counts one more, or one less, of a key. */
function count(counts: Map<number, number>, key: number, change: 1 | -1): void {
  const counted = (counts.get(key) ?? 0) + change;
  if (counted > 0) counts.set(key, counted);
  else counts.delete(key);
}
