import type { SessionResource } from '@flotilla/contract/sessions.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { CallError, call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Ago, Moment } from '../../parts/time.tsx';
import { REFRESH_MS } from '../../queries.ts';
import { useWords } from '../../words/words.tsx';
import { OwnFactor } from '../second-factor/own-factor.tsx';
import '../../parts/chips.css';

/** How the account signs in, and where it is signed in; any of these can be ended. */
export function Sessions(): ReactNode {
  const { access: words } = useWords();
  const [asking, setAsking] = useState(false);
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => call('listSessions', {}, signal),
    refetchInterval: REFRESH_MS,
  });
  const others = sessions.data?.filter(({ current }) => !current) ?? [];
  return (
    <>
      <OwnFactor />
      <section className="panel" aria-labelledby="sessions">
        <header className="panel-head">
          <h2 id="sessions">{words.sessionsTitle}</h2>
          {others.length > 1 && <Button onClick={() => setAsking(true)}>{words.endOthers}</Button>}
        </header>
        {sessions.isError && <Failure error={sessions.error} retry={() => void sessions.refetch()} />}
        <ul className="sessions">
          {sessions.data?.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
        {asking && <EndOthers others={others} close={() => setAsking(false)} />}
      </section>
    </>
  );
}

function SessionRow({ session }: { session: SessionResource }): ReactNode {
  const { access: words } = useWords();
  const end = useEnd();
  const { id, current, user_agent: agent, address, created_at: began, last_used_at: last } = session;
  return (
    <li>
      <div className="session-name">
        <strong className="cut" title={agent}>
          {browserOf(agent) ?? words.unknownBrowser}
        </strong>
        {current && <span className="chip">{words.thisSession}</span>}
      </div>
      <span className="muted">
        {address && <code>{address}</code>}
        {address && ' · '}
        {words.used} <Ago at={last} />
        {' · '}
        {words.began} <Moment at={began} />
      </span>
      {!current && (
        <Button onClick={() => end.mutate([id])} busy={end.isPending}>
          {words.endSession}
        </Button>
      )}
      {end.isError && <Failure error={end.error} />}
    </li>
  );
}

function EndOthers({ others, close }: { others: readonly SessionResource[]; close: () => void }): ReactNode {
  const { access: words } = useWords();
  const end = useEnd(close);
  return (
    <Confirm
      title={words.endOthersTitle(others.length)}
      description={words.endOthersHint}
      act={words.endOthers}
      run={() => end.mutate(others.map(({ id }) => id))}
      close={close}
      busy={end.isPending}
      error={end.error}
    />
  );
}

function useEnd(ended: () => void = () => {}) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (ids: readonly string[]) => {
      for (const id of ids) await call('endSession', { id }).catch(unlessGone);
    },
    onSuccess: ended,
    onSettled: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
}

/** A session that has ended meanwhile is as good as one that ends now. */
function unlessGone(error: unknown): void {
  if (!(error instanceof CallError && error.status === 404)) throw error;
}

/** The browser and the system by the names that most people know. */
function browserOf(agent: string | undefined): string | null {
  if (agent === undefined) return null;
  const browser = /(Edg|OPR|YaBrowser|Firefox|Chrome|Safari)[A-Za-z]*\//.exec(agent)?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|CrOS|Linux)/.exec(agent)?.[1];
  const name = { Edg: 'Edge', OPR: 'Opera', YaBrowser: 'Yandex' }[browser ?? ''] ?? browser;
  return [name, system?.replace('Mac OS X', 'macOS')].filter(Boolean).join(' · ') || agent;
}
