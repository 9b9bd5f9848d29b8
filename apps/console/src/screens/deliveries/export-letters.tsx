import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useNumber } from '../../parts/time.tsx';
import { useDeliveriesWords } from './deliveries-words.ts';
import type { conditionsOf, DeliveryState } from './delivery-filter.ts';

const PAGE = 200;
/** More than that is held in memory by no page. */
const AT_MOST = 10_000;

type ExportProps = { state: DeliveryState; conditions: ReturnType<typeof conditionsOf>; total: number };

/** Saves all that the filter matches as a file. */
export function ExportLetters({ state, conditions, total }: ExportProps): ReactNode {
  const words = useDeliveriesWords();
  const number = useNumber();
  const [loaded, setLoaded] = useState(0);
  const exporting = useMutation({
    mutationFn: async () => {
      const rows = [];
      for (let offset = 0; offset < AT_MOST; offset += PAGE) {
        const page = await call('listDeliveries', { ...conditions, state, limit: PAGE, offset });
        rows.push(...page);
        setLoaded(rows.length);
        if (page.length < PAGE) break;
      }
      save(`deliveries-${state}.json`, JSON.stringify(rows, null, 2));
    },
    onSettled: () => setLoaded(0),
  });
  return (
    <>
      <Button onClick={() => exporting.mutate()} busy={exporting.isPending}>
        {exporting.isPending ? words.exporting(number(loaded)) : words.exportJson}
      </Button>
      {exporting.isSuccess && total > AT_MOST && <p role="status">{words.exportedFirst(number(AT_MOST))}</p>}
      {exporting.isError && <Failure error={exporting.error} />}
    </>
  );
}

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
