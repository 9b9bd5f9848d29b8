import type { DeliveryResource } from '@flotilla/contract/deliveries.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { useToast } from '../../parts/undo-toast.tsx';
import { useDeliveriesWords } from './deliveries-words.ts';
import { callsFor } from './selected.ts';

type SkipProps = { rows: readonly DeliveryResource[]; close: () => void; done: () => void };

/** Gives up updates that are retried; they stay among the failed deliveries. */
export function SkipDeliveries({ rows, close, done }: SkipProps): ReactNode {
  const { skip: words } = useDeliveriesWords();
  const queries = useQueryClient();
  const toast = useToast();
  const skip = useMutation({
    mutationFn: () => Promise.all(callsFor(rows).map((some) => call('skipDeliveries', some))),
    onSuccess: (answers) => {
      void queries.invalidateQueries({ queryKey: ['deliveries'] });
      toast({ text: words.done(answers.reduce((sum, answer) => sum + answer.done, 0)) });
      done();
    },
  });
  return (
    <Confirm
      title={words.title(rows.length)}
      description={words.hint}
      act={words.submit}
      run={skip.mutate}
      close={close}
      busy={skip.isPending}
      error={skip.error}
    />
  );
}
