import { listAuditEntries } from '@flotilla/contract/operations/audit.ts';
import { auditStore } from '@flotilla/domain/audit/audit-store.ts';
import { defineListEndpoint } from '../../http/define-endpoint.ts';
import { cutPage, decodeCursor } from '../../http/page.ts';
import { requireBotOfChat } from '../chats/require-bot-of-chat.ts';
import { presentAuditEntry } from './present-audit-entry.ts';

export const listAuditEntriesEndpoint = defineListEndpoint(listAuditEntries, async (context, { input, caller }) => {
  const { limit, offset, action } = input;
  const before = decodeCursor(input.before, ['number', 'number']);
  const bot = await requireBotOfChat(context, caller, input);
  const query = { botId: bot.id, chatId: input.chat_id, action };
  const entries = auditStore(context.db);
  const [rows, total] = await Promise.all([
    entries.list(query, { limit: limit + 1, offset, before }),
    entries.count(query),
  ]);
  const page = cutPage(rows, limit, total, (entry) => [entry.date, entry.id]);
  return { ...page, rows: page.rows.map(presentAuditEntry) };
});
