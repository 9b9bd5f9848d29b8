import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { KeptActions } from '../../parts/shown-once.tsx';
import { useProgramsWords } from './programs-words.ts';
import { localRightsFaults, NEW_RIGHTS, rightsFaults, rightsInput } from './rights.ts';
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
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [rights, setRights] = useState(NEW_RIGHTS);
  const [local, setLocal] = useState<ReturnType<typeof localRightsFaults>>({});
  const make = useMutation({
    // The result stays here: a cache of results would keep the token.
    mutationFn: async () => {
      const { token } = await call('addProgramToken', { program_id: program.id, name, ...rightsInput(rights) });
      made(token);
    },
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['program-tokens'] }),
  });
  const run = () => {
    const faults = localRightsFaults(rights, words);
    setLocal(faults);
    if (Object.keys(faults).length === 0) make.mutate();
  };
  const { faults, other } = rightsFaults(make.error);
  return (
    <Confirm
      title={words.tokens.make}
      act={words.tokens.make}
      run={run}
      close={close}
      busy={make.isPending}
      error={other}
      className=""
    >
      <Field
        label={words.tokens.name}
        hint={words.tokens.nameHint}
        fault={faults.name}
        autoComplete="off"
        dir="auto"
        required
        autoFocus
        maxLength={64}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <RightsFields
        botId={program.bot_id}
        rights={rights}
        change={(changed) => {
          setRights({ ...rights, ...changed });
          setLocal({});
          if (make.isError) make.reset();
        }}
        faults={{ ...faults, ...local }}
        polls={program.mode === 'pull'}
      />
    </Confirm>
  );
}
