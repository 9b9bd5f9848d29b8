import { randomUUID } from 'node:crypto';
import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { type BotWithBackend, deliveryIdOf } from './backend.ts';
import type { BackendConnections } from './backend-connections.ts';
import { type ResponseExcerpt, responseExcerpt } from './response-excerpt.ts';
import { sendToBackend } from './send-to-backend.ts';
import { type ShownRequest, shownRequest } from './shown-request.ts';
import { NOT_SIGNED, signDelivery } from './sign-delivery.ts';
import { type TestRoomDeps, withTestRoom } from './test-room.ts';

type TestDeps = TestRoomDeps & { db: Database; clock: Clock; backends: Pick<BackendConnections, 'to'> };

export type TestedDelivery = {
  request: ShownRequest;
  /** 0 when there was no answer. */
  status: number;
  duration_ms: number;
  excerpt: ResponseExcerpt | null;
  /** Null when the backend took it. */
  error: string | null;
};

/** Shorter than a delivery may take, because a person waits for it. */
const DEADLINE_MS = 10_000;

/**
 * Sends an update (its JSON text) to the backend of a bot or of a program, past the log: no cursor, breaker or list of
 * attempts changes, and a call in the answer is not executed. Throws FlotillaError: 'bad_request' without a backend URL,
 * 'too_many_requests' for a second test within a second or when 20 are in flight, 'unavailable' when `signal` aborts.
 */
export async function testDelivery(
  deps: TestDeps,
  by: Actor,
  backend: BotWithBackend,
  update: { id: number; raw: string },
  signal: AbortSignal,
): Promise<TestedDelivery> {
  const { program } = backend;
  if (backend.backend_url === '') {
    throw new FlotillaError('bad_request', `The ${program === undefined ? 'bot' : 'program'} has no backend URL`);
  }
  return withTestRoom(deps, backend.id, async () => {
    const details = `${program === undefined ? '' : `program ${program.id}; `}update_id: ${update.id}`;
    await recordAction(deps, by, { action: 'test_delivery', bot_id: backend.id, details });
    return send(deps, backend, update, signal);
  });
}

async function send(
  { backends, clock }: TestDeps,
  backend: BotWithBackend,
  update: { id: number; raw: string },
  signal: AbortSignal,
): Promise<TestedDelivery> {
  // An id of its own, because a backend that leaves out known ids would ignore the test.
  const id = deliveryIdOf(backend, `test-${randomUUID()}`);
  // The signature covers the id, so that a test cannot be passed off as an update.
  const signature = signDelivery(backend.signing, { id: `test_${id}`, atMs: clock.nowMs(), body: update.raw });
  const headers = { ...signature, 'Flotilla-Delivery-Id': id, 'X-Flotilla-Test': '1' };
  if (signature === null) {
    return { request: shownRequest(backend, headers), duration_ms: 0, status: 0, excerpt: null, error: NOT_SIGNED };
  }
  const begunAtMs = performance.now();
  const delivery = await sendToBackend(backends.to(backend), backend, { ...update, headers }, signal, {
    deadlineMs: DEADLINE_MS,
  });
  const [request, duration_ms] = [shownRequest(backend, headers), Math.round(performance.now() - begunAtMs)];
  switch (delivery.outcome) {
    case 'aborted':
      throw new FlotillaError('unavailable', 'This process stops; try again', { retryAfterS: 1 });
    case 'failed':
      return { request, duration_ms, status: 0, excerpt: null, error: delivery.reason };
    case 'refused':
    case 'delivered': {
      const error = delivery.outcome === 'refused' ? delivery.reason : null;
      return { request, duration_ms, status: delivery.status, excerpt: responseExcerpt(backend, delivery), error };
    }
  }
}
