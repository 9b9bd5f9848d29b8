import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { Confirm } from './confirm.tsx';
import { Field } from './field.tsx';
import { useForm } from './use-form.ts';

type NameViewProps = {
  /** null: of a new view. */
  known: string | null;
  send: (name: string) => Promise<void>;
  close: () => void;
};

/** The name of a saved view. */
export function NameView({ known, send, close }: NameViewProps): ReactNode {
  const { savedViews: words } = useWords();
  const { text, asked } = useForm({
    known: () => ({ name: known ?? '' }),
    fields: ['name'],
    send: ({ name }) => send(name.trim()),
  });
  const [title, act] = known === null ? [words.save, words.saveAct] : [words.renameTitle, words.renameAct];
  return (
    <Confirm title={title} act={act} close={close} {...asked}>
      <Field label={words.name} required maxLength={64} dir="auto" autoComplete="off" {...text('name')} />
    </Confirm>
  );
}
