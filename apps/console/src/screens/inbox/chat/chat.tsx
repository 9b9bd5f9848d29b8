import type { DeskEntryResource } from '@flotilla/contract/desk-log.ts';
import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { CallError, call } from '../../../call.ts';
import { useShortcuts } from '../../../keys.ts';
import { Button } from '../../../parts/button.tsx';
import { Empty } from '../../../parts/empty.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { NotFound } from '../../../parts/not-found.tsx';
import { useCopy } from '../../../parts/use-copy.tsx';
import { retryPassing } from '../../../queries.ts';
import { useWords } from '../../../words/words.tsx';
import { CHATS, chatKey, noteRead } from '../chats/use-chats.ts';
import { Compose, type ComposeHandle, Edit } from '../compose/compose.tsx';
import { DropArea } from '../compose/drop-area.tsx';
import { useEdited } from '../compose/use-draft.ts';
import { useSent } from '../compose/use-outgoing.ts';
import { conversationOf } from '../conversation.ts';
import { usePresence } from '../desk/use-presence.ts';
import { WhoWrites } from '../desk/who-is-here.tsx';
import { keyOfChat, linkToChat, linkToList, useInboxPlace } from '../inbox-place.ts';
import { NoteForm } from '../notes/note-form.tsx';
import { useReadMentions } from '../notes/use-read-mentions.ts';
import { type ChatActions, ChatActionsProvider } from './chat-actions.ts';
import { ChatHead } from './chat-head.tsx';
import { Conversations, OtherConversation } from './conversations.tsx';
import { type ListHandle, MessageList } from './message-list.tsx';
import { isEditable } from './message-menu.tsx';
import { keyOf, type MessageWindow } from './message-window.ts';
import { MovedOn, useMovedTo } from './moved-on.tsx';
import { PersonPane, usePerson } from './person-pane.tsx';
import { PictureViewer } from './picture-viewer.tsx';
import { RemoveMessage } from './remove-message.tsx';
import { useBotName, useChat, useShownChat } from './use-chat.ts';
import { useChatLive } from './use-chat-live.ts';
import { usePin } from './use-pin.ts';
import { useTopics } from './use-topics.ts';
import { type ChatId, useWindow } from './use-window.ts';
import './chat.css';

const NO_CHAT = { bot_id: 0, chat_id: 0 };
const NO_LOG: readonly DeskEntryResource[] = [];
const SHAPES = ['', 'low', 'own', 'own low'];

/** The chat that the address names. */
export function OpenChat(): ReactNode {
  const { chat, around } = useInboxPlace();
  const { data: shown, error } = useShownChat(chat ?? NO_CHAT);
  if (chat === null) return null;
  if (error instanceof CallError && error.conversations.length > 0) {
    return <Conversations chat={chat} connections={error.conversations} />;
  }
  const { business_connection_id: only } = shown ?? {};
  if (chat.connection === undefined && only !== undefined)
    return <OtherConversation chat={{ ...chat, connection: only }} />;
  return (
    <Chat
      key={`${chat.bot_id}:${chat.chat_id}:${chat.connection ?? ''}:${chat.threadId ?? ''}`}
      chat={chat}
      around={around}
    />
  );
}

/** One chat: its messages, and the field in which the bot answers. */
function Chat({ chat, around }: { chat: ChatId; around: number | undefined }): ReactNode {
  const { inbox: words, bot: botWords } = useWords();
  const place = useInboxPlace();
  const { threadId } = chat;
  const navigate = useNavigate();
  const router = useRouter();
  const { query, window, reach, extend, keep, tell, isThere } = useWindow(chat, around);
  const botName = useBotName(chat);
  const editing = useEdited(chat);
  const [picture, setPicture] = useState<Message | null>(null);
  const [removed, setRemoved] = useState<Message | null>(null);
  const list = useRef<ListHandle | null>(null);
  const compose = useRef<ComposeHandle | null>(null);
  const { pin, pinning, isPinned } = usePin(chat);
  const copying = useCopy();
  const seen = useMarkRead(chat);
  const topics = useTopics(chat);
  const log = useChat(chat)?.desk_log ?? NO_LOG;
  const [isNoting, setNoting] = useState(false);
  const typing = usePresence(chat);
  useReadMentions(chat, log);

  const ask = () => {
    if (topics.list.length > 0) topics.refresh();
    return query.refetch();
  };
  useChatLive(window === undefined ? null : chat, { ask, tell, isThere });

  const person = usePerson(chat);
  const movedTo = useMovedTo(chat, window);

  const goTo = (messageId: number | undefined) =>
    void navigate({ ...linkToChat(place, keyOfChat(chat), messageId), replace: true, state: true });
  const toEnd = () => (around === undefined ? list.current?.toEnd() : goTo(undefined));
  useSent(chat, (message) => {
    keep(message);
    toEnd();
  });
  const back = () => {
    if (router.state.location.state.fromList) router.history.back();
    else void navigate(linkToList(place, place.filter));
    document.querySelector<HTMLElement>('.chat-row.active')?.focus();
  };
  const actions: ChatActions = {
    chat,
    reply: ({ id }) => {
      // The field for a new message is there only without an edit.
      flushSync(() => {
        editing.end();
        setNoting(false);
      });
      compose.current?.reply(id);
    },
    edit: editing.begin,
    remove: setRemoved,
    pin,
    isPinned,
    copy: (text) => void copying.copy(text),
    jump: (messageId) => list.current?.show(messageId) || goTo(messageId),
    find: (messageId) => window?.messages.find(({ id }) => id === messageId),
    showPerson: person.choose,
    showPicture: setPicture,
    topicName: topics.nameOf,
  };
  const focusedMessage = () => {
    const id = Number(document.activeElement?.closest<HTMLElement>('[data-message]')?.dataset.message);
    return window?.messages.find((message) => message.id === id);
  };
  useShortcuts({
    r: () => {
      const message = focusedMessage();
      if (message && message.id > 0) actions.reply(message);
      else compose.current?.focus();
    },
    n: () => setNoting(true),
    Escape: back,
  });

  const refused = window === undefined && query.error instanceof CallError ? query.error.status : 0;
  if (refused === 400 || refused === 403) {
    return (
      <section className="chat">
        <NotFound title={botWords.gone} hint="" />
      </section>
    );
  }
  if (refused === 404) {
    return (
      <section className="chat">
        <Empty title={words.messageGone}>
          <Button onClick={() => goTo(undefined)}>{words.toEnd}</Button>
        </Empty>
      </section>
    );
  }
  return (
    <ChatActionsProvider value={actions}>
      <DropArea chat={movedTo === undefined ? chat : null} label={words.chat}>
        <ChatHead
          chat={chat}
          topics={topics.list}
          back={back}
          goTo={goTo}
          showPerson={person.isWide ? null : person.choose}
        />
        {query.isError && <Failure error={query.error} retry={() => void query.refetch()} />}
        {pinning.isError && <Failure error={pinning.error} />}
        {window?.messages.length === 0 && log.length === 0 && <Empty title={words.noMessages} />}
        {window === undefined || window.messages.length + log.length === 0 ? (
          <div className="feed-frame" aria-busy={window === undefined}>
            {window === undefined && query.isPending && <Shapes />}
          </div>
        ) : (
          <MessageList
            key={around ?? 'end'}
            window={window}
            log={threadId === undefined ? log : NO_LOG}
            start={around}
            reach={reach}
            extend={extend}
            leaveWindow={() => goTo(undefined)}
            seen={seen}
            handle={list}
          />
        )}
        <WhoWrites chat={chatKey(keyOfChat(chat))} />
        {movedTo !== undefined ? (
          <MovedOn chat={chat} to={movedTo} />
        ) : isNoting ? (
          <NoteForm chat={chat} note={null} leave={() => setNoting(false)} />
        ) : editing.edited === null ? (
          <Compose
            chat={chat}
            botName={botName}
            handle={compose}
            leave={() => list.current?.focus()}
            writeNote={() => setNoting(true)}
            typing={typing}
            editLast={() => {
              const last = window?.messages.findLast(isEditable);
              if (last) editing.begin(last);
            }}
          />
        ) : (
          <Edit
            key={editing.edited.id}
            chat={chat}
            edited={editing.edited}
            change={editing.change}
            done={(message, content) => {
              keep(message);
              editing.saved(content);
            }}
            leave={editing.end}
          />
        )}
        {copying.dialog}
        {picture && (
          <PictureViewer
            messages={window?.messages ?? []}
            shown={picture}
            show={setPicture}
            close={() => setPicture(null)}
          />
        )}
        {removed && (
          <RemoveMessage
            message={removed}
            close={() => setRemoved(null)}
            done={() => keep({ ...removed, deleted_at: new Date().toISOString() })}
          />
        )}
      </DropArea>
      <PersonPane chat={chat} person={person} />
    </ChatActionsProvider>
  );
}

/** Where messages will be, if they take their time. */
function Shapes(): ReactNode {
  return (
    <div className="message-shapes" aria-hidden="true">
      {SHAPES.map((className) => (
        <span key={className} className={`shape ${className}`} />
      ))}
    </div>
  );
}

/** Marks the chat as read up to its end, once for every new end. Whoever reads one topic has not read the others. */
function useMarkRead(chat: ChatId): (window: MessageWindow) => void {
  const { threadId } = chat;
  const queries = useQueryClient();
  const marked = useRef<string | null>(null);
  const { mutate } = useMutation({
    mutationFn: (message_id: number) => call('markChatRead', { ...conversationOf(chat), message_id }),
    retry: retryPassing,
    onMutate: (messageId: number) => noteRead(queries, chat, messageId),
    onError: () => {
      marked.current = null;
      void queries.invalidateQueries({ queryKey: [CHATS] });
    },
  });
  return useCallback(
    ({ messages }) => {
      // The api knows no message that the history has not stored.
      const last = messages.findLast(({ told }) => !told);
      if (last === undefined || threadId !== undefined || marked.current === keyOf(last)) return;
      marked.current = keyOf(last);
      mutate(last.id);
    },
    [mutate, threadId],
  );
}
