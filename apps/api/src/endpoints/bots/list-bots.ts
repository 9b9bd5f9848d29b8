import { listBots } from '@flotilla/contract/operations/bots.ts';
import { seesBot } from '@flotilla/domain/accounts/caller.ts';
import { readBotStatuses } from '@flotilla/domain/bots/bot-status.ts';
import { defineListEndpoint } from '../../http/define-endpoint.ts';
import { cutPage, decodeCursor, MAX_ROWS } from '../../http/page.ts';
import { presentBot } from './present-bot.ts';

export const listBotsEndpoint = defineListEndpoint(listBots, async (context, { input, caller }) => {
  const { limit = MAX_ROWS, offset } = input;
  const [afterId] = decodeCursor(input.before, ['number']) ?? [0];
  const visible = context.directory.all().filter((bot) => seesBot(caller, bot.id));
  const rest = visible.filter((bot) => bot.id > afterId).sort((one, other) => one.id - other.id);
  const page = cutPage(rest.slice(offset), limit, visible.length, (bot) => [bot.id]);
  const statuses = await readBotStatuses(context, page.rows);
  return { ...page, rows: page.rows.map((bot, at) => presentBot(caller, bot, statuses[at]!)) };
});
