import type { SystemResource } from '@flotilla/contract/system.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { Facts } from '../../parts/facts.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useNumber } from '../../parts/time.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { REFRESH_MS } from '../../queries.ts';
import { useWords } from '../../words/words.tsx';
import { Removals } from './removals.tsx';
import { Replicas, useReplicas } from './replicas.tsx';
import { Postgres, Redis } from './stores.tsx';
import { useSystemWords } from './system-words.ts';
import { Taken } from './taken.tsx';
import { Upstreams } from './upstreams.tsx';
import './system.css';

export function System(): ReactNode {
  const words = useWords();
  const systemWords = useSystemWords();
  useTitle(systemWords.title);
  const system = useQuery({
    queryKey: ['system'],
    queryFn: ({ signal }) => call('showSystem', {}, signal),
    refetchInterval: REFRESH_MS,
  });
  // They stand first, and would push away what is below.
  const replicas = useReplicas();
  return (
    <div className="system">
      <header className="bot-head">
        <h1>{systemWords.title}</h1>
        {system.data && (
          <p className="muted">
            {systemWords.botApi(system.data.process.bot_api_version)} <Taken at={system.data.taken_at} />
          </p>
        )}
      </header>
      {system.isError && <Failure error={system.error} retry={() => void system.refetch()} />}
      {system.data && !replicas.isPending && (
        <>
          <Removals waiting={system.data.removals_waiting ?? []} />
          <Replicas />
          <div className="columns">
            <Postgres postgres={system.data.postgres} />
            <Redis redis={system.data.redis} />
          </div>
          <Turns turns={system.data.turns} />
          <div className="columns">
            <Stored stored={system.data.stored} />
            <Limits limits={system.data.limits} />
          </div>
          <Upstreams upstreams={system.data.upstreams} />
          <Settings system={system.data} />
          <section className="panel" aria-label={systemWords.links}>
            <h2>{systemWords.links}</h2>
            <p className="actions">
              <a className="button plain" href="/admin/queues" target="_blank" rel="noopener">
                {words.nav.queues}
              </a>
              <a className="button plain" href="/docs" target="_blank" rel="noopener">
                {words.nav.document}
              </a>
            </p>
          </section>
        </>
      )}
    </div>
  );
}

function Turns({ turns }: { turns: SystemResource['turns'] }): ReactNode {
  const words = useSystemWords();
  const number = useNumber();
  const { turnColumns: columns } = words;
  return (
    <section className="panel" aria-labelledby="turns">
      <h2 id="turns">
        {words.turns} {turns && <Taken at={turns.taken_at} />}
      </h2>
      {turns === undefined ? (
        <p className="fault">{words.away}</p>
      ) : (
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">{columns.kind}</th>
              {[columns.running, columns.waiting, columns.sleeping, columns.oldest].map((title) => (
                <th key={title} scope="col" className="end">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {turns.kinds.map(({ kind, running, waiting, sleeping, oldest_pending_s: oldest }) => (
              <tr key={kind}>
                <th scope="row">{words.turnKinds[kind]}</th>
                <td className="end">{number(running)}</td>
                <td className="end">{number(waiting)}</td>
                <td className="end">{number(sleeping)}</td>
                <td className="end">{words.seconds(number(oldest))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

const DEPTHS = ['log_entries', 'waiting_for_push', 'waiting_for_pull', 'waiting_for_rules', 'history'] as const;

function Stored({ stored }: { stored: SystemResource['stored'] }): ReactNode {
  const words = useSystemWords();
  const number = useNumber();
  return (
    <section className="panel" aria-labelledby="stored">
      <h2 id="stored">
        {words.stored} {stored && <Taken at={stored.taken_at} />}
      </h2>
      {stored === undefined ? (
        <p className="muted">{words.noFigures}</p>
      ) : (
        <Facts
          rows={DEPTHS.map((name) => [
            words.storedFacts[name],
            <span key={name}>
              {number(stored[name].total)}{' '}
              <span className="muted">{stored[name].total > 0 && words.largest(number(stored[name].largest))}</span>
            </span>,
          ])}
        />
      )}
    </section>
  );
}

function Limits({ limits }: { limits: SystemResource['limits'] }): ReactNode {
  const words = useSystemWords();
  const number = useNumber();
  return (
    <section className="panel" aria-labelledby="limits">
      <h2 id="limits">{words.limits}</h2>
      <Facts
        rows={limits.map(({ name, value, description }) => [words.limitNames[name] ?? description, number(value)])}
      />
    </section>
  );
}

function Settings({ system }: { system: SystemResource }): ReactNode {
  const words = useSystemWords();
  return (
    <section className="panel" aria-labelledby="settings">
      <h2 id="settings">{words.settings}</h2>
      <Facts
        rows={system.settings.map(({ name, value }) => [
          name,
          value === '' ? (
            <span key={name} className="muted">
              {words.notSet}
            </span>
          ) : (
            value
          ),
        ])}
      />
    </section>
  );
}
