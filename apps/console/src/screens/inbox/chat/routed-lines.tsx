import type { RoutedResource as Routed } from '@flotilla/contract/messages.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ChatLink } from '../../../parts/chat-link.tsx';
import { useWords } from '../../../words/words.tsx';
import type { WindowMessage } from './message-window.ts';
import './routed-lines.css';

/** Which rules took the messages, and where they went. */
export function RoutedLines({ messages }: { messages: readonly WindowMessage[] }): ReactNode {
  const { routed: words } = useWords().inbox;
  const [{ bot_id } = { bot_id: 0 }] = messages;
  const lines = linesOf(messages);
  if (lines.length === 0) return null;
  return (
    <ul className="routed">
      {lines.map((one) => (
        <li key={keyOf(one)}>
          {one.route_id === undefined ? (
            words.answer
          ) : (
            <Link to="/bots/$id/rules" params={{ id: String(bot_id) }}>
              <bdi>{words.by(one.route_name ?? String(one.route_id))}</bdi>
            </Link>
          )}
          <Target routed={one} />
        </li>
      ))}
    </ul>
  );
}

function Target({ routed }: { routed: Routed }): ReactNode {
  const { routed: words } = useWords().inbox;
  const { bot_id, bot_name: bot, chat_id, chat_title: title, message_id: around } = routed;
  if (bot_id === undefined || chat_id === undefined) return null;
  return (
    <>
      {' · '}
      {words.to}{' '}
      <ChatLink bot_id={bot_id} chat_id={chat_id} around={around}>
        <bdi>{title ?? chat_id}</bdi>
      </ChatLink>
      {bot !== undefined && (
        <>
          {' · '}
          <bdi>{bot}</bdi>
        </>
      )}
    </>
  );
}

/** The messages of an album, and the parts of a long one, go to the same chat. */
function linesOf(messages: readonly WindowMessage[]): Routed[] {
  const all = messages.flatMap(({ routed = [] }) => routed);
  return [...new Map(all.toReversed().map((one) => [keyOf(one), one])).values()].toReversed();
}

function keyOf({ route_id, bot_id, chat_id }: Routed): string {
  return `${route_id} ${bot_id} ${chat_id}`;
}
