import type { OutboxEntryResource as Entry, OutboxState } from '@flotilla/contract/outbox.ts';
import type { ReactNode } from 'react';
import { StateMark } from '../../parts/state-badge.tsx';
import { Moment, Until } from '../../parts/time.tsx';
import { useOutboxWords } from './outbox-words.ts';

const LOOKS = {
  scheduled: 'disabled',
  queued: 'disabled',
  held: 'failing',
  sending: 'ok',
  sent: 'ok',
  failed: 'open',
  in_doubt: 'failing',
  expired: 'failing',
  cancelled: 'disabled',
} as const satisfies Record<OutboxState, string>;

/** The states from which an entry can be cancelled, released by an admin, or sent again. */
export const CANCELLABLE: readonly OutboxState[] = ['scheduled', 'queued', 'held'];
export const RELEASABLE: readonly OutboxState[] = ['held'];
export const RESENDABLE: readonly OutboxState[] = ['failed', 'expired', 'in_doubt'];

const TOO_MANY_REQUESTS = 429;

/** The state of an entry, and for what it waits or why it ended so. */
export function EntryState({ entry }: { entry: Entry }): ReactNode {
  const words = useOutboxWords();
  const { state } = entry;
  return (
    <span className="entry-state">
      <span className={`state ${LOOKS[state]}`} title={words.stateHints[state]}>
        <StateMark state={LOOKS[state]} />
        {words.states[state]}
      </span>{' '}
      <span className="muted">
        <Why entry={entry} />
      </span>
    </span>
  );
}

function Why({ entry }: { entry: Entry }): ReactNode {
  const { why } = useOutboxWords();
  const { state, send_at, next_attempt_at: nextAt, error_code: code, error } = entry;
  switch (state) {
    case 'scheduled':
      return send_at === undefined ? (
        why.byBroadcast
      ) : (
        <>
          {why.at} <Moment at={send_at} />
        </>
      );
    case 'queued':
      if (nextAt === undefined) return why.turn;
      return (
        <>
          {code === TOO_MANY_REQUESTS ? why.rests : why.again} <Until at={nextAt} />
        </>
      );
    case 'held':
    case 'failed':
    case 'in_doubt':
      return (
        <bdi>
          {code !== undefined && `${code} `}
          {error}
        </bdi>
      );
    default:
      return null;
  }
}
