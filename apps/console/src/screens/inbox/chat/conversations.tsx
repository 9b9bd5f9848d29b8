import { Link, Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Empty } from '../../../parts/empty.tsx';
import { useWords } from '../../../words/words.tsx';
import { keyOfChat, linkToChat, useInboxPlace } from '../inbox-place.ts';
import type { ChatId } from './use-window.ts';

/** In place of a person's chat that the address does not tell from others: nobody is answered through another account. */
export function Conversations({ chat, connections }: { chat: ChatId; connections: readonly string[] }): ReactNode {
  const { inbox: words } = useWords();
  const place = useInboxPlace();
  return (
    <section className="chat" aria-label={words.chat}>
      <Empty title={words.severalConversations}>
        <ul className="conversations">
          {connections.map((connection) => (
            <li key={connection}>
              <Link {...linkToChat(place, keyOfChat({ ...chat, connection: connection || undefined }), place.around)}>
                {connection === '' ? words.ofBotItself : words.businessOf(connection)}
              </Link>
            </li>
          ))}
        </ul>
      </Empty>
    </section>
  );
}

/** Goes to the only conversation with a person. */
export function OtherConversation({ chat }: { chat: ChatId }): ReactNode {
  const place = useInboxPlace();
  return <Navigate {...linkToChat(place, keyOfChat(chat), place.around)} replace />;
}
