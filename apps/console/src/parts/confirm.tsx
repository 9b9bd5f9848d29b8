import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Form, type FormProps } from './form.tsx';

type ConfirmProps = FormProps & {
  title: string;
  description?: string;
  /** The name of the act. */
  act: string;
  close: () => void;
  /** In place of "cancel". */
  leave?: string | undefined;
  /** Something was typed: a press beside the dialog does not lose it. */
  isDirty?: boolean;
  /** True if it cannot be taken back. */
  danger?: boolean;
  isDisabled?: boolean;
  className?: string;
};

/** A form over the page, or a question before an act: what is chosen for it stands above the buttons. */
export function Confirm(props: ConfirmProps): ReactNode {
  const { title, description, act, close, leave, className = 'narrow', ...form } = props;
  const { isDirty = false, danger = false, isDisabled = false, busy = false } = props;
  const words = useWords();
  const around = { title, close, isDirty, className, ...(description ? { description } : {}) };
  const actions = (
    <>
      <Button onClick={close}>{leave ?? words.cancel}</Button>
      <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={busy} disabled={isDisabled}>
        {act}
      </Button>
    </>
  );
  return (
    <Dialog {...around}>
      <Form {...form} className="" actions={actions} />
    </Dialog>
  );
}
