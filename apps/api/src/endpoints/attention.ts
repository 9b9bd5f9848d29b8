import { ATTENTION_KINDS, type AttentionResource, type attentionOperations } from '@flotilla/contract/attention.ts';
import { listAttention } from '@flotilla/domain/fleet/bot-list/list-attention.ts';
import { seesBot } from '@flotilla/domain/people/accounts/caller.ts';
import { readReplicas, withWrongClock } from '@flotilla/domain/watch/fleet-figures/replicas.ts';
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
    const kinds = ATTENTION_KINDS.filter((kind) => input.kinds === undefined || input.kinds.includes(kind));
    const ofBots = await listAttention(context, bots, kinds);
    const seesProcesses = caller.role === 'admin' && caller.scope.bots === 'all' && input.bot_id === undefined;
    const asksForClocks = input.kinds === undefined || input.kinds.includes('clock_apart');
    const wrong = seesProcesses && asksForClocks ? withWrongClock(await readReplicas(context)) : [];
    const found: { key: string; row: AttentionResource }[] = [
      ...ofBots.map(({ bot, ...one }) => ({
        key: `${bot.id} ${one.kind} ${one.program_id ?? ''}`,
        row: { bot_id: bot.id, ...presentAttention(one) },
      })),
      ...wrong.map(({ replica, text }) => ({
        key: `clock_apart ${replica.id}`,
        row: { kind: 'clock_apart' as const, severity: 'warning' as const, text },
      })),
    ];
    const page = pageOf(found, input, ({ key }) => key);
    return { ...page, rows: page.rows.map(({ row }) => row) };
  },
};
