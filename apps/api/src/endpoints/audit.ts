import type { AuditEntry, AuditEntryResource, auditOperations } from '@flotilla/contract/audit.ts';
import { withoutUnseenBots } from '@flotilla/domain/delivery/routing-rules/shown-bots.ts';
import { type Caller, seesBot } from '@flotilla/domain/people/accounts/caller.ts';
import { findAccountId } from '@flotilla/domain/people/accounts/find-account-id.ts';
import { type AuditQuery, auditStore } from '@flotilla/domain/people/audit/audit-store.ts';
import { presentAuditEntry } from '@flotilla/domain/people/audit/present-audit-entry.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../context.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { requireBotOfChat } from '../operations/bot-of-call.ts';
import type { Call, Handlers } from '../operations/handler.ts';

export const auditHandlers: Handlers<typeof auditOperations> = {
  async listAuditEntries(context, { input, caller }) {
    const { limit, offset } = input;
    const before = decodeCursor(input.before, ['seconds', 'id']);
    const query = await queryOf(context, caller, input);
    if (query === null) return { rows: [], total: 0, next: null };
    const entries = auditStore(context.db);
    const [rows, total] = await Promise.all([
      entries.list(caller.scope, query, { limit: limit + 1, offset, before }),
      entries.count(caller.scope, query),
    ]);
    const page = cutPage(rows, limit, total, (entry) => [entry.date, entry.id]);
    return { ...page, rows: page.rows.map((entry) => presentSeenEntry(caller, entry)) };
  },
};

type Input = Call<typeof auditOperations.listAuditEntries.input>['input'];

/** null: no such actor has ever existed. */
async function queryOf(context: Context, caller: Caller, input: Input): Promise<AuditQuery | null> {
  const { id, chat_id, action, actor, from: fromS, to: beforeS } = input;
  const bot_id = await botOf(context, caller, input);
  const actor_id = actor === undefined ? undefined : await findAccountId(context, actor);
  return actor_id === null ? null : { id, bot_id, chat_id, action, actor_id, fromS, beforeS };
}

/** The bot whose entries are listed; undefined: all entries, for callers who see the whole fleet. */
async function botOf(context: Context, caller: Caller, { bot_id, chat_id }: Input): Promise<number | undefined> {
  if (chat_id === undefined && caller.role !== 'admin') throw refusedInput('chat_id', 'is required');
  if (bot_id !== undefined) return requireAuditedBot(context, bot_id);
  if (chat_id !== undefined) return (await requireBotOfChat(context, caller, { chat_id })).id;
  if (caller.scope.bots !== 'all') throw refusedInput('bot_id', 'is needed: this key is limited to some bots');
  return undefined;
}

/** Throws 'not_found' unless the bot exists or has entries: they outlive a deleted bot. */
async function requireAuditedBot({ directory, db }: Context, botId: number): Promise<number> {
  if (directory.byId(botId) === undefined && !(await auditStore(db).anyOfBot(botId))) {
    throw new FlotillaError('not_found', 'Bot not found');
  }
  return botId;
}

export function presentSeenEntry(caller: Caller, entry: AuditEntry): AuditEntryResource {
  const details = withoutUnseenBots(caller, entry.details);
  const { actor_kind, actor_id } = entry;
  // The bot that adopted this one.
  const isUnseen = actor_kind === 'bot' && actor_id !== null && !seesBot(caller, actor_id);
  const actor = isUnseen ? { actor_id: null, actor_username: null } : {};
  return presentAuditEntry({ ...entry, ...actor, details }, { toAdmin: caller.role === 'admin' });
}
