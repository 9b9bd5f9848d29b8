import { listBots } from '@flotilla/contract/operations/bots.ts';
import { seesBot } from '@flotilla/domain/accounts/caller.ts';
import type { Bot } from '@flotilla/domain/bots/bot.ts';
import { botState, readBotStatuses } from '@flotilla/domain/bots/bot-status.ts';
import { defineListEndpoint } from '../../http/define-endpoint.ts';
import { cutPage, decodeCursor, MAX_ROWS } from '../../http/page.ts';
import { presentBot } from './present-bot.ts';

export const listBotsEndpoint = defineListEndpoint(listBots, async (context, { input, caller }) => {
  const { limit = MAX_ROWS, offset, q, state } = input;
  const [afterId] = decodeCursor(input.before, ['number']) ?? [0];
  const visible = context.directory.all().filter((bot) => seesBot(caller, bot.id) && isNamed(bot, q));
  // Only a filter by state has to know the state of them all.
  const found = state === undefined ? visible : await inState(visible);
  const rest = found.filter((bot) => bot.id > afterId).sort((one, other) => one.id - other.id);
  const page = cutPage(rest.slice(offset), limit, found.length, (bot) => [bot.id]);
  const statuses = await readBotStatuses(context, page.rows);
  return { ...page, rows: page.rows.map((bot, at) => presentBot(caller, bot, statuses[at]!)) };

  async function inState(bots: Bot[]): Promise<Bot[]> {
    const known = await readBotStatuses(context, bots);
    return bots.filter((bot, at) => botState(bot, known[at]!) === state);
  }
});

function isNamed({ name, username }: Bot, q: string): boolean {
  const wanted = q.toLowerCase();
  if (wanted.startsWith('@')) return username.toLowerCase().startsWith(wanted.slice(1));
  return [name, username].some((text) => text.toLowerCase().includes(wanted));
}
