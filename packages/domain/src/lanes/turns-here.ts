import type { TurnHere } from '../intake/accept-updates.ts';

/** The turns of one kind that this process runs or holds, by bot. An intake in the same process tells them of new updates. */
export type TurnsHere = {
  /** Enters a turn of this bot. It can be told from its first claim until `leave`. */
  enter(botId: number): EnteredTurn;
  of(botId: number): TurnHere | null;
};

export type EnteredTurn = {
  onWake(listener: () => void): void;
  claimSent(): void;
  /** With the fencing token of the turn, or null if it is no longer the owner. */
  claimAnswered(fencingToken: number | null): void;
  leave(): void;
};

type Entry = { fencingToken: number | null; wake: () => void; sent: number; answered: number };

export function turnsHere(): TurnsHere {
  const entries = new Map<number, Entry>();
  return {
    enter: (botId) => {
      const entry: Entry = { fencingToken: null, wake: () => {}, sent: 0, answered: 0 };
      entries.set(botId, entry);
      return {
        onWake: (listener) => {
          entry.wake = listener;
        },
        claimSent: () => {
          entry.sent += 1;
        },
        claimAnswered: (fencingToken) => {
          entry.answered += 1;
          entry.fencingToken = fencingToken;
        },
        leave: () => {
          if (entries.get(botId) === entry) entries.delete(botId);
        },
      };
    },
    of: (botId) => {
      const entry = entries.get(botId);
      if (entry === undefined || entry.fencingToken === null) return null;
      return { fencingToken: entry.fencingToken, tell: () => tell(entry) };
    },
  };
}

function tell(entry: Entry): () => void {
  const { sent } = entry;
  entry.wake();
  // A claim that was answered before the append, as after a redirection in a cluster, has not seen the new updates.
  return () => {
    if (entry.answered > sent) entry.wake();
  };
}
