import type { TopicResource } from '@flotilla/contract/topics.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from '../../../parts/icon.tsx';
import { useWords } from '../../../words/words.tsx';
import { useMessageTimes } from '../chat/times.ts';
import type { ChatId } from '../chat/use-window.ts';
import { keyOfChat, linkToChat, useInboxPlace } from '../inbox-place.ts';

const TOPIC_PX = 34;
/** Of more, the list of topics scrolls. */
const MOST_SHOWN = 12;

/** How much room the topics of a chat take below its row. */
export function heightOfTopics(topics: readonly TopicResource[]): number {
  return Math.min(topics.length, MOST_SHOWN) * TOPIC_PX;
}

/** The topics of the chat that is open, below its row. */
export function TopicRows({ chat, topics }: { chat: ChatId; topics: readonly TopicResource[] }): ReactNode {
  const { inbox: words } = useWords();
  return (
    <ul className="topics" aria-label={words.topics} style={{ blockSize: heightOfTopics(topics) }}>
      {topics.map((topic) => (
        <li key={topic.thread_id} style={{ blockSize: TOPIC_PX }}>
          <TopicRow chat={chat} topic={topic} />
        </li>
      ))}
    </ul>
  );
}

function TopicRow({ chat, topic }: { chat: ChatId; topic: TopicResource }): ReactNode {
  const { inbox: words } = useWords();
  const { shortOf } = useMessageTimes();
  const place = useInboxPlace();
  const { thread_id, name = words.thread(String(thread_id)), closed, last_message_at: lastAt } = topic;
  const isOpen = place.chat?.threadId === thread_id;
  return (
    <Link
      {...linkToChat(place, { ...keyOfChat(chat), topic: thread_id })}
      className={`topic-row ${isOpen ? 'current' : ''}`}
      aria-current={isOpen ? 'page' : undefined}
    >
      <bdi className="cut">{name}</bdi>
      {closed && (
        <span className="muted topic-closed" title={words.topicClosed}>
          <Icon name="lock" />
          <span className="unseen">{words.topicClosed}</span>
        </span>
      )}
      {lastAt !== undefined && <time className="muted">{shortOf(Date.parse(lastAt) / 1000)}</time>}
    </Link>
  );
}
