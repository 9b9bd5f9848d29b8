import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { configKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import { SEALED_PLACES } from '../bots/sealed-bot.ts';
import { count, inspect, type Tally } from './tally.ts';

const ENTRIES_A_STEP = 200;

/** Like resealStored, for the mirror in Redis. Processes that follow the mirror notice nothing. */
export async function resealMirrored(
  deps: { redis: RedisHandles; secrets: SecretBox; signal: AbortSignal },
  tally: Tally,
  lookOnly: boolean,
): Promise<void> {
  const { commands } = deps.redis;
  // A scan may return an entry twice.
  const seen = new Set<string>();
  let cursor = '0';
  do {
    deps.signal.throwIfAborted();
    const [next, page] = await commands.hscan(configKeys.bots, cursor, 'COUNT', ENTRIES_A_STEP);
    cursor = next;
    for (let at = 0; at < page.length; at += 2) {
      const [botId, stored] = [page[at]!, page[at + 1]!];
      if (seen.has(botId)) continue;
      seen.add(botId);
      const space = stored.indexOf(' ');
      const revision = stored.slice(0, space);
      const boundTo = SEALED_PLACES.mirrored(Number(botId), Number(revision));
      const { keyId, sealing, plain } = inspect(deps.secrets, stored.slice(space + 1), boundTo);
      count(tally, 'configuration in Redis', keyId, sealing);
      if (lookOnly || sealing !== 'old') continue;
      const sealed = `${revision} ${deps.secrets.seal(plain, boundTo)}`;
      const replaced = await scripts.resealConfig(commands, configKeys, {
        botId: Number(botId),
        known: stored,
        sealed,
      });
      if (replaced) tally.resealed += 1;
      else tally.overtaken += 1;
    }
  } while (cursor !== '0');
}
