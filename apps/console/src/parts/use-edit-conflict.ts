import { useState } from 'react';
import { EditConflict } from './shared-change.ts';

type Form<Draft> = {
  typed: Draft;
  show: (draft: Draft) => void;
  /** Lets the next change begin from this. */
  begin: (known: Draft) => void;
  send: (draft: Draft, known: Draft) => void;
};

export type OpenConflict = {
  error: Pick<EditConflict<unknown>, 'fields' | 'entry'>;
  /** True while the form shows what the others saved. */
  showsTheirs: boolean;
  showTheirs: () => void;
  showMine: () => void;
  overwrite: () => void;
};

/** The edit conflict of a form: both versions are kept until one is chosen. */
export function useEditConflict<Draft>({ typed, show, begin, send }: Form<Draft>) {
  const [open, setOpen] = useState<{ error: EditConflict<Draft>; mine: Draft | null } | null>(null);
  const conflict: OpenConflict | null = open && {
    error: open.error,
    showsTheirs: open.mine !== null,
    showTheirs() {
      const { theirs } = open.error;
      setOpen({ ...open, mine: typed });
      begin(theirs);
      show(theirs);
    },
    showMine() {
      if (open.mine !== null) show(open.error.rebase(open.mine));
      setOpen({ ...open, mine: null });
    },
    overwrite() {
      const { theirs, rebase } = open.error;
      const mine = rebase(open.mine ?? typed);
      setOpen(null);
      begin(theirs);
      show(mine);
      send(mine, theirs);
    },
  };
  return {
    conflict,
    /** True if the error is an edit conflict, which the form then asks about. */
    askAbout(error: Error): boolean {
      const isConflict = error instanceof EditConflict;
      if (isConflict) setOpen({ error, mine: null });
      return isConflict;
    },
    forget: () => setOpen(null),
  };
}
