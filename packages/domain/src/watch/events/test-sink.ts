import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { moveSink, type SinkDeps } from './change-sinks.ts';
import type { EventSink } from './event-sink.ts';
import { type SendDeps, sendEvents } from './send-event.ts';

/** Sends an event of no consequence, past what waits. */
export async function testSink(
  deps: SinkDeps & SendDeps,
  by: Actor,
  sink: EventSink,
): Promise<{ delivered: boolean; error: string; duration_ms: number }> {
  await recordAction(deps, by, { action: 'sink_test', details: `sink ${sink.id}` });
  const begunAtMs = performance.now();
  const at = new Date(deps.clock.nowMs()).toISOString();
  const resource = { id: 0, kind: 'bot.added', at, text: 'This is a test: events reach you here' } as const;
  const event = { resource, repeats: 0, botName: null, link: null, listLink: null, isTest: true } as const;
  const sent = await sendEvents(deps, sink, [event], new AbortController().signal);
  if (sent.movedTo !== undefined) await moveSink(deps, sink, sent.movedTo);
  const duration_ms = Math.round(performance.now() - begunAtMs);
  return { delivered: sent.outcome === 'taken', error: sent.outcome === 'failed' ? sent.reason : '', duration_ms };
}
