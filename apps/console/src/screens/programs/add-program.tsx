import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { KeptActions } from '../../parts/shown-once.tsx';
import { Steps, StepTitle } from '../../parts/steps.tsx';
import { useWords } from '../../words/words.tsx';
import { useProgramsWords } from './programs-words.ts';
import { localRightsFaults, NEW_RIGHTS, rightsFaults, rightsInput } from './rights.ts';
import { RightsFields } from './rights-fields.tsx';
import { localSightFaults, NEW_SIGHT, sightFaults, sightInput, sightOf } from './sight.ts';
import { SightFields } from './sight-fields.tsx';
import { TokenOnce } from './token-once.tsx';
import { usePrograms } from './use-programs.ts';

type Made = { program: ProgramResource; token: string };

/** Adds a program in three steps: what it sees, what it may do, and how it is connected. */
export function AddProgram({ botId, close }: { botId: number; close: (programId?: number) => void }): ReactNode {
  const words = useProgramsWords();
  const [step, setStep] = useState<0 | 1>(0);
  const [made, setMade] = useState<Made | null>(null);
  const { sees, does, done } = words.wizard;
  return (
    <div className="add-program">
      <Steps label={words.wizard.steps} names={[sees, does, done]} at={made === null ? step : 2} />
      {made === null ? (
        <ProgramFields botId={botId} step={step} go={setStep} made={setMade} close={close} />
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
  botId: number;
  step: 0 | 1;
  go: (step: 0 | 1) => void;
  made: (made: Made) => void;
  close: () => void;
};

function ProgramFields({ botId, step, go, made, close }: FieldsProps): ReactNode {
  const words = useProgramsWords();
  const common = useWords();
  const queries = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [sight, setSight] = useState(NEW_SIGHT);
  const [rights, setRights] = useState(NEW_RIGHTS);
  const [local, setLocal] = useState<Readonly<Record<string, string | undefined>>>({});
  // Kept when its token was refused: the next try makes no second program.
  const [added, setAdded] = useState<ProgramResource | null>(null);
  const programs = usePrograms(botId);
  const taken = programs.data?.filter(({ id }) => id !== added?.id).map(({ name }) => name) ?? [];
  const make = useMutation({
    // The result stays here: a cache of results would keep the token.
    mutationFn: async () => {
      const program =
        added === null
          ? await call('addProgram', { bot_id: botId, ...sightInput(sight, NEW_SIGHT) })
          : await call('updateProgram', { id: added.id, ...sightInput(sight, sightOf(added)) });
      setAdded(program);
      const input = { program_id: program.id, name: program.name, ...rightsInput(rights) };
      const { token } = await call('addProgramToken', input);
      made({ program, token });
    },
    onError: (error) => Object.keys(sightFaults(error, words).faults).length > 0 && go(0),
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['programs'] });
      void queries.invalidateQueries({ queryKey: ['readers'] });
    },
  });
  const ofSight = sightFaults(make.error, words);
  const ofRights = rightsFaults(make.error);
  const faults = { ...ofSight.faults, ...ofRights.faults, ...local };
  const hasFaults = Object.keys(faults).length > 0;
  useEffect(() => {
    if (hasFaults) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [hasFaults]);
  const changed = () => {
    setLocal({});
    if (make.isError) make.reset();
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const found = step === 0 ? localSightFaults(sight, NEW_SIGHT, taken, words) : localRightsFaults(rights, words);
    setLocal(found);
    if (Object.keys(found).length > 0 || make.isPending) return;
    if (step === 0) go(1);
    else make.mutate();
  };
  return (
    <form key={step} ref={form} className="panel" onSubmit={submit} noValidate>
      <StepTitle as="h2">{step === 0 ? words.wizard.sees : words.wizard.does}</StepTitle>
      {step === 0 ? (
        <SightFields
          botId={botId}
          sight={sight}
          change={(change) => {
            setSight({ ...sight, ...change });
            changed();
          }}
          faults={faults}
          hasSecret={false}
        />
      ) : (
        <RightsFields
          botId={botId}
          rights={rights}
          change={(change) => {
            setRights({ ...rights, ...change });
            changed();
          }}
          faults={faults}
          polls={sight.mode === 'pull'}
        />
      )}
      {make.isError && !hasFaults && <Failure error={make.error} />}
      <div className="dialog-actions">
        {step === 0 ? (
          <Button onClick={() => close()}>{common.cancel}</Button>
        ) : (
          <Button onClick={() => go(0)}>{words.wizard.back}</Button>
        )}
        <Button type="submit" kind="primary" busy={make.isPending}>
          {step === 0 ? words.wizard.next : words.wizard.make}
        </Button>
      </div>
    </form>
  );
}
