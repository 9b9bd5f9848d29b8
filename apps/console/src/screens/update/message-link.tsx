import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { searchOf } from '../../parts/inbox-address.ts';
import type { ShownUpdate } from './shown-update.ts';

/** A message in its chat. */
export function MessageLink({ message }: { message: NonNullable<ShownUpdate['message']> }): ReactNode {
  const { bot_id, chat_id, business_connection_id: connection, id, text, media_type: media, service } = message;
  return (
    <Link
      to="/inbox/$botId/$chatId"
      params={{ botId: String(bot_id), chatId: String(chat_id) }}
      search={searchOf({ connection, around: id })}
      className="cut"
    >
      <bdi>{text ?? media ?? service ?? id}</bdi>
    </Link>
  );
}
