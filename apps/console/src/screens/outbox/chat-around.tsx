import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import type { OutboxEntryResource as Entry } from '@flotilla/contract/outbox.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { ChatLink } from '../../parts/chat-link.tsx';
import { Failure } from '../../parts/failure.tsx';
import { personName } from '../../parts/person-name.ts';
import { Clock } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';
import { summaryOf } from '../inbox/chat/summary.ts';
import { conversationOf } from '../inbox/conversation.ts';
import { excerptOf } from './excerpt.ts';
import { useOutboxWords } from './outbox-words.ts';

const BEFORE_MS = 60_000;
const AFTER_MS = 300_000;
const SHOWN = 12;

/** The history of the chat around the time at which an entry was sent, or may have been. */
export function ChatAround({ entry }: { entry: Entry }): ReactNode {
  const words = useWords();
  const outbox = useOutboxWords();
  const { bot_id, chat_id } = entry;
  const given = entry.params.business_connection_id;
  const connection = typeof given === 'string' && given !== '' ? given : undefined;
  const period = periodOf(entry);
  const messages = useQuery({
    queryKey: ['messages-around', bot_id, chat_id, connection ?? '', period],
    queryFn: ({ signal }) =>
      call(
        'listMessages',
        { ...conversationOf({ bot_id, chat_id, connection }), ...period, limit: SHOWN, include_deleted: true },
        signal,
      ),
  });
  const rows = messages.data?.toReversed() ?? [];
  const said = excerptOf(entry, outbox);
  const isSame = ({ outgoing, text = '' }: Message) =>
    outgoing && said !== '' && text.replace(/\s+/g, ' ').trim() === said;
  return (
    <section className="chat-around" aria-label={outbox.around.title}>
      <h3>{outbox.around.title}</h3>
      {messages.isError && <Failure error={messages.error} retry={() => void messages.refetch()} />}
      {messages.data && rows.length === 0 && <p>{outbox.around.none}</p>}
      <ul>
        {rows.map((message) => (
          <li key={message.id} className={isSame(message) ? 'same' : ''}>
            <span className="muted">
              <Clock at={new Date(message.date * 1000).toISOString()} />{' '}
              <bdi>{message.outgoing ? outbox.around.bot : personName(message)}</bdi>
            </span>{' '}
            <bdi>{summaryOf(message, words)}</bdi> {isSame(message) && <b>{outbox.around.same}</b>}
          </li>
        ))}
      </ul>
      <p className="hint">{outbox.around.hint}</p>
      <ChatLink bot_id={bot_id} chat_id={chat_id} connection={connection} around={rows.find(({ id }) => id > 0)?.id}>
        {rows.length > 0 ? outbox.around.open : outbox.around.openChat}
      </ChatLink>
    </section>
  );
}

/** From when it was to be sent until it was settled, in Unix seconds, with some time on both sides. */
function periodOf({ created_at: addedAt, send_at, settled_at }: Entry): {
  from: number;
  to: number;
} {
  const beganMs = Math.max(Date.parse(addedAt), Date.parse(send_at ?? addedAt));
  const endedMs = Date.parse(settled_at ?? '') || beganMs;
  return { from: Math.floor((beganMs - BEFORE_MS) / 1000), to: Math.ceil((endedMs + AFTER_MS) / 1000) };
}
