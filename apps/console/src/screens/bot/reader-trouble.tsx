import type { ReaderResource } from '@flotilla/contract/readers.ts';
import type { ReactNode } from 'react';
import { Moment, Until } from '../../parts/time.tsx';
import { Told } from '../../parts/told.tsx';
import { useWords } from '../../words/words.tsx';

/** Since when a backend fails, when it gets its next probe, and its last error; or why a program was parked. */
export function ReaderTrouble({ reader }: { reader: ReaderResource }): ReactNode {
  const { readers: words } = useWords().bot;
  const { failing_since: since, next_probe_at: probeAt, last_error: error } = reader;
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
