import type { ReaderResource } from '@flotilla/contract/readers.ts';
import type { ReactNode } from 'react';
import { Moment, Until, When } from '../../parts/time.tsx';
import { Told } from '../../parts/told.tsx';
import { useWords } from '../../words/words.tsx';

/** Since when a backend fails, when it gets its next probe, and its last error; who polled last; or why a program was parked. */
export function ReaderTrouble({ reader }: { reader: ReaderResource }): ReactNode {
  const { readers: words } = useWords().bot;
  const { failing_since: since, next_probe_at: probeAt, last_error: error } = reader;
  if (reader.state === 'silent') return <LastPoll reader={reader} />;
  if (since === undefined && error === undefined) return null;
  return (
    <p className="reader-trouble muted">
      {since && (
        <span>
          {words.failingSince} <Moment at={since} />
        </span>
      )}
      {probeAt && (
        <span>
          {words.nextProbe} <Until at={probeAt} />
        </span>
      )}
      {error && <Told text={error} />}
    </p>
  );
}

/** When somebody polled last, and who; a program that never did has the time at which it was added. */
function LastPoll({ reader: { last_polled_at: at, last_polled_by: by } }: { reader: ReaderResource }): ReactNode {
  const { readers: words } = useWords().bot;
  return (
    <p className="reader-trouble muted">
      {at === undefined ? (
        words.neverPolled
      ) : (
        <span>
          {words.lastPoll} <When at={at} />
          {by && (
            <>
              {' '}
              {words.pollOf} <bdi>{by}</bdi>
            </>
          )}
        </span>
      )}
    </p>
  );
}
