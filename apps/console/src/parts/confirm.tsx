import { type ReactNode, useRef } from 'react';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { useFirstFault } from './use-first-fault.ts';

type ConfirmProps = {
  title: string;
  description?: string;
  /** The name of the act. */
  act: string;
  run: () => unknown;
  close: () => void;
  /** In place of "cancel". */
  leave?: string | undefined;
  busy?: boolean;
  error?: Error | null;
  /** What is wrong with its fields; whenever it is another object, the first of them gets the focus. */
  wrong?: object;
  /** Something was typed: a press beside the dialog does not lose it. */
  isDirty?: boolean;
  /** What it does cannot be taken back. */
  danger?: boolean;
  isDisabled?: boolean;
  children?: ReactNode;
  className?: string;
};

const NONE = {};

/** A form over the page, or a question before an act: what is chosen for it stands above the buttons. */
export function Confirm(props: ConfirmProps): ReactNode {
  const { title, description, act, run, close, leave, error, wrong, children, className = 'narrow' } = props;
  const { busy = false, isDirty = false, danger = false, isDisabled = false } = props;
  const words = useWords();
  const form = useRef<HTMLFormElement>(null);
  useFirstFault(form, wrong ?? NONE);
  return (
    <Dialog
      title={title}
      {...(description ? { description } : {})}
      close={close}
      isDirty={isDirty}
      className={className}
    >
      <form
        ref={form}
        noValidate={wrong !== undefined}
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) run();
        }}
      >
        {children}
        {error && <Failure error={error} />}
        <div className="dialog-actions">
          <Button onClick={close}>{leave ?? words.cancel}</Button>
          <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={busy} disabled={isDisabled}>
            {act}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
