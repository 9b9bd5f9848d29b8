import { removeTag as operation } from '@flotilla/contract/operations/tags.ts';
import { OK } from '@flotilla/contract/resources/answers.ts';
import { removeTag } from '@flotilla/domain/tags/remove-tag.ts';
import { tagStore } from '@flotilla/domain/tags/tag-store.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../../context.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireManagedBot } from '../bots/require-bot.ts';

export const removeTagEndpoint = defineEndpoint(
  operation,
  async (context, { input, by }) => {
    const [botId] = await findBots(context, input.id);
    if (botId === undefined) throw new FlotillaError('not_found', 'Tag not found');
    requireManagedBot(context, botId);
    await removeTag(context, by, input.id);
    return OK;
  },
  findBots,
);

async function findBots({ db }: Context, id: number): Promise<number[]> {
  const botId = await tagStore(db).botOf(id);
  return botId === null ? [] : [botId];
}
