import type { MessageResource } from '@flotilla/contract/messages.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import type { Message } from '@flotilla/domain/records/messages/message-store.ts';
import type { Sender } from './senders-of.ts';
import { withoutNulls } from './without-nulls.ts';

/** `sender`: the account that sent it as the bot, where that is known. */
export function presentMessage({ programs }: Bot, message: Message, sender: Sender = {}): MessageResource {
  const program = programs.find(({ id }) => id === message.program_id);
  return {
    id: message.id,
    chat_id: message.chat_id,
    bot_id: message.bot_id,
    ...withoutNulls({
      user_id: message.user_id,
      username: message.username,
      first_name: message.first_name,
      last_name: message.last_name,
      text: message.text,
    }),
    date: message.date,
    ...withoutNulls({
      position: message.position,
      media_type: message.media_type as MessageResource['media_type'] | null,
      file_id: message.file_id,
      reply_to_message_id: message.reply_to_message_id,
      edited_at: message.edit_date === null ? null : new Date(message.edit_date * 1000).toISOString(),
      deleted_at: message.deleted_at?.toISOString() ?? null,
    }),
    outgoing: message.outgoing,
    ...(message.business_connection_id === '' ? {} : { business_connection_id: message.business_connection_id }),
    ...withoutNulls({ program_id: message.program_id, program: program?.name ?? null, service: message.service }),
    ...sender,
    ...withoutNulls({ automatic: message.automatic }),
    ...message.details,
  };
}
