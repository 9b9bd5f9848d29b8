import type { AuditEntryResource, auditOperations } from '@flotilla/contract/audit.ts';
import type { AuditAction } from '@flotilla/contract/audit-actions.ts';
import { withoutUnseenBots } from '@flotilla/domain/delivery/routing-rules/shown-bots.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { findAccountId } from '@flotilla/domain/people/accounts/find-account-id.ts';
import { type AuditEntry, type AuditQuery, auditStore } from '@flotilla/domain/people/audit/audit-store.ts';
import { connectionParam } from '@flotilla/domain/records/chats/conversation.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../context.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { requireBotOfChat } from '../operations/bot-of-call.ts';
import type { Call, Handlers } from '../operations/handler.ts';
import { withoutNulls } from './without-nulls.ts';

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
    return { ...page, rows: page.rows.map((entry) => presentAuditEntry(caller, entry)) };
  },
};

type Input = Call<typeof auditOperations.listAuditEntries.input>['input'];

/** null: no such actor has ever existed. */
async function queryOf(context: Context, caller: Caller, input: Input): Promise<AuditQuery | null> {
  const { id, chat_id: chatId, action, actor, from: fromS, to: beforeS } = input;
  const botId = await botOf(context, caller, input);
  const actorId = actor === undefined ? undefined : await findAccountId(context, actor);
  return actorId === null
    ? null
    : { id, bot_id: botId, chat_id: chatId, action, actor_id: actorId, fromS: fromS, beforeS: beforeS };
}

/** The bot whose entries are listed; undefined: all entries, for callers who see the whole fleet. */
async function botOf(context: Context, caller: Caller, input: Input): Promise<number | undefined> {
  const { bot_id: botId, chat_id: chatId } = input;
  if (chatId === undefined && caller.role !== 'admin') throw refusedInput('chat_id', 'is required');
  if (botId !== undefined) return requireAuditedBot(context, botId);
  if (chatId !== undefined) return (await requireBotOfChat(context, caller, { chat_id: chatId })).id;
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

/** Only admins see addresses and API keys. */
export function presentAuditEntry(caller: Caller, entry: AuditEntry): AuditEntryResource {
  const {
    id,
    chat_id,
    business_connection_id: connection,
    bot_id,
    action,
    actor_kind,
    actor_key_id,
    address,
    details,
    date,
  } = entry;
  const { actor_id, actor_username, request_id, target_id, target_username } = entry;
  return {
    id,
    ...withoutNulls({ chat_id, bot_id }),
    ...connectionParam(connection),
    action: action as AuditAction,
    actor_kind: actor_key_id === null ? actor_kind : 'key',
    ...withoutNulls({ actor_id, actor_username }),
    ...(caller.role === 'admin' ? withoutNulls({ actor_key_id, address }) : {}),
    ...withoutNulls({ request_id, target_id, target_username }),
    details: withoutUnseenBots(caller, details),
    date,
  };
}
