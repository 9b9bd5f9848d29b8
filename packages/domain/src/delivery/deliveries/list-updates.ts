import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { chatOfUpdate } from '@flotilla/telegram/update-facts.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { readAcceptedLine, type Via } from '../../records/journal/accepted-line.ts';
import { type LineCursor, readLines } from '../../records/journal/read-lines.ts';
import { messagesOfUpdates } from '../../records/messages/message-of-update.ts';
import type { Message } from '../../records/messages/message-store.ts';

/** An update that was accepted, as the journal has it. */
export type PastUpdate = {
  update_id: number;
  atMs: number;
  via: Via;
  kind: string;
  chat_id: number | null;
  /** The message that it is about, while the history has it. */
  message: Message | null;
};

/** The updates that were accepted for a bot, newest first. `next` is where to go on. */
export async function listUpdates(
  deps: { db: Database; redis: RedisHandles },
  bot: Bot,
  page: { limit: number; before: LineCursor | null },
): Promise<{ updates: PastUpdate[]; next: LineCursor | null }> {
  const sources = [{ reader: 'intake', list: botKeys(bot.id).accepted }];
  const read = (_reader: string, line: string) => {
    const accepted = readAcceptedLine(line);
    return accepted && { ...accepted, id: `${accepted.update_id}${accepted.via}` };
  };
  const { lines, next } = await readLines(deps, { botId: bot.id, sources, filter: {} }, read, page);
  const updates = lines.map(({ update_id, atMs, via, kind, lane, place, chat_id }) => ({
    ...{ update_id, atMs, via, kind },
    chat_id: chat_id ?? chatOfUpdate(kind, lane, '{}'),
    // Of a redrive it is the name of the update in its lane.
    messageId: via === 'redrive' || place === null ? null : Number(place),
    acceptedAtMs: atMs,
  }));
  const messages = await messagesOfUpdates(deps.db, bot, updates);
  return { updates: updates.map((update, at) => ({ ...update, message: messages[at] ?? null })), next };
}
