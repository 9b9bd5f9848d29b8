import type { EventSinkResource } from '@flotilla/contract/event-sinks.ts';
import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { nameQuery, useBotName } from '../../parts/bot-field.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { StateMark } from '../../parts/state-badge.tsx';
import { Ago, useNumber } from '../../parts/time.tsx';
import { Told } from '../../parts/told.tsx';
import { REFRESH_MS } from '../../queries.ts';
import { useEventsWords } from './events-words.ts';
import { SinkForm } from './sink-form.tsx';

type Sink = EventSinkResource;

/** The event sinks, and whether they work; `children` come below once these are known, which would push them away. */
export function Sinks({ children }: { children: ReactNode }): ReactNode {
  const words = useEventsWords().sinks;
  const [adding, setAdding] = useState(false);
  const sinks = useQuery({
    queryKey: ['event-sinks'],
    queryFn: ({ signal }) => call('listEventSinks', {}, signal),
    refetchInterval: REFRESH_MS,
  });
  const writers = useQueries({
    queries: (sinks.data ?? []).flatMap(({ bot_id: id }) => (id === undefined ? [] : [nameQuery(String(id))])),
  });
  if (sinks.isPending || writers.some(({ isPending }) => isPending)) return null;
  return (
    <>
      <section className="panel" aria-labelledby="sinks">
        <header className="sinks-head">
          <h2 id="sinks">{words.title}</h2>
          <Button onClick={() => setAdding(true)}>{words.add}</Button>
          <p className="muted">{words.hint}</p>
        </header>
        {sinks.isError && <Failure error={sinks.error} retry={() => void sinks.refetch()} />}
        {sinks.data?.length === 0 && <Empty title={words.empty} hint={words.emptyHint} />}
        <ul className="sinks">
          {sinks.data?.map((sink) => (
            <SinkRow key={sink.id} sink={sink} />
          ))}
        </ul>
        {adding && <SinkForm sink={null} close={() => setAdding(false)} />}
      </section>
      {children}
    </>
  );
}

function SinkRow({ sink }: { sink: Sink }): ReactNode {
  const words = useEventsWords().sinks;
  const [over, setOver] = useState<'edit' | 'remove' | null>(null);
  const test = useTest(sink.id);
  return (
    <li>
      <div className="sink-text">
        <p>
          <bdi>{sink.name}</bdi> <SinkState sink={sink} />
        </p>
        <p className="muted">
          <Target sink={sink} /> · {sink.kinds === null ? words.allKinds : words.someKinds(sink.kinds.length)}
          {sink.bot_ids !== null && ` ${words.ofBots(sink.bot_ids.length)}`}
          {sink.audit && ` · ${words.auditLog}`}
          {sink.waiting > 0 && ` · ${words.waiting(sink.waiting)}`}
        </p>
        {sink.last_error && (
          <p className="fault">
            <Told text={sink.last_error} />
          </p>
        )}
        <Tested test={test} />
      </div>
      <div className="actions">
        <Button busy={test.isPending} onClick={() => test.mutate()} aria-label={`${words.test}: ${sink.name}`}>
          {words.test}
        </Button>
        <Button onClick={() => setOver('edit')} aria-label={`${words.edit} ${sink.name}`}>
          {words.edit}
        </Button>
        <Button kind="quiet" onClick={() => setOver('remove')} aria-label={`${words.remove} ${sink.name}`}>
          {words.remove}
        </Button>
      </div>
      {over === 'edit' && <SinkForm sink={sink} close={() => setOver(null)} />}
      {over === 'remove' && <Remove sink={sink} close={() => setOver(null)} />}
    </li>
  );
}

function SinkState({ sink }: { sink: Sink }): ReactNode {
  const words = useEventsWords().sinks;
  const { enabled, failing_since, delivered_at } = sink;
  const [look, text] = !enabled
    ? (['disabled', words.off] as const)
    : failing_since !== undefined
      ? (['open', words.fails] as const)
      : (['ok', delivered_at === undefined ? words.idle : words.works] as const);
  return (
    <span className={`state ${look}`}>
      <StateMark state={look} />
      {text}
      {delivered_at && (
        <span className="muted">
          {' '}
          · {words.last} <Ago at={delivered_at} />
        </span>
      )}
    </span>
  );
}

function Target({ sink }: { sink: Sink }): ReactNode {
  const words = useEventsWords().sinks;
  const bot = useBotName(sink.bot_id === undefined ? undefined : String(sink.bot_id));
  if (sink.url !== undefined) return <bdi>{sink.url}</bdi>;
  return (
    <>
      {words.toChat} <code>{sink.chat_id}</code> {words.by} <bdi>{bot}</bdi>
    </>
  );
}

function useTest(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => call('testEventSink', { id }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['event-sinks'] }),
  });
}

function Tested({ test }: { test: ReturnType<typeof useTest> }): ReactNode {
  const words = useEventsWords().sinks;
  const number = useNumber();
  return (
    <>
      <p role="status">
        {test.data?.delivered && words.tested(number(test.data.duration_ms))}
        {test.data?.delivered === false && <span className="fault">{test.data.error}</span>}
      </p>
      {test.isError && <Failure error={test.error} />}
    </>
  );
}

function Remove({ sink, close }: { sink: Sink; close: () => void }): ReactNode {
  const words = useEventsWords().sinks;
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => call('deleteEventSink', { id: sink.id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['event-sinks'] });
      close();
    },
  });
  return (
    <Confirm
      title={words.removeTitle(sink.name)}
      description={words.removeHint}
      act={words.removeAct}
      danger
      run={remove.mutate}
      close={close}
      busy={remove.isPending}
      error={remove.error}
    />
  );
}
