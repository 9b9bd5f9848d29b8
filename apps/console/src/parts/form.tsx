import { type ReactNode, useRef } from 'react';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { Failure } from './failure.tsx';
import type { Clash } from './use-clash.ts';
import { useFirstFault } from './use-first-fault.ts';

export type FormProps = {
  run: () => unknown;
  busy?: boolean;
  /** A fault of no field. */
  error?: Error | null;
  /** Others changed meanwhile what the form changes. */
  clash?: Clash | null;
  /** The faults of its fields; whenever it is another object, the first of them gets the focus. */
  wrong?: object;
  children?: ReactNode;
};

const NONE = {};

/** Fields with their buttons. With `wrong`, the page and the api say what is wrong, and not the browser. */
export function Form(props: FormProps & { actions: ReactNode; className?: string }): ReactNode {
  const { run, busy = false, error, clash, wrong, children, actions, className = '' } = props;
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
      {clash && <ChangedMeanwhile clash={clash} />}
      <div className="dialog-actions">{actions}</div>
    </form>
  );
}
