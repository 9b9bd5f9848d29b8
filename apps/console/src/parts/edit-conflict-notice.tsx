import type { MouseEvent, ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';
import { Ago } from './time.tsx';
import type { OpenConflict } from './use-edit-conflict.ts';

/** Says who changed which fields of the form, and asks which version to keep. */
export function EditConflictNotice({ conflict }: { conflict: OpenConflict }): ReactNode {
  const { editConflict: words } = useWords();
  const { entry, fields } = conflict.error;
  const overwrite = ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
    // The notice goes, and the focus with it.
    currentTarget.form?.querySelector<HTMLElement>('button[type="submit"]')?.focus();
    conflict.overwrite();
  };
  return (
    <div className="notice edit-conflict">
      <div>
        <p>
          {/* Not the whole notice: its time ticks. */}
          <strong role="alert">{words.changed(fields, entry?.actor_username)}</strong>{' '}
          {entry && (
            <small className="muted">
              <Ago at={new Date(entry.date * 1_000).toISOString()} />
            </small>
          )}
        </p>
        <p>{conflict.showsTheirs ? words.shown : words.kept}</p>
      </div>
      <div className="actions">
        <Button onClick={conflict.showsTheirs ? conflict.showMine : conflict.showTheirs}>
          {conflict.showsTheirs ? words.mine : words.theirs}
        </Button>
        <Button kind="danger" onClick={overwrite}>
          {words.overwrite}
        </Button>
      </div>
    </div>
  );
}
