import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { ChatField } from '../../parts/chat-field.tsx';
import { type Finder, type Option, PickField } from '../../parts/pick-field.tsx';
import { OUTSIDE_TOPICS, placeIn } from './rule-draft.ts';
import { useRulesWords } from './rules-words.ts';

const MOST = 1_000;
const SHOWN = 8;
const KNOWN_MS = 60_000;
const THREAD = /^(0|[1-9]\d{0,9})$/;

type TopicProps = {
  botId: number;
  /** `<chat>:<thread>`; either may be empty. */
  value: string;
  choose: (value: string) => void;
  fault: string | undefined;
};

/** A chat, and one of the topics that the history knows there, by name or by id. */
export function TopicFields({ botId, value, choose, fault }: TopicProps): ReactNode {
  const { form } = useRulesWords();
  const { chat, thread } = placeIn(value);
  const known = useQuery({
    queryKey: ['topics', botId, Number(chat), 'all'],
    queryFn: ({ signal }) => call('listTopics', { bot_id: botId, chat_id: chat, limit: MOST }, signal),
    enabled: chat !== '',
    staleTime: KNOWN_MS,
    retry: false,
  });
  const offered: Option[] = [
    { id: OUTSIDE_TOPICS, name: form.outsideTopics },
    ...(known.data ?? []).map(({ thread_id: id, name = String(id) }) => ({ id: String(id), name, note: String(id) })),
  ];
  const finder: Finder = {
    key: ['topics', 'placed', botId, chat, known.dataUpdatedAt],
    async find(q) {
      if (chat === '') return [];
      const part = q.toLowerCase();
      return offered.filter(({ id, name }) => id === part || name.toLowerCase().includes(part)).slice(0, SHOWN);
    },
  };
  return (
    <>
      <ChatField
        label={form.value.chat_id}
        hint={form.valueHints.chat_id}
        fault={chat === '' ? fault : undefined}
        botId={botId}
        chatId={chat}
        choose={(chosen) => choose(chosen === undefined ? '' : `${chosen}:`)}
      />
      <PickField
        label={form.value.thread_id}
        hint={form.valueHints.thread_id}
        fault={chat === '' ? undefined : fault}
        chosen={offered.find(({ id }) => id === thread)?.name ?? thread}
        finder={finder}
        choose={(option) => choose(`${chat}:${option?.id ?? ''}`)}
        own={(typed) => (THREAD.test(typed) ? { id: typed, name: typed } : null)}
      />
    </>
  );
}
