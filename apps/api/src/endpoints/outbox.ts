import type { OutboxEntryResource, outboxOperations } from '@flotilla/contract/outbox.ts';
import { addEntry } from '@flotilla/domain/delivery/outbox/add-entry.ts';
import { changeEntries, countEntries } from '@flotilla/domain/delivery/outbox/change-entries.ts';
import { allowedParams, allowedPriority, requireRate } from '@flotilla/domain/delivery/outbox/check-token.ts';
import type { Entry } from '@flotilla/domain/delivery/outbox/entry.ts';
import type { EntryQuery } from '@flotilla/domain/delivery/outbox/entry-query.ts';
import { outboxStore } from '@flotilla/domain/delivery/outbox/outbox-store.ts';
import { refuseForAdmins } from '@flotilla/domain/delivery/outbox/sendable.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { chatTitles, titleKey } from '@flotilla/domain/records/chats/chat-titles.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../context.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import { choiceOf } from '../operations/choice-of-call.ts';
import type { Call, Handlers } from '../operations/handler.ts';
import { withoutNulls } from './without-nulls.ts';

export const outboxHandlers: Handlers<typeof outboxOperations> = {
  async addOutboxEntry(context, call) {
    const { bot, by, params, priority, tokenId } = await senderOf(context, call);
    const { method, send_at: sendAtS, expires_at: expiresAtS, idempotency_key: idempotencyKey } = call.input;
    const wanted = { method, params, priority, sendAtS, expiresAtS, idempotencyKey, tokenId };
    return presentOne(context, await addEntry(context, bot, by, wanted));
  },

  async listOutbox(context, { input, caller }) {
    const { limit, offset } = input;
    if (input.bot_id !== undefined) requireBot(context, input.bot_id);
    const [beforeId = null] = decodeCursor(input.before, ['id']) ?? [];
    const query = { ...queryOf(input), bots: caller.bots };
    const store = outboxStore(context.db);
    const [rows, total] = await Promise.all([
      store.list(query, { limit: limit + 1, offset, beforeId }),
      store.count(query),
    ]);
    return cutPage(await presentEntries(context, rows), limit, total, ({ id }) => [id]);
  },

  async countOutbox(context, { input, caller }) {
    if (input.bot_id !== undefined) requireBot(context, input.bot_id);
    return outboxStore(context.db).countByState({ ...queryOf(input), bots: caller.bots });
  },

  showOutboxEntry: {
    findBots: async ({ db }, id) => {
      const entry = await outboxStore(db).find(id);
      return entry === null ? [] : [entry.botId];
    },
    async handle(context, { input }) {
      const entry = await outboxStore(context.db).find(input.id);
      if (entry === null) throw new FlotillaError('not_found', 'Entry not found');
      return presentOne(context, entry);
    },
  },

  async cancelOutboxEntries(context, { input, caller, by }) {
    const query = { ...chosenEntries(context, input), ...changeableBy(caller) };
    const change = input.dry_run
      ? await countEntries(context.db, 'cancel', query)
      : await changeEntries(context, { by, isAdmin: caller.role === 'admin' }, 'cancel', query);
    return { ok: true, ...change };
  },

  async releaseOutboxEntries(context, { input, caller, by }) {
    const query = { ...chosenEntries(context, input), bots: caller.bots };
    const change = input.dry_run
      ? await countEntries(context.db, 'release', query)
      : await changeEntries(context, { by, isAdmin: caller.role === 'admin' }, 'release', query);
    return { ok: true, ...change };
  },

  async resendOutboxEntries(context, { input, caller, by }) {
    const isAdmin = caller.role === 'admin';
    const query = { ids: input.ids, ...changeableBy(caller), forAdmins: isAdmin };
    return { ok: true, ...(await changeEntries(context, { by, isAdmin }, 'resend', query)) };
  },
};

/** Who may not broadcast, may not change a broadcast entry by entry either. */
function changeableBy({ bots, rights }: Caller): Pick<EntryQuery, 'bots' | 'ofBroadcasts'> {
  return { bots, ofBroadcasts: rights.includes('broadcast') };
}

type AddCall = Call<typeof outboxOperations.addOutboxEntry.input>;

/** Whose send it is: of an account for a bot that it names, or of a program, within the limits of its token. */
async function senderOf(context: Context, { input, caller, program, by }: AddCall) {
  const { method, params, priority } = input;
  if (program === null) {
    if (input.bot_id === undefined) throw refusedInput('bot_id', 'is required');
    if (caller.role !== 'admin') refuseForAdmins(method, params);
    return { bot: requireBot(context, input.bot_id), by, params, priority: priority ?? 'normal', tokenId: undefined };
  }
  await requireRate(context, program);
  const { id, name } = program.program;
  return {
    bot: requireBot(context, program.bot.id),
    by: { kind: 'bot', address: by.address, program: { id, name }, request: by.request } as const,
    params: allowedParams(program, method, params),
    priority: allowedPriority(program, priority),
    tokenId: program.token.id,
  };
}

type ChoiceInput = Call<typeof outboxOperations.cancelOutboxEntries.input>['input'];

function chosenEntries(context: Context, input: ChoiceInput): Omit<EntryQuery, 'bots'> {
  const { filter, botId } = choiceOf(input);
  if (botId !== undefined) requireBot(context, botId);
  return { ...queryOf(filter), botId, ids: input.ids };
}

type Conditions = Partial<
  Pick<
    Call<typeof outboxOperations.listOutbox.input>['input'],
    'bot_id' | 'chat_id' | 'state' | 'priority' | 'broadcast_id' | 'created_by' | 'since' | 'until'
  >
>;

function queryOf(input: Conditions): Omit<EntryQuery, 'bots'> {
  return {
    ...{ botId: input.bot_id, chatId: input.chat_id, state: input.state, priority: input.priority },
    ...{ broadcastId: input.broadcast_id, createdBy: input.created_by },
    ...{ sinceS: input.since, untilS: input.until },
  };
}

async function presentOne(context: Context, entry: Entry): Promise<OutboxEntryResource> {
  const [presented] = await presentEntries(context, [entry]);
  return presented!;
}

async function presentEntries({ db }: Context, entries: readonly Entry[]): Promise<OutboxEntryResource[]> {
  const keyOf = ({ botId, chatId }: Entry) => ({ bot_id: botId, chat_id: chatId });
  const titles = await chatTitles(db, entries.map(keyOf));
  return entries.map((entry) => presentEntry(entry, titles.get(titleKey(keyOf(entry))) ?? null));
}

function presentEntry(entry: Entry, chatTitle: string | null): OutboxEntryResource {
  const { createdBy } = entry;
  const isoOf = (date: Date | null) => date?.toISOString() ?? null;
  return {
    ...{ id: entry.id, bot_id: entry.botId, chat_id: entry.chatId, ...withoutNulls({ chat_title: chatTitle }) },
    ...{ method: entry.method, params: entry.params },
    ...{ priority: entry.priority, state: entry.state },
    ...withoutNulls({ send_at: isoOf(entry.sendAt), expires_at: isoOf(entry.expiresAt) }),
    attempts: entry.attempts,
    ...withoutNulls({
      ...{ next_attempt_at: isoOf(entry.nextAttemptAt), error_code: entry.errorCode, error: entry.error },
      ...{ message_id: entry.messageId, result: entry.result, broadcast_id: entry.broadcastId },
      idempotency_key: entry.idempotencyKey,
    }),
    created_by: createdBy.username ?? createdBy.program ?? '',
    ...(createdBy.requestId === undefined ? {} : { request_id: createdBy.requestId }),
    created_at: entry.createdAt.toISOString(),
    ...withoutNulls({ settled_at: isoOf(entry.settledAt) }),
  };
}
