import type { DeadLetter } from '@flotilla/contract/deliveries.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { chatIdOfJson } from '@flotilla/telegram/update-facts.ts';
import { type Scope, within } from '../../people/accounts/scope.ts';
import { deadLetterStore } from './dead-letter-store.ts';

/** A dead letter and the chat of its update. */
export type LetterOfChat = DeadLetter & { chat_id: number };

const ROWS_AT_ONCE = 200;

/** The dead letters of some chats of a bot, newest first; with `ids`, only these. */
export async function lettersOfChats(
  { db }: { db: Database },
  scope: Scope,
  { botId, chatIds, ids }: { botId: number; chatIds: readonly number[]; ids?: readonly number[] },
  page: { limit: number; before: number | null },
): Promise<LetterOfChat[]> {
  const query = { maybeOfChats: chatIds, ids };
  const found: LetterOfChat[] = [];
  let { before } = page;
  while (found.length < page.limit) {
    const rows = await deadLetterStore(db).list(within(scope, [botId]), query, {
      limit: ROWS_AT_ONCE,
      offset: 0,
      before,
    });
    for (const row of rows) {
      // Rows of a release before have no chat of their own.
      const chat_id = row.chat_id ?? chatIdOfJson(row.payload);
      if (chat_id !== null && chatIds.includes(chat_id)) found.push({ ...row, chat_id });
    }
    before = rows.at(-1)?.id ?? null;
    if (rows.length < ROWS_AT_ONCE) break;
  }
  return found.slice(0, page.limit);
}
