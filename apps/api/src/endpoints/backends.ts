import type { backendOperations } from '@flotilla/contract/backends.ts';
import { type BotWithBackend, backendOfProgram } from '@flotilla/domain/delivery/push/backend.ts';
import { type BackendHealth, checkBackendHealth } from '@flotilla/domain/delivery/push/check-backend-health.ts';
import { testDelivery } from '@flotilla/domain/delivery/push/test-delivery.ts';
import type { Actor } from '@flotilla/domain/people/audit/actor.ts';
import type { Context } from '../context.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { findBotOfProgram, requireProgram } from './programs.ts';
import { withoutNulls } from './without-nulls.ts';

export const backendHandlers: Handlers<typeof backendOperations> = {
  async checkBackendHealth(context, { input }) {
    return presentHealth(await checkBackendHealth(context, requireBot(context, input.id), context.stopping));
  },

  checkProgramHealth: {
    findBots: findBotOfProgram,
    async handle(context, { input }) {
      const { bot, program } = await requireProgram(context, input.id);
      return presentHealth(await checkBackendHealth(context, backendOfProgram(bot, program), context.stopping));
    },
  },

  async testDelivery(context, { input, by }) {
    return test(context, by, requireBot(context, input.bot_id), input.update);
  },

  testProgramDelivery: {
    findBots: findBotOfProgram,
    async handle(context, { input, by }) {
      const { bot, program } = await requireProgram(context, input.id);
      return test(context, by, backendOfProgram(bot, program), input.update);
    },
  },
};

function presentHealth({ healthy, status_code, latency_ms, error }: BackendHealth) {
  return { healthy, status_code, latency_ms, ...withoutNulls({ error }) };
}

type GivenUpdate = string | Record<string, unknown> | undefined;

async function test(context: Context, by: Actor, backend: BotWithBackend, given: GivenUpdate) {
  const update = updateToTest(context, given);
  const tested = await testDelivery(context, by, backend, update, context.stopping);
  const { request, status, duration_ms, excerpt, error } = tested;
  return {
    request: { ...request, body: update.raw },
    ...{ status, duration_ms, response_excerpt: excerpt?.text ?? '' },
    ...withoutNulls({ response_content_type: excerpt?.type ?? null, error }),
  };
}

/** Ids have at most 52 bits at the platform, so the largest one is nobody's. */
const NOBODY = 2 ** 52 - 1;

/** The given update as JSON text, or a sample message. */
function updateToTest({ clock }: Context, given: GivenUpdate) {
  if (typeof given === 'string') return { id: JSON.parse(given).update_id as number, raw: given };
  const person = { id: NOBODY, first_name: 'Flotilla' };
  const message = {
    ...{ message_id: 0, date: Math.floor(clock.nowMs() / 1000), text: 'This is a test delivery from Flotilla.' },
    ...{ from: { ...person, is_bot: false }, chat: { ...person, type: 'private' } },
  };
  const update: Record<string, unknown> = given ?? { update_id: 0, message };
  return { id: update.update_id as number, raw: JSON.stringify(update) };
}
