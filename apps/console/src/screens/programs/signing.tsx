import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { useWords } from '../../words/words.tsx';
import { useProgramsWords } from './programs-words.ts';

type Act = 'enable' | 'rotate' | 'remove';

/** The signing of deliveries to a program: a secret is made, replaced or removed, and shown once. */
export function Signing({ program }: { program: ProgramResource }): ReactNode {
  const words = useProgramsWords().signing;
  const { once } = useWords();
  const [asking, setAsking] = useState<Act | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const isOn = program.signing_enabled;
  const acts = isOn ? (['rotate', 'remove'] as const) : (['enable'] as const);
  return (
    <section className="signing" aria-labelledby="signing">
      <h3 id="signing">{words.title}</h3>
      <p className="muted">{isOn ? words.on : words.off}</p>
      <div className="actions apart">
        {acts.map((act) => (
          <Button key={act} onClick={() => setAsking(act)}>
            {words.acts[act]}…
          </Button>
        ))}
      </div>
      {asking !== null && (
        <Ask key={asking} act={asking} program_id={program.id} close={() => setAsking(null)} made={setSecret} />
      )}
      {secret !== null && (
        <ShownOnce title={words.secret} description={once.hint} secret={secret} close={() => setSecret(null)} />
      )}
    </section>
  );
}

type AskProps = { act: Act; program_id: number; close: () => void; made: (secret: string) => void };

function Ask({ act, program_id, close, made }: AskProps): ReactNode {
  const words = useProgramsWords().signing;
  const queries = useQueryClient();
  const change = useMutation({
    // The result stays here: a cache of results would keep the secret.
    mutationFn: async () => {
      if (act === 'remove') await call('removeProgramSigning', { program_id });
      else made((await call('rotateProgramSigning', { program_id })).signing_secret);
    },
    onSuccess: () => {
      close();
      void queries.invalidateQueries({ queryKey: ['programs'] });
    },
  });
  return (
    <Confirm
      title={words.titles[act]}
      description={words.hints[act]}
      act={words.acts[act]}
      run={() => change.mutate()}
      close={close}
      busy={change.isPending}
      error={change.error}
    />
  );
}
