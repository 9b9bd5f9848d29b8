import { ATTENTION_KINDS, type attentionOperations } from '@flotilla/contract/attention.ts';
import { listAttention } from '@flotilla/domain/fleet/bot-list/list-attention.ts';
import { seesBot } from '@flotilla/domain/people/accounts/caller.ts';
import { pageOf } from '../http/page.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { presentAttention } from '../present/present-attention.ts';

export const attentionHandlers: Handlers<typeof attentionOperations> = {
  async listAttention(context, { input, caller }) {
    const bots =
      input.bot_id === undefined
        ? context.directory.all().filter((bot) => seesBot(caller, bot.id))
        : [requireBot(context, input.bot_id)];
    const found = await listAttention(context, bots, input.kinds ?? ATTENTION_KINDS);
    const page = pageOf(found, input, ({ bot, kind, programId }) => `${bot.id} ${kind} ${programId ?? ''}`);
    return { ...page, rows: page.rows.map(({ bot, ...one }) => ({ bot_id: bot.id, ...presentAttention(one) })) };
  },
};
