import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';

type ConfirmProps = {
  title: string;
  description?: string;
  /** The name of the act. */
  act: string;
  run: () => void;
  close: () => void;
  busy: boolean;
  error: Error | null;
  /** What it does cannot be taken back. */
  danger?: boolean;
  children?: ReactNode;
  /** What is chosen needs more room than a question. */
  roomy?: boolean;
};

/** Asks before an act; what is chosen for it stands between the question and the buttons. */
export function Confirm(props: ConfirmProps): ReactNode {
  const { title, description, act, run, close, busy, error, children, roomy = false, danger = false } = props;
  const words = useWords();
  return (
    <Dialog title={title} {...(description ? { description } : {})} close={close} className={roomy ? '' : 'narrow'}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) run();
        }}
      >
        {children}
        {error && <Failure error={error} />}
        <div className="dialog-actions">
          <Button onClick={close}>{words.cancel}</Button>
          <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={busy}>
            {act}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
