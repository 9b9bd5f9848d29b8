import { type ReactNode, useRef } from 'react';
import { EditConflictNotice } from './edit-conflict-notice.tsx';
import { Failure } from './failure.tsx';
import type { OpenConflict } from './use-edit-conflict.ts';
import { useFirstFault } from './use-first-fault.ts';

export type FormProps = {
  run: () => unknown;
  busy?: boolean;
  /** A fault of no field. */
  error?: Error | null;
  /** Others changed the same fields as the form. */
  conflict?: OpenConflict | null;
  /** The faults of its fields; whenever it is another object, the first of them gets the focus. */
  wrong?: object;
  children?: ReactNode;
};

const NONE = {};

/** Fields with their buttons. With `wrong`, the page and the api say what is wrong, and not the browser. */
export function Form(props: FormProps & { actions: ReactNode; className?: string }): ReactNode {
  const { run, busy = false, error, conflict, wrong, children, actions, className = '' } = props;
  const form = useRef<HTMLFormElement>(null);
  useFirstFault(form, wrong ?? NONE);
  return (
    <form
      ref={form}
      className={className}
      noValidate={wrong !== undefined}
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) run();
      }}
    >
      {children}
      {error && <Failure error={error} />}
      {conflict && <EditConflictNotice conflict={conflict} />}
      <div className="dialog-actions">{actions}</div>
    </form>
  );
}
