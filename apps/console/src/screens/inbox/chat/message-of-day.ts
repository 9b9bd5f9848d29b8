import { callPage } from '../../../call.ts';
import { conversationOf } from '../conversation.ts';
import type { ChatId } from './use-window.ts';

/** The first message of a day or, if it has none, the next one; undefined if the chat ended before. */
export async function messageOfDay({ threadId, ...chat }: ChatId, day: Date): Promise<number | undefined> {
  const read = async (place: object) => {
    const topic = threadId === undefined ? {} : { thread_id: threadId };
    const input = { ...conversationOf(chat), ...topic, include_deleted: true, limit: 1, ...place };
    const { rows, total } = await callPage('listMessages', input);
    return { id: rows[0]?.id, total };
  };
  const before = await read({ to: Math.floor(day.getTime() / 1000) - 1 });
  if (before.id !== undefined) return (await read({ after: String(before.id) })).id;
  const { total } = await read({});
  return (await read({ offset: Math.max(0, total - 1) })).id;
}
