import type { AtServer } from '@flotilla/telegram/platform-server.ts';
import type { BotDirectory } from '../bots/bot-directory.ts';
import { HOME, movesBot } from './server-of-name.ts';

type Known = AtServer & { token: string };

const KEPT_AT_MOST = 1000;

/**
 * The servers of tokens that were replaced or whose bot was deleted: calls that were in flight then must not take them to another
 * server.
 */
export function formerServers(directory: BotDirectory) {
  const present = new Map<number, Known>();
  const former = new Map<string, AtServer>();
  const learn = (botId: number) => {
    if (!directory.ready()) return;
    const before = present.get(botId);
    const bot = directory.byId(botId);
    if (before !== undefined && bot?.token !== before.token) {
      former.set(before.token, before);
      if (former.size > KEPT_AT_MOST) former.delete(former.keys().next().value as string);
    }
    if (bot === undefined || !movesBot(HOME, bot)) present.delete(botId);
    else present.set(botId, { token: bot.token, upstream: bot.upstream, environment: bot.environment });
  };
  if (directory.ready()) for (const { id } of directory.all()) learn(id);
  const close = directory.onChange(learn);
  return { of: (token: string): AtServer | null => former.get(token) ?? null, close };
}
