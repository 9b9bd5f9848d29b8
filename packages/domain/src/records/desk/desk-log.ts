import type { DeskEntryResource } from '@flotilla/contract/desk-log.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { EVERYTHING, within } from '../../people/accounts/scope.ts';
import { auditStore } from '../../people/audit/audit-store.ts';
import type { Conversation } from '../chats/conversation.ts';
import { type Note, noteStore } from '../notes/note-store.ts';

type Act = Omit<DeskEntryResource, 'note'>;

/** Acts of people and notes, which stand beside the messages of a conversation. Each newest first, at most so many. */
export async function readDeskLog(
  db: Database,
  chat: Conversation,
  limit: number,
): Promise<{ acts: Act[]; notes: Note[] }> {
  const query = { ...chat, q: '' };
  const [acts, notes] = await Promise.all([
    auditStore(db).listDeskActs(chat, limit),
    noteStore(db).list(within(EVERYTHING, [chat.bot_id]), query, { limit, offset: 0, beforeId: null }),
  ]);
  return {
    notes,
    acts: acts.map(({ date, action, actor_kind, actor_username: account, target_username: target, details }) => ({
      ...{ date, action: action as Act['action'], details },
      ...(actor_kind === 'account' && account !== null ? { account } : {}),
      ...(target === null ? {} : { target }),
    })),
  };
}
