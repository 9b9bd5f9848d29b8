import type { UpstreamResource } from '@flotilla/contract/upstreams.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { StateMark } from '../../parts/state-badge.tsx';
import { Ago } from '../../parts/time.tsx';
import { REFRESH_MS } from '../../queries.ts';
import { UpstreamForm } from './upstream-form.tsx';
import { useUpstreamsWords } from './upstreams-words.ts';

/** The Bot API servers that bots can be at, and whether they answer. */
export function useUpstreams() {
  return useQuery({
    queryKey: ['upstreams'],
    queryFn: ({ signal }) => call('listUpstreams', {}, signal),
    refetchInterval: REFRESH_MS,
  });
}

export function Upstreams(): ReactNode {
  const words = useUpstreamsWords();
  const [adding, setAdding] = useState(false);
  const upstreams = useUpstreams();
  return (
    <section className="panel" aria-labelledby="upstreams">
      <header className="upstreams-head">
        <h2 id="upstreams">{words.title}</h2>
        <Button onClick={() => setAdding(true)}>{words.add}</Button>
        <p className="muted">{words.hint}</p>
      </header>
      {upstreams.isError && <Failure error={upstreams.error} retry={() => void upstreams.refetch()} />}
      {upstreams.data?.length === 0 && <Empty title={words.empty} hint={words.emptyHint} />}
      <ul className="upstreams">
        {upstreams.data?.map((upstream) => (
          <UpstreamRow key={upstream.id} upstream={upstream} />
        ))}
      </ul>
      {adding && <UpstreamForm upstream={null} close={() => setAdding(false)} />}
    </section>
  );
}

const LOOKS = { ok: 'ok', failing: 'open', unknown: 'disabled' } as const;

function UpstreamRow({ upstream }: { upstream: UpstreamResource }): ReactNode {
  const words = useUpstreamsWords();
  const [over, setOver] = useState<'edit' | 'remove' | null>(null);
  const { name, url, environment, state, failing_since: since, error, bots } = upstream;
  return (
    <li>
      <div className="upstream-text">
        <p>
          <bdi>{name}</bdi>{' '}
          <span className={`state ${LOOKS[state]}`}>
            <StateMark state={LOOKS[state]} />
            {words.states[state]} {since && <Ago at={since} />}
          </span>
        </p>
        <p className="muted">
          <bdi>{url}</bdi> · {words.bots(bots)}
          {environment === 'test' && ` · ${words.test}`}
        </p>
        {error && (
          <p className="fault">
            <bdi>{error}</bdi>
          </p>
        )}
      </div>
      <div className="actions">
        <Button onClick={() => setOver('edit')} aria-label={`${words.edit} ${name}`}>
          {words.edit}
        </Button>
        <Button kind="quiet" onClick={() => setOver('remove')} aria-label={`${words.remove} ${name}`}>
          {words.remove}
        </Button>
      </div>
      {over === 'edit' && <UpstreamForm upstream={upstream} close={() => setOver(null)} />}
      {over === 'remove' && <Remove upstream={upstream} close={() => setOver(null)} />}
    </li>
  );
}

function Remove({ upstream, close }: { upstream: UpstreamResource; close: () => void }): ReactNode {
  const words = useUpstreamsWords();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => call('deleteUpstream', { id: upstream.id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['upstreams'] });
      close();
    },
  });
  return (
    <Confirm
      title={words.removeTitle(upstream.name)}
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
