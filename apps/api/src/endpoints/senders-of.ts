import type { MessageResource } from '@flotilla/contract/messages.ts';
import { auditStore, type SentMessage } from '@flotilla/domain/people/audit/audit-store.ts';
import type { Message } from '@flotilla/domain/records/messages/message-store.ts';
import type { Context } from '../context.ts';
import { withoutNulls } from './without-nulls.ts';

/** The account that sent a message as the bot; empty: none that is known. */
export type Sender = Pick<MessageResource, 'account' | 'account_id' | 'account_name'>;
export type Senders = (message: SentMessage) => Sender;

type Sent = SentMessage & Pick<Message, 'outgoing' | 'program_id' | 'automatic'>;

/** Conversations of business connections may have messages of the same id. */
export async function sendersOf({ db }: Pick<Context, 'db'>, messages: readonly Sent[]): Promise<Senders> {
  const unknown = messages.filter(
    ({ outgoing, program_id, automatic, id }) => outgoing && program_id === null && automatic === null && id > 0,
  );
  const asked = unknown.map(({ bot_id, chat_id, business_connection_id, id, date }) => ({
    ...{ bot_id, chat_id, business_connection_id, id, date },
  }));
  const known = await auditStore(db).sendersOf(asked);
  const senders = new Map(
    known.map(({ account, account_id, account_name, ...message }) => [
      keyOf(message),
      { account, ...withoutNulls({ account_id, account_name }) },
    ]),
  );
  return (message) => senders.get(keyOf(message)) ?? {};
}

function keyOf({ bot_id, chat_id, business_connection_id, id }: Omit<SentMessage, 'date'>): string {
  return `${bot_id} ${chat_id} ${id} ${business_connection_id}`;
}
