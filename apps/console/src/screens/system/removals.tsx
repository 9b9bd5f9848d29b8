import type { SystemResource } from '@flotilla/contract/system.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Clock, useNumber } from '../../parts/time.tsx';
import { useSystemWords } from './system-words.ts';

type Waiting = NonNullable<SystemResource['removals_waiting']>[number];

/** The rows that retention would remove, and does not until somebody confirms it. */
export function Removals({ waiting }: { waiting: Waiting[] }): ReactNode {
  const words = useSystemWords().removals;
  const number = useNumber();
  const [asked, setAsked] = useState<Waiting | null>(null);
  if (waiting.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="removals">
      <h2 id="removals">{words.title}</h2>
      <p className="muted">{words.hint}</p>
      <ul>
        {waiting.map((one) => (
          <li key={one.table}>
            <code>{one.table}</code>: {words.rows(number(one.rows))} <Clock at={one.before} />{' '}
            <Button onClick={() => setAsked(one)}>{words.act}</Button>
          </li>
        ))}
      </ul>
      {asked && <Ask removal={asked} close={() => setAsked(null)} />}
    </section>
  );
}

function Ask({ removal: { table, rows }, close }: { removal: Waiting; close: () => void }): ReactNode {
  const words = useSystemWords().removals;
  const number = useNumber();
  const queries = useQueryClient();
  const confirm = useMutation({
    mutationFn: () => call('confirmRemoval', { table, rows }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['system'] });
      close();
    },
  });
  return (
    <Confirm
      title={words.question(table, number(rows))}
      description={words.forEver}
      act={words.act}
      danger
      run={confirm.mutate}
      close={close}
      busy={confirm.isPending}
      error={confirm.error}
    />
  );
}
