import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { memo, type ReactNode } from 'react';
import { Avatar } from '../../../parts/avatar.tsx';
import { nameOf } from '../../../parts/person-name.ts';
import { photoOfAuthor } from '../../../parts/photos.ts';
import { useWords } from '../../../words/words.tsx';
import { DeskLine } from '../notes/desk-line.tsx';
import { NoteView } from '../notes/note-view.tsx';
import { useChatActions } from './chat-actions.ts';
import { Content } from './content-view.tsx';
import { Media } from './media.tsx';
import { type DeskItem, isEvent, type MessageItem, type StreamItem } from './message-items.ts';
import { canAct, MessageMenu } from './message-menu.tsx';
import type { WindowMessage } from './message-window.ts';
import { Quote } from './quote.tsx';
import { RichText } from './rich-text.tsx';
import { RoutedLines } from './routed-lines.tsx';
import { summaryOf, writerOf } from './summary.ts';
import { useMessageTimes } from './times.ts';
import './keyboard.css';
import './message.css';

/** A message, an album or what stands beside them, with the day before it where a day begins. */
export const MessageView = memo(function MessageView({ item }: { item: StreamItem }): ReactNode {
  const { dayOf } = useMessageTimes();
  const { date } = 'entry' in item ? item.entry : item.messages[0];
  return (
    <>
      {item.startsDay && (
        <p className="day">
          <time dateTime={new Date(date * 1000).toISOString()}>{dayOf(date)}</time>
        </p>
      )}
      {'entry' in item ? <DeskEntry entry={item.entry} /> : <Said item={item} />}
    </>
  );
});

function Said({ item }: { item: MessageItem }): ReactNode {
  const [first] = item.messages;
  return isEvent(first) ? <EventLine message={first} /> : <Bubble item={item} />;
}

function DeskEntry({ entry }: { entry: DeskItem['entry'] }): ReactNode {
  return entry.note === undefined ? <DeskLine entry={entry} /> : <NoteView note={entry.note} />;
}

/** Something that happened in the chat, or a button that somebody pressed. */
function EventLine({ message }: { message: Message }): ReactNode {
  const words = useWords();
  const { timeOf } = useMessageTimes();
  const { jump } = useChatActions();
  const { reply_to_message_id: about } = message;
  return (
    <p className="event">
      <bdi>{nameOf(message)}</bdi>
      {message.service === undefined ? ' ' : ' · '}
      <span dir="auto">{summaryOf(message, words)}</span>{' '}
      {about !== undefined && (
        <button type="button" className="link" onClick={() => jump(about)}>
          {words.inbox.toMessage}
        </button>
      )}{' '}
      <small>{timeOf(message.date)}</small>
    </p>
  );
}

function Bubble({ item }: { item: MessageItem }): ReactNode {
  const words = useWords();
  const { isPinned } = useChatActions();
  const { messages, continues } = item;
  const [first] = messages;
  const said = messages.find(({ text }) => text) ?? first;
  const { reply_to_message_id: answered, service, buttons, keyboard, forward_origin: origin, quote } = first;
  const keys = buttons ?? keyboard?.map((row) => row.map((text): Button => ({ text })));
  const isDeleted = messages.every(({ deleted_at }) => deleted_at !== undefined);
  return (
    <div
      className={`said ${first.outgoing ? 'own' : ''} ${first.account ? 'colleague' : ''} ${isDeleted ? 'deleted' : ''}`}
    >
      <div className="bubble">
        {!continues && <Sender message={first} />}
        {origin && <p className="forwarded muted">{words.inbox.forwarded(origin.name ?? '')}</p>}
        {answered !== undefined && <Quote messageId={answered} quoted={quote} />}
        {answered === undefined && quote !== undefined && (
          <p className="forwarded muted" dir="auto">
            {quote}
          </p>
        )}
        {first.file_id !== undefined && (
          <div className={messages.length > 1 ? 'album' : 'media'}>
            {messages.map((message) => (
              <Media key={message.id} message={message} />
            ))}
          </div>
        )}
        {service !== undefined && <Content message={first} />}
        {service === undefined && said.text && <RichText text={said.text} entities={said.entities} />}
        <Meta message={messages.at(-1)!} isPinned={messages.some(({ id }) => isPinned(id))} />
        <RoutedLines messages={messages} />
      </div>
      {canAct(first) && <MessageMenu message={said} />}
      {keys && <Buttons rows={keys} />}
    </div>
  );
}

function Sender({ message }: { message: WindowMessage }): ReactNode {
  const { inbox: words } = useWords();
  const { showPerson } = useChatActions();
  const { outgoing, user_id, bot_id, chat_id, told, automatic } = message;
  if (outgoing || automatic) return <Writer message={message} />;
  // The other side of a private chat is named above it; the owner of a business account writes there, too.
  if (chat_id > 0 && (user_id === undefined || user_id === chat_id)) return null;
  const named = nameOf(message) || words.nobody;
  const name = <bdi className="cut">{named}</bdi>;
  if (user_id === undefined) return <p className="sender">{name}</p>;
  return (
    <button type="button" className="sender link" onClick={() => showPerson(user_id)}>
      {/* The api gives photos of those whose messages it has stored. */}
      <Avatar name={named} id={user_id} photo={told ? undefined : photoOfAuthor(bot_id, chat_id, user_id)} />
      {name}
    </button>
  );
}

/** Who wrote in the name of the bot; only where nobody knows, the bot. */
function Writer({ message }: { message: WindowMessage }): ReactNode {
  const words = useWords();
  const { account, account_id = 0, program_id, automatic } = message;
  const name = writerOf(message, words) ?? (nameOf(message) || words.inbox.bot);
  return (
    <p className="sender">
      {account !== undefined && <Avatar name={name} id={account_id} photo={undefined} />}
      <bdi className="cut">{name}</bdi>
      {program_id !== undefined && !automatic && <span className="muted">· {words.inbox.byProgram}</span>}
    </p>
  );
}

function Meta({ message, isPinned }: { message: Message; isPinned: boolean }): ReactNode {
  const { inbox: words } = useWords();
  const { chat, topicName } = useChatActions();
  const { timeOf, exactOf } = useMessageTimes();
  const { date, edited_at, deleted_at, thread_id: thread } = message;
  return (
    <p className="meta">
      {thread !== undefined && chat.threadId === undefined && <bdi className="cut">{topicName(thread)}</bdi>}
      {isPinned && <span>{words.pinned}</span>}
      {deleted_at !== undefined && <span className="gone">{words.deleted}</span>}
      {edited_at !== undefined && <span title={exactOf(edited_at)}>{words.edited}</span>}
      <time dateTime={new Date(date * 1000).toISOString()} title={exactOf(date)}>
        {timeOf(date)}
      </time>
    </p>
  );
}

type Button = NonNullable<Message['buttons']>[number][number];

/** The keyboard, as the person in the chat sees it; here it cannot be pressed. */
function Buttons({ rows }: { rows: Button[][] }): ReactNode {
  const { inbox: words } = useWords();
  return (
    <ul className="keyboard" aria-label={words.buttons}>
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a keyboard have no other name
        <li key={at}>
          {row.map(({ text, url, callback_data: data }, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: likewise
            <span key={place} className="key cut" title={url ?? data} dir="auto">
              {text}
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}
