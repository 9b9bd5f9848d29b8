import { randomBytes } from 'node:crypto';
import type { managedBotOperations } from '@flotilla/contract/managed-bots.ts';
import { readBotStatus } from '@flotilla/domain/fleet/bot-list/bot-status.ts';
import { rotateToken } from '@flotilla/domain/fleet/bots/rotate-token.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { presentBot } from '../present/present-bot.ts';

/** Of the 32 characters of a username, those for the name of the parent. */
const PARENT_CHARACTERS = 18;

export const managedBotHandlers: Handlers<typeof managedBotOperations> = {
  async showCreationLink(context, { input }) {
    const { adopts, username: parent } = requireBot(context, input.bot_id);
    if (!adopts || parent === '') {
      throw new FlotillaError('bad_request', 'The bot adopts no bots: an admin switches adopts on');
    }
    const { username = proposedUsername(parent), name } = input;
    const query = name === undefined ? '' : `?name=${encodeURIComponent(name)}`;
    return { link: `https://t.me/newbot/${parent}/${username}${query}` };
  },

  async rotateToken(context, { input, caller, by }) {
    const bot = await rotateToken(context, by, requireBot(context, input.id));
    return presentBot(caller, bot, await readBotStatus(context, bot));
  },
};

/** The platform's link has to propose one (https://core.telegram.org/api/links#managed-bot-links). */
function proposedUsername(parent: string): string {
  const stem = parent.replace(/_?bot$/i, '').slice(0, PARENT_CHARACTERS);
  return `${stem}_${randomBytes(4).toString('hex')}_bot`;
}
