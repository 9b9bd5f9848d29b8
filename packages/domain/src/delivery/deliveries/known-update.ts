import type { DeadLetter } from '@flotilla/contract/deliveries.ts';
import type { ListedAttempt } from './list-attempts.ts';

/** The knowledge of the journal, the log and the dead letters about an update. */
export type KnownUpdate = {
  id: number;
  acceptedAtMs: number | null;
  kind: string | null;
  lane: string | null;
  /** True if the default readers asked for it; null: nobody knows any more. */
  isAllowed: boolean | null;
  mark: string | null;
  /** Its names in lanes: its id, and one for each redrive. */
  names: string[];
  /** The newest first. */
  attempts: ListedAttempt[];
  letters: DeadLetter[];
};
