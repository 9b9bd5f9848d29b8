import type { TopicResource } from '@flotilla/contract/topics.ts';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Avatar } from '../../../parts/avatar.tsx';
import { Button } from '../../../parts/button.tsx';
import { titleOf } from '../../../parts/chat-name.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Menu } from '../../../parts/menu.tsx';
import { usePhone } from '../../../parts/phone.ts';
import { photoOfChat } from '../../../parts/photos.ts';
import { useTitle } from '../../../parts/use-title.ts';
import { useWords } from '../../../words/words.tsx';
import { BusinessMark } from '../business-mark.tsx';
import { chatKey } from '../chats/use-chats.ts';
import { DeskBar } from '../desk/desk-bar.tsx';
import { WhoIsHere } from '../desk/who-is-here.tsx';
import { keyOfChat, linkToChat, useInboxPlace } from '../inbox-place.ts';
import { ChatViews } from './chat-views.tsx';
import type { HeadProps } from './head-props.ts';
import { messageOfDay } from './message-of-day.ts';
import { PhoneHead } from './phone-head.tsx';
import { useChat } from './use-chat.ts';
import type { ChatId } from './use-window.ts';

/** The head above the messages: on a phone, one bar. */
export function ChatHead(props: HeadProps): ReactNode {
  if (usePhone()) return <PhoneHead {...props} />;
  return (
    <>
      <WideHead {...props} />
      <DeskBar chat={props.chat} />
    </>
  );
}

/** The name of the chat, and the way to a day of it. */
function WideHead({ chat, topics, back, goTo, showPerson }: HeadProps): ReactNode {
  const words = useWords();
  const { inbox } = words;
  const known = useChat(chat);
  const title = known ? titleOf(known) : String(chat.chat_id);
  useTitle(title);
  const jumping = useMutation({
    mutationFn: (day: Date) => messageOfDay(chat, day),
    onSuccess: goTo,
  });
  return (
    <header className="chat-head">
      <Button kind="quiet" className="icon-only chat-back" aria-label={inbox.back} onClick={back}>
        <Icon name="back" />
      </Button>
      <Avatar name={title} id={chat.chat_id} photo={known && photoOfChat(chat.bot_id, chat.chat_id)} />
      <div className="chat-title">
        <h1 className="cut">
          <bdi>{title}</bdi>
        </h1>
        <p className="muted">
          <span className="cut">
            {known?.username && <bdi>@{known.username} · </bdi>}
            {known && `${inbox.types[known.type]} ·`}
          </span>
          {chat.connection !== undefined && <BusinessMark connection={chat.connection} />}
          <Link to="/bots/$id" params={{ id: String(chat.bot_id) }} className="cut">
            <bdi>{known?.bot_name ?? `#${chat.bot_id}`}</bdi>
          </Link>
        </p>
      </div>
      <WhoIsHere chat={chatKey(keyOfChat(chat))} />
      {/* Its line is there before the topics are: what is below stays in place. */}
      {(topics.length > 0 || (known?.topic_count ?? 0) > 0) && <TopicChoice chat={chat} topics={topics} />}
      {showPerson && chat.chat_id > 0 && (
        <Button
          kind="quiet"
          className="icon-only"
          aria-label={words.person.title}
          title={words.person.title}
          onClick={() => showPerson(chat.chat_id)}
        >
          <Icon name="access" />
        </Button>
      )}
      <ChatMenu {...chat} />
      <input
        type="date"
        className="jump"
        aria-label={inbox.toDay}
        title={inbox.toDay}
        min="2013-01-01"
        max={new Date().toLocaleDateString('sv')}
        aria-invalid={jumping.isError || undefined}
        onChange={({ target }) =>
          target.value && target.checkValidity() && jumping.mutate(new Date(`${target.value}T00:00`))
        }
      />
    </header>
  );
}

/** All messages of the chat, or those of one topic. */
function TopicChoice({ chat, topics }: { chat: ChatId; topics: readonly TopicResource[] }): ReactNode {
  const { inbox: words } = useWords();
  const place = useInboxPlace();
  const navigate = useNavigate();
  const { threadId } = chat;
  const isKnown = threadId === undefined || topics.some((topic) => topic.thread_id === threadId);
  const choose = (value: string) =>
    void navigate(linkToChat(place, { ...keyOfChat(chat), topic: value === '' ? undefined : Number(value) }));
  return (
    <select
      className="topic-choice"
      aria-label={words.topic}
      value={threadId ?? ''}
      onChange={({ target: { value } }) => choose(value)}
    >
      <option value="">{words.allTopics}</option>
      {!isKnown && <option value={threadId}>{words.thread(String(threadId))}</option>}
      {topics.map(({ thread_id: id, name = words.thread(String(id)), closed }) => (
        <option key={id} value={id}>
          {closed ? words.closedTopic(name) : name}
        </option>
      ))}
    </select>
  );
}

function ChatMenu(chat: ChatId): ReactNode {
  const { inbox: words } = useWords();
  return (
    <Menu label={words.chatMenu} face={<Icon name="more" />}>
      <ChatViews {...chat} />
    </Menu>
  );
}
