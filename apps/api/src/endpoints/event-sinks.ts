import { type EventSinkResource, eventSink, type eventSinkOperations } from '@flotilla/contract/event-sinks.ts';
import { OK } from '@flotilla/contract/fields.ts';
import { answerOf } from '@flotilla/contract/resource.ts';
import { addSink, deleteSink, findSink, placeOf, updateSink } from '@flotilla/domain/watch/events/change-sinks.ts';
import type { EventSink } from '@flotilla/domain/watch/events/event-sink.ts';
import { sinkStore } from '@flotilla/domain/watch/events/sink-store.ts';
import { testSink } from '@flotilla/domain/watch/events/test-sink.ts';
import { pageOf } from '../http/page.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
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
    const { sink, signingSecret } = await addSink(context, by, input);
    return { ...presentSink(sink), ...withoutNulls({ signing_secret: signingSecret }) };
  },

  async updateEventSink(context, { input: { id, ...changes }, by }) {
    if (changes.bot_id !== undefined) requireBot(context, changes.bot_id);
    const { sink, signingSecret } = await updateSink(context, by, id, changes);
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

function presentSink(sink: EventSink, waiting: ReadonlyMap<number, number> = new Map()): EventSinkResource {
  return answerOf(eventSink, { ...sink, ...placeOf(sink), waiting: waiting.get(sink.id) ?? 0 });
}
