import type { PastUpdateResource, ShownUpdateResource, updateOperations } from '@flotilla/contract/updates.ts';
import type { CallOfUpdate } from '@flotilla/domain/delivery/deliveries/calls-of-update.ts';
import { listUpdates, type PastUpdate } from '@flotilla/domain/delivery/deliveries/list-updates.ts';
import type { ReaderOfUpdate } from '@flotilla/domain/delivery/deliveries/readers-of-update.ts';
import { replayUpdate } from '@flotilla/domain/delivery/deliveries/replay-update.ts';
import { showUpdate } from '@flotilla/domain/delivery/deliveries/show-update.ts';
import { readProgramUpdates } from '@flotilla/domain/delivery/programs/read-program-updates.ts';
import { type PulledUpdates, pollAnswer } from '@flotilla/domain/delivery/pull/pulled-updates.ts';
import { readUpdates } from '@flotilla/domain/delivery/pull/read-updates.ts';
import { backendOfProgram } from '@flotilla/domain/delivery/push/backend.ts';
import { type ActiveProgram, programOfReader } from '@flotilla/domain/fleet/bots/active-program.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { nameKinds } from '@flotilla/domain/fleet/bots/named-kinds.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { decodeCursor } from '../http/page.ts';
import { pollerOf } from '../http/poller.ts';
import { sendJson } from '../http/send-answer.ts';
import { untilGone } from '../http/until-gone.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { kindsOfInput } from './bots.ts';
import { presentAttempt } from './delivery-attempts.ts';
import { presentMessage } from './present-message.ts';
import { withoutNulls } from './without-nulls.ts';

export const updateHandlers: Handlers<typeof updateOperations> = {
  async listUpdates(context, { input }) {
    const bot = requireBot(context, input.bot_id);
    const before = decodeCursor(input.before, ['ms', 'text']);
    const { updates, next } = await listUpdates(context, bot, { limit: input.limit, before });
    return { rows: updates.map((update) => presentPastUpdate(bot, update)), total: null, next };
  },

  async showUpdate(context, { input, caller }): Promise<ShownUpdateResource> {
    const bot = requireBot(context, input.bot_id);
    const shown = await showUpdate(context, bot, input.update_id);
    if (shown === null) throw new FlotillaError('not_found', 'Update not found: nothing is known of it any more');
    const { raw, message, acceptedAtMs, via, kind, chat_id, readers, calls } = shown;
    return {
      ...(raw === null ? {} : { update: JSON.parse(raw) as Record<string, unknown> }),
      ...(message === null ? {} : { message: presentMessage(bot, message) }),
      ...withoutNulls({
        accepted_at: acceptedAtMs === null ? null : new Date(acceptedAtMs).toISOString(),
        ...{ via, kind, chat_id },
      }),
      readers: readers.map((reader) => presentReader(caller, bot.id, reader)),
      calls: calls.map((call) => presentCall(bot, call)),
    };
  },

  async replayUpdate(context, { input, caller, by, response, whileAllowed }) {
    const bot = requireBot(context, input.bot_id);
    const program = input.program_id === undefined ? null : requireProgram(bot, input.program_id);
    if ((input.reader === undefined) === (program === null)) {
      throw refusedInput('reader', 'or program_id must be given, and not both');
    }
    const backend = program === null ? bot : backendOfProgram(bot, program);
    const attempt = await whileAllowed((ended) =>
      untilGone([context.stopping, ended], response, (signal) =>
        replayUpdate(context, by, backend, input.update_id, signal),
      ),
    );
    return presentAttempt(caller, bot.id, attempt);
  },

  async pollUpdates(context, { input, caller, by, request: httpRequest, response, whileAllowed }) {
    const { offset, limit, timeout, consumer = null, sees_held: seesHeld } = input;
    const bot = requireBot(context, input.bot_id);
    const allowed = kindsOfInput(input.allowed_updates);
    const kinds = allowed === undefined ? null : (allowed ?? 'default');
    const polledBy = pollerOf(by, httpRequest);
    const request = { offset, limit, timeoutMs: timeout * 1000, throttle: false, polledBy };
    const program = input.program_id === undefined ? null : requireProgram(bot, input.program_id);
    if (program === null && !bot.long_poll_enabled) {
      throw new FlotillaError('bad_request', 'Long polling is off for this bot');
    }
    if (program !== null && consumer !== null) throw refusedInput('consumer', 'cannot be given with program_id');
    if (seesHeld && consumer === null) throw refusedInput('sees_held', 'is only for a named consumer');
    const read = (signal: AbortSignal): Promise<PulledUpdates> =>
      program === null
        ? readUpdates(context, bot, { ...request, consumer, ownerId: caller.account.id, kinds, seesHeld, signal })
        : readProgramUpdates(context, bot, program, { ...request, kinds, signal });
    await nameKinds(context, bot, allowed);
    const updates = await whileAllowed((ended) => untilGone([context.stopping, ended], response, read));
    context.apiMetrics.pulled.of('rest').inc(updates.count);
    sendJson(response, 200, Buffer.concat(pollAnswer(updates)));
  },
};

function presentPastUpdate(bot: Bot, { update_id, atMs, via, kind, chat_id, message }: PastUpdate): PastUpdateResource {
  return {
    update_id,
    at: new Date(atMs).toISOString(),
    ...{ via, kind },
    ...withoutNulls({ chat_id }),
    ...(message === null ? {} : { message: presentMessage(bot, message) }),
  };
}

function presentReader(
  caller: Caller,
  botId: number,
  { reader, program_name, outcome, filtered_by, attempts }: ReaderOfUpdate,
) {
  return {
    reader,
    ...withoutNulls({ program_id: programOfReader(reader), program_name }),
    outcome,
    ...withoutNulls({ filtered_by }),
    attempts: attempts.map((attempt) => presentAttempt(caller, botId, attempt)),
  };
}

function presentCall(bot: Bot, { atMs, how, reader, method, error, message }: CallOfUpdate) {
  const program_id = programOfReader(reader) ?? message?.program_id ?? null;
  return {
    at: new Date(atMs).toISOString(),
    how,
    ...withoutNulls({ reader, program_id, method, error }),
    ...(message === null ? {} : { message: presentMessage(bot, message) }),
  };
}

/** The program of a bot; throws 'not_found' for another bot's. */
function requireProgram(bot: Bot, id: number): ActiveProgram {
  const program = bot.programs.find((one) => one.id === id);
  if (program === undefined) throw new FlotillaError('not_found', 'Program not found');
  return program;
}
