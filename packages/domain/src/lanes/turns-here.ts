import type { TurnHere } from '../intake/accept-updates.ts';
import type { ClaimsSeen } from './claim-units.ts';

/** The turns of one kind that this process runs or holds, by bot. An intake in the same process tells them of new updates. */
export type TurnsHere = {
  /** Enters a turn of this bot. It can be told from its first claim until `leave`. */
  enter(botId: number): EnteredTurn;
  of(botId: number): TurnHere | null;
};

export type EnteredTurn = {
  claims: ClaimsSeen;
  onWake(listener: () => void): void;
  leave(): void;
};

/** `ended`: how many claims were answered, or will not be. */
type Entry = { fencingToken: number | null; wake: () => void; sent: number; ended: number };

export function turnsHere(): TurnsHere {
  const entries = new Map<number, Entry>();
  return {
    enter: (botId) => {
      const entry: Entry = { fencingToken: null, wake: () => {}, sent: 0, ended: 0 };
      entries.set(botId, entry);
      return {
        claims: {
          sent: () => {
            entry.sent += 1;
          },
          answered: (fencingToken) => {
            entry.ended += 1;
            entry.fencingToken = fencingToken;
          },
          lost: () => {
            entry.ended += 1;
          },
        },
        onWake: (listener) => {
          entry.wake = listener;
        },
        leave: () => {
          if (entries.get(botId) === entry) entries.delete(botId);
        },
      };
    },
    of: (botId) => {
      const entry = entries.get(botId);
      if (entry === undefined || entry.fencingToken === null) return null;
      return { fencingToken: entry.fencingToken, tell: (appending) => tell(entry, appending) };
    },
  };
}

function tell(entry: Entry, appending: Promise<unknown>): void {
  const { sent } = entry;
  entry.wake();
  const answered = () => {
    // A claim that was answered before the append, as after a redirection in a cluster, has not seen the new updates.
    if (entry.ended > sent) entry.wake();
  };
  // After a failure they may be there or not.
  appending.then(answered, () => entry.wake());
}
