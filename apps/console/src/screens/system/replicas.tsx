import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { Icon } from '../../parts/icon.tsx';
import { Ago, useNumber } from '../../parts/time.tsx';
import { REFRESH_MS } from '../../queries.ts';
import { useSystemWords } from './system-words.ts';

export function useReplicas() {
  return useQuery({
    queryKey: ['fleet'],
    queryFn: ({ signal }) => call('showFleet', {}, signal),
    refetchInterval: REFRESH_MS,
  });
}

const CLOCK_APART_MS = 60_000;

/** The processes that run. Two releases at once, and wrong clocks, are marked. */
export function Replicas(): ReactNode {
  const words = useSystemWords();
  const fleet = useReplicas();
  const replicas = fleet.data?.replicas ?? [];
  const versions = [...new Set(replicas.map(({ version }) => version))].toSorted();
  const wrong = replicas.filter(({ clock_ms_apart: apart = 0 }) => Math.abs(apart) > CLOCK_APART_MS);
  const number = useNumber();
  const { columns } = words;
  return (
    <section className="panel" aria-labelledby="replicas">
      <h2 id="replicas">
        {words.replicas} <small className="muted">{words.replicaCount(replicas.length)}</small>
      </h2>
      {versions.length > 1 && (
        <p className="notice warn">
          <span>
            <Icon name="warning" /> {words.versions(versions.join(', '))}
          </span>
        </p>
      )}
      {wrong.length > 0 && (
        <p className="notice warn">
          <span>
            <Icon name="warning" /> {words.wrongClocks}{' '}
            {wrong.map(({ id, kind, host, clock_ms_apart: apart = 0 }) => (
              <span key={id}>
                {words.kinds[kind]} <code>{id}</code> ({host}): {words.seconds(number(Math.round(apart / 1000)))}{' '}
              </span>
            ))}
          </span>
        </p>
      )}
      {fleet.data && replicas.length === 0 && <p className="fault">{words.noReplicas}</p>}
      {replicas.length > 0 && (
        <table className="plain-table replicas">
          <thead>
            <tr>
              {[columns.process, columns.roles, columns.version, columns.host, columns.started].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {replicas.map(({ id, kind, roles, version, host, started_at }) => (
              <tr key={id}>
                <th scope="row">
                  {words.kinds[kind]} <code className="muted">{id}</code>
                </th>
                <td>{roles.join(', ')}</td>
                <td>{versions.length > 1 ? <strong className="marked">{version}</strong> : version}</td>
                <td>{host}</td>
                <td>
                  <Ago at={started_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
