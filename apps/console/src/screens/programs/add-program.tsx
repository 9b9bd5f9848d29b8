import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Form } from '../../parts/form.tsx';
import { faultsOf } from '../../parts/form-faults.ts';
import { KeptActions } from '../../parts/shown-once.tsx';
import { Steps, StepTitle } from '../../parts/steps.tsx';
import { useForm } from '../../parts/use-form.ts';
import { useWords } from '../../words/words.tsx';
import { useProgramsWords } from './programs-words.ts';
import { localRightsFaults, NEW_RIGHTS, RIGHTS_FIELDS, type Rights, rightsInput } from './rights.ts';
import { RightsFields } from './rights-fields.tsx';
import { localSightFaults, NEW_SIGHT, type Sight, sightFaults, sightInput, sightOf } from './sight.ts';
import { SightFields } from './sight-fields.tsx';
import { TokenOnce } from './token-once.tsx';
import { usePrograms } from './use-programs.ts';

type Made = { program: ProgramResource; token: string };

/** Adds a program in three steps: what it sees, what it may do, and how it is connected. */
export function AddProgram({ bot_id, close }: { bot_id: number; close: (programId?: number) => void }): ReactNode {
  const words = useProgramsWords();
  const [step, setStep] = useState<0 | 1>(0);
  const [made, setMade] = useState<Made | null>(null);
  const { sees, does, done } = words.wizard;
  return (
    <div className="add-program">
      <Steps label={words.wizard.steps} names={[sees, does, done]} at={made === null ? step : 2} />
      {made === null ? (
        <ProgramFields bot_id={bot_id} step={step} go={setStep} made={setMade} close={close} />
      ) : (
        <Connect {...made} close={() => close(made.program.id)} />
      )}
    </div>
  );
}

function Connect({ program, token, close }: Made & { close: () => void }): ReactNode {
  const { wizard } = useProgramsWords();
  return (
    <section className="panel">
      <StepTitle as="h2">{wizard.doneTitle(program.name)}</StepTitle>
      <TokenOnce program={program} token={token} />
      <KeptActions close={close} />
    </section>
  );
}

type FieldsProps = {
  bot_id: number;
  step: 0 | 1;
  go: (step: 0 | 1) => void;
  made: (made: Made) => void;
  close: () => void;
};

function ProgramFields({ bot_id, step, go, made, close }: FieldsProps): ReactNode {
  const words = useProgramsWords();
  const common = useWords();
  const queries = useQueryClient();
  // Kept when its token was refused: the next try makes no second program.
  const [added, setAdded] = useState<ProgramResource | null>(null);
  const programs = usePrograms(bot_id);
  const taken = programs.data?.filter(({ id }) => id !== added?.id).map(({ name }) => name) ?? [];
  const add = async (sight: Sight) => {
    const program =
      added === null
        ? await call('addProgram', { bot_id, ...sightInput(sight, NEW_SIGHT) })
        : await call('updateProgram', { id: added.id, ...sightInput(sight, sightOf(added)) });
    setAdded(program);
    return program;
  };
  const readFaults = (error: Error | null) => {
    const ofSight = sightFaults(error, words);
    const { faults, other } = faultsOf(error, RIGHTS_FIELDS);
    return { faults: { ...ofSight.faults, ...faults }, other: ofSight.other && other };
  };
  const { draft, faults, change, asked } = useForm<Sight & Rights>({
    known: () => ({ ...NEW_SIGHT, ...NEW_RIGHTS }),
    readFaults,
    check: (now) => (step === 0 ? localSightFaults(now, NEW_SIGHT, taken, words) : localRightsFaults(now, words)),
    async send(now) {
      if (step === 0) return go(1);
      try {
        const program = await add(now);
        const input = { program_id: program.id, name: program.name, ...rightsInput(now) };
        const { token } = await call('addProgramToken', input);
        made({ program, token });
      } catch (error) {
        if (Object.keys(sightFaults(error as Error, words).faults).length > 0) go(0);
        throw error;
      } finally {
        void queries.invalidateQueries({ queryKey: ['programs'] });
        void queries.invalidateQueries({ queryKey: ['readers'] });
      }
    },
  });
  return (
    <Form
      key={step}
      className="panel"
      {...asked}
      actions={
        <>
          {step === 0 ? (
            <Button onClick={() => close()}>{common.cancel}</Button>
          ) : (
            <Button onClick={() => go(0)}>{words.wizard.back}</Button>
          )}
          <Button type="submit" kind="primary" busy={asked.busy}>
            {step === 0 ? words.wizard.next : words.wizard.make}
          </Button>
        </>
      }
    >
      <StepTitle as="h2">{step === 0 ? words.wizard.sees : words.wizard.does}</StepTitle>
      {step === 0 ? (
        <SightFields bot_id={bot_id} sight={draft} change={change} faults={faults} hasSecret={false} />
      ) : (
        <RightsFields bot_id={bot_id} rights={draft} change={change} faults={faults} polls={draft.mode === 'pull'} />
      )}
    </Form>
  );
}
