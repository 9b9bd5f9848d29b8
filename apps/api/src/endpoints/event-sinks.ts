import type { EventSinkResource, eventSinkOperations } from '@flotilla/contract/event-sinks.ts';
import { OK } from '@flotilla/contract/fields.ts';
import {
  addSink,
  deleteSink,
  findSink,
  maskedUrl,
  updateSink,
  type WantedSink,
} from '@flotilla/domain/watch/events/change-sinks.ts';
import type { EventSink } from '@flotilla/domain/watch/events/event-sink.ts';
import { sinkStore } from '@flotilla/domain/watch/events/sink-store.ts';
import { testSink } from '@flotilla/domain/watch/events/test-sink.ts';
import { pageOf } from '../http/page.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Call, Handlers } from '../operations/handler.ts';
import { withoutNulls } from './without-nulls.ts';

export const eventSinkHandlers: Handlers<typeof eventSinkOperations> = {
  async listEventSinks({ db, secrets }, { input }) {
    const sinks = sinkStore(db, secrets);
    const [all, waiting] = await Promise.all([sinks.list(), sinks.waiting()]);
    return pageOf(
      all.map((sink) => presentSink(sink, waiting)),
      input,
      ({ id }) => String(id),
    );
  },

  async addEventSink(context, { input, by }) {
    if (input.bot_id !== undefined) requireBot(context, input.bot_id);
    const { sink, signingSecret } = await addSink(context, by, { ...wanted(input), name: input.name });
    return { ...presentSink(sink), ...withoutNulls({ signing_secret: signingSecret }) };
  },

  async updateEventSink(context, { input, by }) {
    if (input.bot_id !== undefined) requireBot(context, input.bot_id);
    const { sink, signingSecret } = await updateSink(context, by, input.id, wanted(input));
    const waiting = await sinkStore(context.db, context.secrets).waiting();
    return { ...presentSink(sink, waiting), ...withoutNulls({ signing_secret: signingSecret }) };
  },

  async deleteEventSink(context, { input, by }) {
    await deleteSink(context, by, input.id);
    return OK;
  },

  async testEventSink(context, { input, by }) {
    const sink = await findSink(context, input.id);
    return testSink(context, by, sink);
  },
};

type Input = Omit<Call<typeof eventSinkOperations.updateEventSink.input>['input'], 'id'>;

function wanted(input: Input): WantedSink {
  const { name, url, bot_id: botId, chat_id: chatId, kinds, bot_ids: botIds, enabled, audit } = input;
  return { name, url, botId, chatId, kinds, botIds, awaitsMinutes: input.awaits_minutes, enabled, audit };
}

function presentSink(sink: EventSink, waiting: ReadonlyMap<number, number> = new Map()): EventSinkResource {
  const { id, name, target, kinds, botIds, enabled, deliveredAt, failingSince, lastError, createdAt } = sink;
  return {
    ...{ id, name, kinds, bot_ids: botIds, enabled, last_error: lastError, waiting: waiting.get(id) ?? 0 },
    awaits_minutes: sink.awaitsMinutes,
    audit: sink.audit,
    ...(target.kind === 'url' ? { url: maskedUrl(target.url) } : { bot_id: target.botId, chat_id: target.chatId }),
    ...withoutNulls({
      delivered_at: deliveredAt?.toISOString() ?? null,
      failing_since: failingSince?.toISOString() ?? null,
    }),
    created_at: createdAt.toISOString(),
  };
}
