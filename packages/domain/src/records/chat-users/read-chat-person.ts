import type { AuditEntry } from '@flotilla/contract/audit.ts';
import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Tag } from '@flotilla/contract/tags.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { shownSince } from '../../fleet/bots/deletion-store.ts';
import type { Scope } from '../../people/accounts/scope.ts';
import { auditStore } from '../../people/audit/audit-store.ts';
import { chatStore } from '../chats/chat-store.ts';
import { messageStore } from '../messages/message-store.ts';
import { tagStore } from '../tags/tag-store.ts';

type Names = { username: string | null; first_name: string | null; last_name: string | null };

/** One author in a chat: who they are, what was noted about them, and what was done to them. */
export interface ChatPerson {
  names: Names;
  messages: number;
  /** Unix seconds of the oldest message; null: there is none. */
  firstDateS: number | null;
  tags: Tag[];
  /** Of others in the chat, the most frequent first. */
  suggested_tags: { tag: string; color: string }[];
  /** The bots that know a private chat with the person. */
  privateChatsWith: number[];
  actions: AuditEntry[];
}

const MOST_TAGS = 1_000;
const MOST_PRIVATE_CHATS = 200;
const NAMELESS: Names = { username: null, first_name: null, last_name: null };

type PersonOfChat = ChatOfBot & { user_id: number };

/** Reads what is known of an author of a chat; private chats are those in the scope. */
export async function readChatPerson(
  db: Database,
  scope: Scope,
  person: PersonOfChat,
  most: { actions: number; suggestions: number },
): Promise<ChatPerson> {
  const shown = { include_deleted: false, filter: { user_id: person.user_id } };
  const page = { limit: MOST_TAGS, offset: 0, afterId: null };
  const [names, messages, firstDateS, tags, suggested_tags, privateChatsWith, actions] = await Promise.all([
    namesOf(db, person),
    messageStore(db).count(person, shown),
    firstDateOf(db, person),
    tagStore(db).list(person, page),
    tagStore(db).ofOthers(person, most.suggestions),
    chatStore(db).privateChatsWith(scope, person.user_id, MOST_PRIVATE_CHATS),
    auditStore(db).listOfTarget(person, person.user_id, most.actions),
  ]);
  return { names, messages, firstDateS, tags, suggested_tags, privateChatsWith, actions };
}

/** The names in the newest message; of somebody who has not written, as the private chat has them. */
async function namesOf(db: Database, { bot_id, chat_id, user_id }: PersonOfChat): Promise<Names> {
  const { rows } = await sql<Names>`
    (select username, first_name, last_name from messages m
     where m.bot_id = ${bot_id} and m.chat_id = ${chat_id} and m.user_id = ${user_id}
       and m.date >= ${shownSince({ bot_id, chat_id })}
     order by m.date desc, m.id desc limit 1)
    union all
    select username, coalesce(first_name, title), last_name from chats c where c.bot_id = ${bot_id} and c.id = ${user_id}
    limit 1`.execute(db);
  return rows[0] ?? NAMELESS;
}

async function firstDateOf(db: Database, { bot_id, chat_id, user_id }: PersonOfChat): Promise<number | null> {
  const { rows } = await sql<{ date: number }>`
    select m.date from messages m
    where m.bot_id = ${bot_id} and m.chat_id = ${chat_id} and m.user_id = ${user_id} and m.deleted_at is null
      and m.date >= ${shownSince({ bot_id, chat_id })}
    order by m.date, m.id limit 1`.execute(db);
  return rows[0]?.date ?? null;
}
