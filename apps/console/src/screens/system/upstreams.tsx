import type { UpstreamState } from '@flotilla/contract/upstreams.ts';
import type { ReactNode } from 'react';
import { StateMark } from '../../parts/state-badge.tsx';
import { Ago } from '../../parts/time.tsx';
import { useSystemWords } from './system-words.ts';

const LOOKS = { ok: 'ok', failing: 'open', unknown: 'disabled' } as const;

/** The Bot API servers that bots can be at, and whether they answer. */
export function Upstreams({ upstreams }: { upstreams: readonly UpstreamState[] | undefined }): ReactNode {
  const words = useSystemWords();
  return (
    <section className="panel" aria-labelledby="upstreams">
      <h2 id="upstreams">{words.upstreams}</h2>
      {upstreams === undefined ? (
        <p className="fault">{words.away}</p>
      ) : (
        <ul className="upstreams">
          {upstreams.map((upstream) => (
            <UpstreamRow key={upstream.name} upstream={upstream} />
          ))}
        </ul>
      )}
    </section>
  );
}

function UpstreamRow({ upstream }: { upstream: UpstreamState }): ReactNode {
  const words = useSystemWords();
  const { name, url, state, failing_since: since, error, bots } = upstream;
  return (
    <li>
      <p>
        <bdi>{name}</bdi>{' '}
        <span className={`state ${LOOKS[state]}`}>
          <StateMark state={LOOKS[state]} />
          {words.upstreamStates[state]} {since && <Ago at={since} />}
        </span>
      </p>
      <p className="muted">
        <bdi>{url}</bdi> {words.upstreamBots(bots)}
      </p>
      {error && (
        <p className="fault">
          <bdi>{error}</bdi>
        </p>
      )}
    </li>
  );
}
