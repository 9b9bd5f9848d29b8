import type { ProgramResource } from '@flotilla/contract/programs.ts';
import type { ReaderResource } from '@flotilla/contract/readers.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { Ago, Moment, Until } from '../../parts/time.tsx';
import { ProgramTabs } from '../add-bot/program-tabs.tsx';
import { Behind, ReaderState } from '../bot/reader-state.tsx';
import { BoundChats } from './bound-chats.tsx';
import { ProgramForm } from './program-form.tsx';
import { ProgramTrouble } from './program-trouble.tsx';
import { useProgramsWords } from './programs-words.ts';
import { Refusals } from './refusals.tsx';
import { Sees } from './sees.tsx';
import { Signing } from './signing.tsx';
import { Tokens } from './tokens.tsx';

type DetailsProps = { program: ProgramResource; reader: ReaderResource | undefined; close: () => void };

/** The filter of a program, its progress, its tokens, and the acts on it. */
export function ProgramDetails({ program, reader, close }: DetailsProps): ReactNode {
  const words = useProgramsWords();
  const { mode, last_polled_at: polledAt } = program;
  return (
    <Inspector title={program.name} close={close}>
      <Facts
        rows={[
          ...(reader ? [[words.facts.state, <ReaderState key="state" state={reader.state} isProgram />] as const] : []),
          [words.facts.mode, words.facts.modes[mode]],
          [words.facts.sees, <Sees key="sees" program={program} where="details" />],
          ...(reader ? [[words.facts.progress, <Behind key="progress" reader={reader} />] as const] : []),
          ...(reader?.failing_since
            ? [[words.facts.failingSince, <Moment key="since" at={reader.failing_since} />] as const]
            : []),
          ...(reader?.next_probe_at
            ? [[words.facts.nextProbe, <Until key="probe" at={reader.next_probe_at} />] as const]
            : []),
          ...(mode === 'push' ? [[words.facts.url, <bdi key="url">{program.backend_url}</bdi>] as const] : []),
          ...(polledAt
            ? [
                [
                  words.facts.polled,
                  <Polled key="polled" at={polledAt} by={reader?.last_polled_by} program={program} />,
                ] as const,
              ]
            : []),
          [words.facts.added, <Moment key="added" at={program.created_at} />],
        ]}
      />
      <ProgramTrouble program={program} />
      <Acts program={program} deleted={close} />
      <Tokens program={program} />
      <BoundChats program={program} />
      <Refusals program={program} />
      {mode === 'push' && <Signing program={program} />}
      <details className="connect">
        <summary>{words.connect}</summary>
        <ProgramTabs polls={mode === 'pull'} />
      </details>
    </Inspector>
  );
}

/** At first, the api says when the program was added. */
const FIRST_MS = 3_000;

function Polled({ at, by, program }: { at: string; by: string | undefined; program: ProgramResource }): ReactNode {
  const words = useProgramsWords();
  if (by === undefined && Date.parse(at) - Date.parse(program.created_at) < FIRST_MS) return words.facts.notYet;
  return (
    <>
      <Ago at={at} /> {by && <bdi className="muted">{by}</bdi>}
    </>
  );
}

function Acts({ program, deleted }: { program: ProgramResource; deleted: () => void }): ReactNode {
  const words = useProgramsWords();
  const queries = useQueryClient();
  const [over, setOver] = useState<'edit' | 'delete' | null>(null);
  const closeOver = () => setOver(null);
  const { id, name, enabled } = program;
  const changed = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ['programs'] }),
      queries.invalidateQueries({ queryKey: ['readers'] }),
    ]);
  const toggle = useMutation({
    mutationFn: () => call('toggleProgram', { id, enabled: !enabled }),
    onSuccess: changed,
  });
  const remove = useMutation({
    mutationFn: () => call('deleteProgram', { id }),
    onSuccess: async () => {
      await changed();
      deleted();
    },
  });
  return (
    <>
      {toggle.isError && <Failure error={toggle.error} />}
      <div className="actions apart">
        <Button onClick={() => toggle.mutate()} busy={toggle.isPending}>
          {enabled ? words.pause : words.resume}
        </Button>
        <Button onClick={() => setOver('edit')}>{words.edit}</Button>
        <Button onClick={() => setOver('delete')}>{words.remove}</Button>
      </div>
      {over === 'edit' && <ProgramForm program={program} saved={changed} close={closeOver} />}
      {over === 'delete' && (
        <Confirm
          title={words.removeTitle(name)}
          description={words.removeHint}
          act={words.removeAct}
          danger
          run={() => remove.mutate()}
          close={closeOver}
          busy={remove.isPending}
          error={remove.error}
        />
      )}
    </>
  );
}
