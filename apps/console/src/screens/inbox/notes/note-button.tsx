import type { ReactNode } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useNotesWords } from './notes-words.ts';

export function NoteButton({ write }: { write: () => void }): ReactNode {
  const words = useNotesWords();
  return (
    <Button kind="quiet" aria-label={words.write} title={words.write} onClick={write}>
      <Icon name="note" />
    </Button>
  );
}
