import { auditStore } from '@flotilla/domain/people/audit/audit-store.ts';
import type { Message } from '@flotilla/domain/records/messages/message-store.ts';
import type { Context } from '../context.ts';

/** Message id → the account that sent it as the bot. */
export type Senders = ReadonlyMap<number, string>;

export function sendersOf(
  { db }: Pick<Context, 'db'>,
  chat: { botId: number; chatId: number },
  messages: readonly Message[],
): Promise<Senders> {
  const sent = messages.filter((message) => message.outgoing && message.program_id === null && message.id > 0);
  const dates = sent.map(({ date }) => date);
  const between = { fromS: Math.min(...dates), toS: Math.max(...dates) };
  return auditStore(db).sendersOf(
    chat,
    sent.map(({ id }) => id),
    between,
  );
}
