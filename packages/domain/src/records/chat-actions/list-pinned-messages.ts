import type { Database } from '@flotilla/database/connect.ts';
import { auditStore } from '../../people/audit/audit-store.ts';
import type { Conversation } from '../chats/conversation.ts';

/** Older pins and unpins are not read. */
const READ_ENTRIES = 500;

/** The messages of a conversation that bots and accounts pinned, by the audit log; it does not know the pins of people. */
export async function listPinnedMessages({ db }: { db: Database }, chat: Conversation): Promise<number[]> {
  const pinned = new Set<number>();
  const entries = await auditStore(db).listPins(chat, READ_ENTRIES);
  for (const { action, target_id: messageId } of entries.reverse()) {
    if (action === 'unpin_all') pinned.clear();
    if (messageId === null) continue;
    if (action === 'pin') pinned.add(messageId);
    else pinned.delete(messageId);
  }
  return [...pinned];
}
