import type { ProgramResource } from '@flotilla/contract/programs.ts';
import type { ReactNode } from 'react';
import { call, callTagged } from '../../call.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { isAbout, type Shared } from '../../parts/shared-change.ts';
import { useForm } from '../../parts/use-form.ts';
import { type SettingsWords, useSettingsWords } from '../bot/settings-words.ts';
import { type ProgramsWords, useProgramsWords } from './programs-words.ts';
import { localSightFaults, type Sight, sightChanges, sightFaults, sightOf } from './sight.ts';
import { SightFields } from './sight-fields.tsx';

type FormProps = { program: ProgramResource; saved: () => Promise<unknown>; close: () => void };

/** Changes what a program is called and what it sees; its cursor stays. */
export function ProgramForm({ program, saved, close }: FormProps): ReactNode {
  const words = useProgramsWords();
  const settings = useSettingsWords();
  const { known, draft, faults, change, asked } = useForm({
    known: () => sightOf(program),
    readFaults: (error) => sightFaults(error, words),
    check: (sight, first) => localSightFaults(sight, first, [], words),
    shared: sharedProgram(program, words, settings),
    async send(sight, first, ifMatch) {
      const changes = sightChanges(sight, first);
      if (Object.keys(changes).length > 0) {
        await call('updateProgram', { id: program.id, ...changes }, undefined, { ifMatch });
      }
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

function sharedProgram(
  { id, bot_id }: ProgramResource,
  words: ProgramsWords,
  { settings, ...others }: SettingsWords,
): Shared<ProgramResource, Sight> {
  const { filter } = words;
  return {
    read: () => callTagged('showProgram', { id }),
    draftOf: sightOf,
    names: {
      ...{ name: words.name, mode: words.wizard.mode, kinds: others.kinds, filter: filter.which },
      ...{ exclusive: filter.exclusive, sees_held: filter.which, order: filter.order, backend_url: others.url },
      max_connections: settings.max_connections.label,
      silent_after_s: settings.silent_after_s.label,
    },
    audited: { action: 'program_update', bot_id, isOf: isAbout('program', id) },
  };
}
