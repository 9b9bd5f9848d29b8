import {
  type BroadcastResource,
  type broadcastOperations,
  MOST_FAILURES,
  type ShownBroadcast,
} from '@flotilla/contract/broadcasts.ts';
import { addBroadcast, tryBroadcast } from '@flotilla/domain/delivery/broadcasts/add-broadcast.ts';
import type { Broadcast, BroadcastContent } from '@flotilla/domain/delivery/broadcasts/broadcast.ts';
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
      perSecond: input.per_second ?? null,
      sendAt: input.send_at === undefined ? null : new Date(input.send_at * 1000),
    };
    if (!input.dry_run) return presentBroadcast(await addBroadcast(context, bot, by, wanted));
    const { total, blocked, ...content } = await tryBroadcast(context, bot, wanted);
    const waits = content.sendAt !== null && content.sendAt.getTime() > context.clock.nowMs();
    return {
      ...presentContent(content),
      state: waits ? 'scheduled' : 'running',
      counts: { total, queued: total, sent: 0, failed: 0, blocked, in_doubt: 0, cancelled: 0 },
      created_by: by.kind === 'account' ? (by.username ?? '') : '',
      created_at: new Date(context.clock.nowMs()).toISOString(),
    };
  },

  async listBroadcasts({ db, ...context }, { input, caller }) {
    const { bot_id: botId, state, limit, offset } = input;
    if (botId !== undefined) requireBot({ db, ...context }, botId);
    const [beforeId = null] = decodeCursor(input.before, ['id']) ?? [];
    const [query, store] = [{ botId, state }, broadcastStore(db)];
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
  return broadcast === null ? [] : [broadcast.botId];
}

function presentBroadcast(broadcast: Broadcast): BroadcastResource {
  const isoOf = (date: Date | null) => date?.toISOString() ?? null;
  return {
    id: broadcast.id,
    ...presentContent(broadcast),
    state: broadcast.state,
    counts: broadcast.counts,
    created_by: broadcast.createdBy.username ?? '',
    created_at: broadcast.createdAt.toISOString(),
    ...withoutNulls({ started_at: isoOf(broadcast.startedAt), ended_at: isoOf(broadcast.endedAt) }),
  };
}

function presentFailure({ state, errorCode, error, count }: Failure): ShownBroadcast['failures'][number] {
  return { state, ...withoutNulls({ error_code: errorCode }), error: error ?? '', count };
}

function presentContent({ botId, name, audience, method, params, perSecond, sendAt }: BroadcastContent) {
  return {
    ...{ bot_id: botId, name, audience, method, params },
    ...withoutNulls({ per_second: perSecond, send_at: sendAt?.toISOString() ?? null }),
  };
}

/** As it is stored. */
function withoutUndefined<Audience extends object>(audience: Audience): Audience {
  return Object.fromEntries(Object.entries(audience).filter(([, value]) => value !== undefined)) as Audience;
}
