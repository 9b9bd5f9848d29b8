import { SAID_SERVICES } from '@flotilla/telegram/message-service.ts';
import { type RawBuilder, sql } from 'kysely';

/** True of a message that a person wrote to the bot: no event of the chat, no press of a button, and not the owner's own. */
export function isOfPerson(messages: string): RawBuilder<boolean> {
  return sql`(not ${of(messages, 'outgoing')} and not ${isOfOwner(messages)}
    and ${of(messages, 'media_type')} is distinct from 'callback' and ${isContent(messages)})`;
}

/** True of a message of the bot, or of the owner of a business account, who writes in the chat of a customer; but not of what was sent by itself. */
export function isAnswer(messages: string): RawBuilder<boolean> {
  return sql`((${of(messages, 'outgoing')} or ${isOfOwner(messages)}) and ${isContent(messages)}
    and ${of(messages, 'automatic')} is null)`;
}

// The chat of a customer has the customer's id.
function isOfOwner(messages: string): RawBuilder<boolean> {
  const [connection, author, chat] = ['business_connection_id', 'user_id', 'chat_id'].map((column) =>
    of(messages, column),
  );
  return sql`(${connection} <> '' and ${author} is distinct from ${chat})`;
}

function isContent(messages: string): RawBuilder<boolean> {
  const service = of(messages, 'service');
  return sql`(${service} is null or ${service} in (${sql.join(SAID_SERVICES.map((name) => sql.lit(name)))}))`;
}

function of(messages: string, column: string): RawBuilder<unknown> {
  return sql.ref(`${messages}.${column}`);
}
