import type { ProgramLink } from '@flotilla/contract/program-chats.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { KeptActions, Secret } from '../../parts/shown-once.tsx';
import { Moment } from '../../parts/time.tsx';
import { useForm } from '../../parts/use-form.ts';
import { useProgramsWords } from './programs-words.ts';

const DAY_S = 86_400;

/** Makes a link that binds chats to a program, and shows it once. */
export function NewLink({ program, close }: { program: ProgramResource; close: () => void }): ReactNode {
  const words = useProgramsWords().bound;
  const [made, setMade] = useState<ProgramLink | null>(null);
  if (made === null) return <NewLinkForm program={program} close={close} made={setMade} />;
  return (
    <Dialog title={words.newTitle} description={words.onceHint} className="narrow">
      <h3>{words.forPerson}</h3>
      <Secret text={made.link} />
      <h3>{words.forGroup}</h3>
      <Secret text={made.group_link} />
      <p className="muted">
        {words.expires} <Moment at={made.expires_at} />
      </p>
      <KeptActions close={close} />
    </Dialog>
  );
}

type FormProps = { program: ProgramResource; close: () => void; made: (link: ProgramLink) => void };

function NewLinkForm({ program, close, made }: FormProps): ReactNode {
  const words = useProgramsWords().bound;
  const { text, asked } = useForm({
    known: () => ({ uses: '1', days: '1' }),
    fields: ['uses', 'expires_in_s'],
    send: async ({ uses, days }) => {
      const lifetime = { expires_in_s: Number(days) * DAY_S };
      made(await call('addProgramLink', { program_id: program.id, uses: Number(uses), ...lifetime }));
    },
  });
  const count = { type: 'number', min: 1, step: 1, required: true } as const;
  return (
    <Confirm title={words.newTitle} description={words.hint} act={words.make} close={close} {...asked}>
      <Field label={words.uses} {...count} max={10_000} {...text('uses')} />
      <Field label={words.days} {...count} max={366} {...text('days', 'expires_in_s')} />
    </Confirm>
  );
}
