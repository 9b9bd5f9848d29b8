import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CallError, call } from '../../call.ts';
import { ChatLink } from '../../parts/chat-link.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Failure } from '../../parts/failure.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { When } from '../../parts/time.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { REFRESH_MS } from '../../queries.ts';
import { OpenedAttempt } from '../bot/opened-attempt.tsx';
import { MessageLink } from './message-link.tsx';
import type { ShownUpdate } from './shown-update.ts';
import { useUpdateWords } from './update-words.ts';
import { Waterfall } from './waterfall.tsx';
import './update.css';

const route = getRouteApi('/bots/$id/updates/$update');

/** The story of one update: when it came, how each reader got it, and the calls that it led to. */
export function Update(): ReactNode {
  const words = useUpdateWords();
  const { id, update: update_id } = route.useParams();
  useTitle(words.title(update_id));
  const shown = useQuery({
    queryKey: ['update', 'shown', id, update_id],
    queryFn: ({ signal }) => call('showUpdate', { bot_id: id, update_id }, signal),
    refetchInterval: REFRESH_MS,
    retry: (failures, error) => !isUnknown(error) && failures < 2,
  });
  const isGone = isUnknown(shown.error);
  return (
    <article className="update" aria-labelledby="update-title">
      <h2 id="update-title">{words.title(update_id)}</h2>
      {shown.isError && !isGone && <Failure error={shown.error} retry={() => void shown.refetch()} />}
      {isGone && shown.data === undefined && <Empty title={words.gone} hint={words.goneHint} />}
      {shown.data && <Shown bot_id={Number(id)} update_id={Number(update_id)} update={shown.data} />}
    </article>
  );
}

function isUnknown(error: Error | null): boolean {
  return error instanceof CallError && [400, 404].includes(error.status);
}

function Shown({ bot_id, update_id, update }: { bot_id: number; update_id: number; update: ShownUpdate }): ReactNode {
  const words = useUpdateWords();
  const { attempt } = route.useSearch();
  const { accepted_at: at, via, kind, chat_id, message } = update;
  return (
    <>
      <Facts
        rows={[
          ...(at === undefined ? [] : [[words.accepted, <When key="at" at={at} />] as const]),
          ...(via === undefined ? [] : [[words.via, words.vias[via]] as const]),
          ...(kind === undefined ? [] : [[words.kind, <code key="kind">{kind}</code>] as const]),
          ...(chat_id === undefined
            ? []
            : [[words.chat, <ChatLink key="chat" bot_id={bot_id} chat_id={chat_id} />] as const]),
          ...(message === undefined ? [] : [[words.message, <MessageLink key="message" message={message} />] as const]),
        ]}
      />
      <Waterfall bot_id={bot_id} update_id={update_id} update={update} />
      <section className="panel" aria-labelledby="update-json">
        <h3 id="update-json">{words.json}</h3>
        {update.update === undefined ? <p className="muted">{words.noJson}</p> : <JsonView value={update.update} />}
      </section>
      {attempt && <OpenedAttempt botId={bot_id} id={attempt} />}
    </>
  );
}
