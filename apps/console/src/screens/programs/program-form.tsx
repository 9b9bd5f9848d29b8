import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { useProgramsWords } from './programs-words.ts';
import { localSightFaults, sightChanges, sightFaults, sightOf } from './sight.ts';
import { SightFields } from './sight-fields.tsx';

type FormProps = { program: ProgramResource; saved: () => Promise<unknown>; close: () => void };

/** Changes what a program is called and what it sees; its cursor stays. */
export function ProgramForm({ program, saved, close }: FormProps): ReactNode {
  const words = useProgramsWords();
  const [known] = useState(() => sightOf(program));
  const [sight, setSight] = useState(known);
  const save = useMutation({
    mutationFn: async () => {
      const changes = sightChanges(sight, known);
      if (Object.keys(changes).length > 0) await call('updateProgram', { id: program.id, ...changes });
    },
    onSuccess: async () => {
      await saved();
      close();
    },
  });
  const { faults, other } = sightFaults(save.error, words);
  const local = localSightFaults(sight, known, [], words);
  return (
    <Confirm
      title={words.editTitle}
      act={words.save}
      run={() => Object.keys(local).length === 0 && save.mutate()}
      close={close}
      busy={save.isPending}
      error={other}
      className=""
    >
      <SightFields
        botId={program.bot_id}
        sight={sight}
        change={(changed) => {
          setSight({ ...sight, ...changed });
          if (save.isError) save.reset();
        }}
        faults={{ ...faults, ...local }}
        hasSecret={program.secret_token !== ''}
      />
    </Confirm>
  );
}
