import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { Field } from '../../parts/field.tsx';
import { namesIn } from './rights.ts';
import '../../parts/chips.css';

/** So many topics are offered by name. */
const OFFERED = 12;

type TopicsProps = {
  bot_id: number;
  label: string;
  hint: string;
  /** The chats of which topics are offered. */
  chats: readonly number[];
  /** Ids, with commas between them. */
  threads: string;
  choose: (threads: string) => void;
  fault: string | undefined;
};

/** Topics by their ids; those of the chosen chats are offered by name. */
export function TopicsField({ bot_id, label, hint, chats, threads, choose, fault }: TopicsProps): ReactNode {
  const offered = useTopicsOf(bot_id, chats);
  const chosen = namesIn(threads);
  const toggle = (id: string) =>
    choose((chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]).join(', '));
  return (
    <>
      <Field
        label={label}
        hint={hint}
        fault={fault}
        autoComplete="off"
        inputMode="numeric"
        dir="ltr"
        value={threads}
        onChange={(event) => choose(event.target.value)}
      />
      {offered.length > 0 && (
        <div className="offered" role="group" aria-label={label}>
          {offered.map(({ thread_id: id, name = String(id), chat_id: chat }) => (
            <button
              key={`${chat}:${id}`}
              type="button"
              className="chip"
              aria-pressed={chosen.includes(String(id))}
              title={String(id)}
              onClick={() => toggle(String(id))}
            >
              <bdi className="cut">{name}</bdi>
            </button>
          ))}
        </div>
      )}
    </>
  );
}

function useTopicsOf(bot_id: number, chats: readonly number[]) {
  const answers = useQueries({
    queries: chats.slice(0, OFFERED).map((id) => ({
      queryKey: ['topics', bot_id, id, 'offered'],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call('listTopics', { bot_id, chat_id: id, limit: OFFERED }, signal),
      retry: false,
    })),
  });
  return answers.flatMap(({ data = [] }) => data).slice(0, OFFERED);
}
