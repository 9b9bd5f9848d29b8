import { type EventSinkResource, eventSink, type eventSinkOperations } from '@flotilla/contract/event-sinks.ts';
import { OK } from '@flotilla/contract/fields.ts';
import { answerOf, settable } from '@flotilla/contract/resource.ts';
import { addSink, deleteSink, findSink, placeOf, updateSink } from '@flotilla/domain/watch/events/change-sinks.ts';
import type { EventSink } from '@flotilla/domain/watch/events/event-sink.ts';
import { sinkStore } from '@flotilla/domain/watch/events/sink-store.ts';
import { testSink } from '@flotilla/domain/watch/events/test-sink.ts';
import type { Response } from 'express';
import type { Context } from '../context.ts';
import { matchOf, tagAnswer, type Version } from '../http/etag.ts';
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

  async showEventSink(context, { input, response }) {
    return presentTagged(context, response, await findSink(context, input.id));
  },

  async addEventSink(context, { input, by, response }) {
    if (input.bot_id !== undefined) requireBot(context, input.bot_id);
    const { sink, signing_secret } = await addSink(context, by, input);
    return { ...(await presentTagged(context, response, sink)), ...withoutNulls({ signing_secret }) };
  },

  async updateEventSink(context, { input: { id, ...changes }, by, request, response }) {
    if (changes.bot_id !== undefined) requireBot(context, changes.bot_id);
    const { sink, signing_secret } = await updateSink(
      context,
      by,
      id,
      changes,
      matchOf(context, { request }, versionOf),
    );
    return { ...(await presentTagged(context, response, sink)), ...withoutNulls({ signing_secret }) };
  },

  async deleteEventSink(context, { input, by, request }) {
    await deleteSink(context, by, input.id, matchOf(context, { request }, versionOf));
    return OK;
  },

  async testEventSink(context, { input, by }) {
    const sink = await findSink(context, input.id);
    return testSink(context, by, sink);
  },
};

function versionOf({ target, ...sink }: EventSink): Version {
  return { kind: 'event_sink', id: sink.id, fields: settable(eventSink, { ...sink, ...target }) };
}

async function presentTagged(context: Context, response: Response, sink: EventSink): Promise<EventSinkResource> {
  tagAnswer(context, { response }, versionOf(sink));
  return presentSink(sink, await sinkStore(context.db, context.secrets).waiting());
}

function presentSink(sink: EventSink, waiting: ReadonlyMap<number, number>): EventSinkResource {
  return answerOf(eventSink, { ...sink, ...placeOf(sink), waiting: waiting.get(sink.id) ?? 0 });
}
