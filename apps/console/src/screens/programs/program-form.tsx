import type { ProgramResource } from '@flotilla/contract/programs.ts';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { useForm } from '../../parts/use-form.ts';
import { useProgramsWords } from './programs-words.ts';
import { localSightFaults, sightChanges, sightFaults, sightOf } from './sight.ts';
import { SightFields } from './sight-fields.tsx';

type FormProps = { program: ProgramResource; saved: () => Promise<unknown>; close: () => void };

/** Changes what a program is called and what it sees; its cursor stays. */
export function ProgramForm({ program, saved, close }: FormProps): ReactNode {
  const words = useProgramsWords();
  const { known, draft, faults, change, asked } = useForm({
    known: () => sightOf(program),
    readFaults: (error) => sightFaults(error, words),
    check: (sight, first) => localSightFaults(sight, first, [], words),
    async send(sight, first) {
      const changes = sightChanges(sight, first);
      if (Object.keys(changes).length > 0) await call('updateProgram', { id: program.id, ...changes });
      await saved();
      close();
    },
  });
  return (
    <Confirm title={words.editTitle} act={words.save} close={close} className="" {...asked}>
      <SightFields
        bot_id={program.bot_id}
        sight={draft}
        change={change}
        // A missing field is named while the form is filled in.
        faults={{ ...faults, ...localSightFaults(draft, known, [], words) }}
        hasSecret={program.secret_token !== ''}
      />
    </Confirm>
  );
}
