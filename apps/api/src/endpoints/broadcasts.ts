import {
  type Broadcast,
  type BroadcastResource,
  type broadcastOperations,
  broadcastResource,
  MOST_FAILURES,
  type ShownBroadcast,
} from '@flotilla/contract/broadcasts.ts';
import { answerOf } from '@flotilla/contract/resource.ts';
import { addBroadcast, tryBroadcast } from '@flotilla/domain/delivery/broadcasts/add-broadcast.ts';
import { countsOf } from '@flotilla/domain/delivery/broadcasts/broadcast.ts';
import { broadcastEntryStore, type Failure } from '@flotilla/domain/delivery/broadcasts/broadcast-entry-store.ts';
import { broadcastStore } from '@flotilla/domain/delivery/broadcasts/broadcast-store.ts';
import { changeBroadcast } from '@flotilla/domain/delivery/broadcasts/change-broadcast.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../context.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { withoutNulls } from './without-nulls.ts';

export const broadcastHandlers: Handlers<typeof broadcastOperations> = {
  async addBroadcast(context, { input, caller, by }) {
    const bot = requireBot(context, input.bot_id);
    const wanted = {
      ...{ name: input.name, audience: withoutUndefined(input.audience), method: input.method, params: input.params },
      mayPay: caller.role === 'admin',
      per_second: input.per_second ?? null,
      send_at: input.send_at === undefined ? null : new Date(input.send_at * 1000),
    };
    if (!input.dry_run) return presentBroadcast(await addBroadcast(context, bot, by, wanted));
    const { total, blocked, ...content } = await tryBroadcast(context, bot, wanted);
    const now = new Date(context.clock.nowMs());
    const { id: _, ...answer } = answerOf(broadcastResource, {
      ...{ ...content, id: 0, state: content.send_at !== null && content.send_at > now ? 'scheduled' : 'running' },
      counts: { total, queued: total, sent: 0, failed: 0, blocked, in_doubt: 0, cancelled: 0 },
      created_by: by.kind === 'account' ? (by.username ?? '') : '',
      ...{ created_at: now, started_at: null, ended_at: null },
    });
    return answer;
  },

  async listBroadcasts({ db, ...context }, { input, caller }) {
    const { limit, offset, before, ...query } = input;
    if (query.bot_id !== undefined) requireBot({ db, ...context }, query.bot_id);
    const [beforeId = null] = decodeCursor(before, ['id']) ?? [];
    const store = broadcastStore(db);
    const [rows, total] = await Promise.all([
      store.list(caller.scope, query, { limit: limit + 1, offset, beforeId }),
      store.count(caller.scope, query),
    ]);
    return cutPage(rows.map(presentBroadcast), limit, total, ({ id }) => [id]);
  },

  showBroadcast: {
    findBots: findBotOfBroadcast,
    async handle({ db }, { input }) {
      const broadcast = await broadcastStore(db).find(input.id);
      if (broadcast === null) throw new FlotillaError('not_found', 'Broadcast not found');
      const failures = await broadcastEntryStore(db).failures(input.id, MOST_FAILURES);
      return { ...presentBroadcast(broadcast), failures: failures.map(presentFailure) };
    },
  },

  pauseBroadcast: {
    findBots: findBotOfBroadcast,
    handle: async (context, { input, by }) => presentBroadcast(await changeBroadcast(context, by, 'pause', input.id)),
  },

  resumeBroadcast: {
    findBots: findBotOfBroadcast,
    handle: async (context, { input, by }) => presentBroadcast(await changeBroadcast(context, by, 'resume', input.id)),
  },

  cancelBroadcast: {
    findBots: findBotOfBroadcast,
    handle: async (context, { input, by }) => presentBroadcast(await changeBroadcast(context, by, 'cancel', input.id)),
  },
};

async function findBotOfBroadcast({ db }: Context, id: number): Promise<number[]> {
  const broadcast = await broadcastStore(db).find(id);
  return broadcast === null ? [] : [broadcast.bot_id];
}

function presentBroadcast(broadcast: Broadcast): BroadcastResource {
  return answerOf(broadcastResource, {
    ...broadcast,
    counts: countsOf(broadcast),
    created_by: broadcast.created_by.username ?? '',
  });
}

function presentFailure({ error_code, error, ...failure }: Failure): ShownBroadcast['failures'][number] {
  return { ...failure, ...withoutNulls({ error_code }), error: error ?? '' };
}

/** The stored form. */
function withoutUndefined<Audience extends object>(audience: Audience): Audience {
  return Object.fromEntries(Object.entries(audience).filter(([, value]) => value !== undefined)) as Audience;
}
