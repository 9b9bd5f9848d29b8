import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { KeptActions } from '../../parts/shown-once.tsx';
import { useForm } from '../../parts/use-form.ts';
import { useWords } from '../../words/words.tsx';
import { useProgramsWords } from './programs-words.ts';
import { localRightsFaults, NEW_RIGHTS, RIGHTS_FIELDS, rightsInput } from './rights.ts';
import { RightsFields } from './rights-fields.tsx';
import { TokenOnce } from './token-once.tsx';

/** Makes a token and shows it once: it is in no query, no cache and no address, and is gone when the dialog closes. */
export function NewToken({ program, close }: { program: ProgramResource; close: () => void }): ReactNode {
  const words = useProgramsWords();
  const [made, setMade] = useState<string | null>(null);
  if (made === null) return <NewTokenForm program={program} close={close} made={setMade} />;
  return (
    <Dialog title={words.once.title}>
      <TokenOnce program={program} token={made} />
      <KeptActions close={close} />
    </Dialog>
  );
}

type FormProps = { program: ProgramResource; close: () => void; made: (token: string) => void };

function NewTokenForm({ program, close, made }: FormProps): ReactNode {
  const words = useProgramsWords();
  const { errors } = useWords();
  const queries = useQueryClient();
  const { draft, faults, change, text, asked } = useForm({
    known: () => ({ name: '', ...NEW_RIGHTS }),
    fields: ['name', ...RIGHTS_FIELDS],
    check: ({ name, ...rights }) => ({
      name: name.trim() === '' ? errors.required : undefined,
      ...localRightsFaults(rights, words),
    }),
    async send({ name, ...rights }) {
      const { token } = await call('addProgramToken', { program_id: program.id, name, ...rightsInput(rights) });
      void queries.invalidateQueries({ queryKey: ['program-tokens'] });
      made(token);
    },
  });
  return (
    <Confirm title={words.tokens.make} act={words.tokens.make} close={close} className="" {...asked}>
      <Field
        label={words.tokens.name}
        hint={words.tokens.nameHint}
        autoComplete="off"
        dir="auto"
        required
        autoFocus
        maxLength={64}
        {...text('name')}
      />
      <RightsFields
        bot_id={program.bot_id}
        rights={draft}
        change={change}
        faults={faults}
        polls={program.mode === 'pull'}
      />
    </Confirm>
  );
}
