import { Outlet, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo, useRef } from 'react';
import { Empty } from '../../parts/empty.tsx';
import { readId } from '../../parts/filters.tsx';
import { NotFound } from '../../parts/not-found.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { useWords } from '../../words/words.tsx';
import { ChatList } from './chats/chat-list.tsx';
import { ColleaguesProvider } from './desk/colleagues.tsx';
import type { InboxSearch } from './inbox-filter.ts';
import { type InboxPlace, InboxPlaceProvider } from './inbox-place.ts';
import { QueueRail } from './queues/queue-rail.tsx';
import { useInboxKeys } from './use-inbox-keys.ts';
import './inbox.css';

/** The chats of all bots that the account sees, and one of them. */
export function Inbox(): ReactNode {
  const { nav } = useWords();
  const { botId, chatId } = useParams({ strict: false });
  useTitle(nav.inbox);
  return <Panes ofBot={undefined} botId={botId} chatId={chatId} />;
}

/** The same for the chats of one bot, as a view of it. */
export function BotChats(): ReactNode {
  const { id } = useParams({ strict: false });
  return <Panes ofBot={id} botId={undefined} chatId={undefined} />;
}

type PanesProps = { ofBot: string | undefined; botId: string | undefined; chatId: string | undefined };

function Panes({ ofBot, botId, chatId }: PanesProps): ReactNode {
  const { inbox: words, nav } = useWords();
  const { around, topic, connection, ...rest }: InboxSearch = useSearch({ strict: false });
  const { bot: _, ...filterOfBot } = rest;
  const filter = ofBot === undefined ? rest : filterOfBot;
  const chat = useMemo(
    () =>
      botId === undefined || chatId === undefined
        ? null
        : {
            ...{ bot_id: Number(botId), chat_id: Number(chatId), connection },
            threadId: topic === undefined ? undefined : Number(topic),
          },
    [botId, chatId, connection, topic],
  );
  useInboxKeys();
  const wantsField = useRef(false);
  if (chatId !== undefined && (readId(chatId) === undefined || readId(botId) === undefined)) return <NotFound />;
  const place: InboxPlace = {
    ofBot,
    chat,
    filter,
    wantsField,
    around: around === undefined ? undefined : Number(around),
  };
  return (
    <InboxPlaceProvider value={place}>
      <ColleaguesProvider>
        <div className={`inbox ${chat === null ? '' : 'with-chat'}`}>
          {chat === null && ofBot === undefined && <h1 className="unseen">{nav.inbox}</h1>}
          <QueueRail />
          <ChatList filter={ofBot === undefined ? filter : { ...filter, bot: ofBot }} />
          {chat === null ? (
            <section className="chat" aria-label={words.chat}>
              <Empty title={words.choose} hint={words.chooseHint} />
            </section>
          ) : (
            <Outlet />
          )}
        </div>
      </ColleaguesProvider>
    </InboxPlaceProvider>
  );
}
