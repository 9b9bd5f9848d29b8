import { useState } from 'react';
import { ChangedMeanwhile } from './shared-change.ts';

type Form<Draft> = {
  /** What was typed. */
  mine: Draft;
  show: (draft: Draft) => void;
  /** Lets the next change begin from this. */
  begin: (known: Draft) => void;
  send: (draft: Draft, known: Draft) => void;
};

export type Clash = {
  error: ChangedMeanwhile<unknown>;
  /** True while the form shows what the others saved. */
  showsTheirs: boolean;
  showTheirs: () => void;
  showMine: () => void;
  overwrite: () => void;
};

/** A change of others that the form met: both versions are kept until one is chosen. */
export function useClash<Draft>({ mine: typed, show, begin, send }: Form<Draft>) {
  const [met, setMet] = useState<{ error: ChangedMeanwhile<Draft>; mine: Draft | null } | null>(null);
  const clash: Clash | null = met && {
    error: met.error,
    showsTheirs: met.mine !== null,
    showTheirs() {
      const { theirs } = met.error;
      setMet({ ...met, mine: typed });
      begin(theirs);
      show(theirs);
    },
    showMine() {
      if (met.mine !== null) show(met.mine);
      setMet({ ...met, mine: null });
    },
    overwrite() {
      const { theirs } = met.error;
      const mine = met.mine ?? typed;
      setMet(null);
      begin(theirs);
      show(mine);
      send(mine, theirs);
    },
  };
  return {
    clash,
    /** True if the error is such a change, which is then asked about. */
    meet(error: Error): boolean {
      const isClash = error instanceof ChangedMeanwhile;
      if (isClash) setMet({ error, mine: null });
      return isClash;
    },
    forget: () => setMet(null),
  };
}
