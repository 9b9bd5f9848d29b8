import type { MessagesTable } from '@flotilla/database/chat-tables.ts';
import type { MessageDetails } from '@flotilla/telegram/message-details.ts';
import type { Selectable } from 'kysely';

export type MessageRow = Omit<Selectable<MessagesTable>, 'details'> & { details: MessageDetails | null };

/** All columns but that of the search, which only queries use. */
export const MESSAGE_COLUMNS = [
  'bot_id',
  'business_connection_id',
  'chat_id',
  'id',
  'user_id',
  'username',
  'first_name',
  'last_name',
  'text',
  'date',
  'media_type',
  'file_id',
  'reply_to_message_id',
  'edit_date',
  'deleted_at',
  'outgoing',
  'service',
  'details',
  'program_id',
  'automatic',
  'position',
] as const satisfies (keyof MessagesTable)[];
