import { type OutboxEntry, type OutboxEntryResource, outboxEntry } from '@flotilla/contract/outbox.ts';
import type { outboxOperations } from '@flotilla/contract/outbox-operations.ts';
import { answerOf } from '@flotilla/contract/resource.ts';
import { addEntry } from '@flotilla/domain/delivery/outbox/add-entry.ts';
import {
  type Changer,
  changeEntries,
  countEntries,
  restoreEntries,
} from '@flotilla/domain/delivery/outbox/change-entries.ts';
import { allowedParams, allowedPriority, requireRate } from '@flotilla/domain/delivery/outbox/check-token.ts';
import { outboxStore } from '@flotilla/domain/delivery/outbox/outbox-store.ts';
import { refuseForAdmins } from '@flotilla/domain/delivery/outbox/sendable.ts';
import { type CountedCall, countCall } from '@flotilla/domain/delivery/programs/count-call.ts';
import type { ActiveToken } from '@flotilla/domain/fleet/bots/active-program.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import type { Actor } from '@flotilla/domain/people/audit/actor.ts';
import { chatTitles, titleKey } from '@flotilla/domain/records/chats/chat-titles.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../context.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { type RateLimit, showRateLimits } from '../http/rate-limit-headers.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import { choiceOf } from '../operations/choice-of-call.ts';
import type { Call, Handlers } from '../operations/handler.ts';

export const outboxHandlers: Handlers<typeof outboxOperations> = {
  async addOutboxEntry(context, call) {
    const { bot, by, params, priority, tokenId } = await senderOf(context, call);
    return presentOne(context, await addEntry(context, bot, by, { ...call.input, params, priority, tokenId }));
  },

  async listOutbox(context, { input, caller }) {
    const { limit, offset, before, ...filters } = input;
    if (filters.bot_id !== undefined) requireBot(context, filters.bot_id);
    const [beforeId = null] = decodeCursor(before, ['id']) ?? [];
    const store = outboxStore(context.db);
    const [rows, total] = await Promise.all([
      store.list(caller.scope, filters, { limit: limit + 1, offset, beforeId }),
      store.count(caller.scope, filters),
    ]);
    return cutPage(await presentEntries(context, rows), limit, total, ({ id }) => [id]);
  },

  async countOutbox(context, { input, caller }) {
    if (input.bot_id !== undefined) requireBot(context, input.bot_id);
    return outboxStore(context.db).countByState(caller.scope, input);
  },

  showOutboxEntry: {
    findBots: async ({ db }, id) => {
      const entry = await outboxStore(db).find(id);
      return entry === null ? [] : [entry.bot_id];
    },
    async handle(context, { input }) {
      const entry = await outboxStore(context.db).find(input.id);
      if (entry === null) throw new FlotillaError('not_found', 'Entry not found');
      return presentOne(context, entry);
    },
  },

  async cancelOutboxEntries(context, { input, caller, by }) {
    const query = { ...chosenEntries(context, input), ofBroadcasts: mayBroadcast(caller) };
    const change = input.dry_run
      ? await countEntries(context.db, caller.scope, 'cancel', query)
      : await changeEntries(context, changerOf(caller, by), 'cancel', query);
    return { ok: true, ...change };
  },

  async releaseOutboxEntries(context, { input, caller, by }) {
    const query = chosenEntries(context, input);
    const change = input.dry_run
      ? await countEntries(context.db, caller.scope, 'release', query)
      : await changeEntries(context, changerOf(caller, by), 'release', query);
    return { ok: true, ...change };
  },

  async restoreOutboxEntries(context, { input, caller, by }) {
    const changer = changerOf(caller, by);
    const query = { ids: input.ids, ofBroadcasts: mayBroadcast(caller), forAdmins: changer.isAdmin };
    return { ok: true, ...(await restoreEntries(context, changer, query)) };
  },

  async resendOutboxEntries(context, { input, caller, by }) {
    const changer = changerOf(caller, by);
    const query = { ids: input.ids, ofBroadcasts: mayBroadcast(caller), forAdmins: changer.isAdmin };
    return { ok: true, ...(await changeEntries(context, changer, 'resend', query)) };
  },
};

/** Who may not broadcast, may not change a broadcast entry by entry either. */
function mayBroadcast({ rights }: Caller): boolean {
  return rights.includes('broadcast');
}

function changerOf({ role, scope }: Caller, by: Actor): Changer {
  return { by, isAdmin: role === 'admin', scope };
}

type AddCall = Call<typeof outboxOperations.addOutboxEntry.input>;

/** Whose send it is: of an account for a bot that it names, or of a program, within the limits of its token. */
async function senderOf(context: Context, { input, caller, program, by, response }: AddCall) {
  const { method, params, priority } = input;
  if (program === null) {
    if (input.bot_id === undefined) throw refusedInput('bot_id', 'is required');
    if (caller.role !== 'admin') refuseForAdmins(method, params);
    return { bot: requireBot(context, input.bot_id), by, params, priority: priority ?? 'normal', tokenId: undefined };
  }
  const counted = await countCall(context, program.token);
  showRateLimits(response, limitsOfToken(program.token, counted));
  requireRate(counted);
  const { id, name } = program.program;
  return {
    bot: requireBot(context, program.bot.id),
    by: { kind: 'bot', address: by.address, program: { id, name }, request: by.request } as const,
    params: allowedParams(context, program, method, params),
    priority: allowedPriority(program, priority),
    tokenId: program.token.id,
  };
}

function limitsOfToken({ per_second, per_minute }: ActiveToken, { calls }: CountedCall): RateLimit[] {
  if (calls === null) return [];
  const limit = (name: RateLimit['name'], quota: number | null, used: number, seconds: number, resetInS: number) =>
    quota === null ? [] : [{ name, quota, remaining: quota - used, window: { seconds, resetInS } }];
  return [
    ...limit('program-second', per_second, calls.ofSecond, 1, 1),
    ...limit('program-minute', per_minute, calls.ofMinute, 60, calls.minuteLeftS),
  ];
}

type ChoiceInput = Call<typeof outboxOperations.cancelOutboxEntries.input>['input'];

function chosenEntries(context: Context, input: ChoiceInput) {
  const { filter, bot_id } = choiceOf(input);
  if (bot_id !== undefined) requireBot(context, bot_id);
  return { ...filter, bot_id, ids: input.ids };
}

async function presentOne(context: Context, entry: OutboxEntry): Promise<OutboxEntryResource> {
  const [presented] = await presentEntries(context, [entry]);
  return presented!;
}

async function presentEntries({ db }: Context, entries: readonly OutboxEntry[]): Promise<OutboxEntryResource[]> {
  const titles = await chatTitles(db, entries);
  return entries.map((entry) =>
    answerOf(outboxEntry, {
      ...entry,
      chat_title: titles.get(titleKey(entry)),
      created_by: entry.created_by.username ?? entry.created_by.program ?? '',
      request_id: entry.created_by.requestId,
    }),
  );
}
