import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import type { Act } from './act-on-letters.tsx';
import { useDeliveriesWords } from './deliveries-words.ts';
import type { conditionsOf, DeliveryState } from './delivery-filter.ts';
import { ExportLetters } from './export-letters.tsx';

type ToolsProps = {
  state: DeliveryState;
  total: number;
  selected: number;
  unselect: () => void;
  conditions: ReturnType<typeof conditionsOf>;
  askFor: (name: Act) => void;
  tryNow: () => void;
  skip: () => void;
};

/** The acts on the selected deliveries; of failed deliveries, else on all that match. */
export function DeliveryTools(props: ToolsProps): ReactNode {
  const { state, total, selected, unselect, conditions, askFor, tryNow, skip } = props;
  const words = useDeliveriesWords();
  return (
    <div className="delivery-tools">
      <p role="status" className="muted">
        {selected > 0 ? words.selected(selected) : words.found(total)}
      </p>
      {selected > 0 && (
        <Button kind="quiet" onClick={unselect}>
          {words.unselect}
        </Button>
      )}
      <span className="gap" />
      {state === 'dead' && total > 0 && (
        <>
          <Button kind="primary" onClick={() => askFor('redrive')}>
            {selected > 0 ? words.sendSelected(selected) : words.sendAll(total)}
          </Button>
          <Button onClick={() => askFor('discard')}>{words.discard}</Button>
        </>
      )}
      {state === 'retrying' && selected > 0 && (
        <>
          <Button kind="primary" onClick={tryNow}>
            {words.tryRowsNow(selected)}
          </Button>
          <Button onClick={skip}>{words.skip.open}</Button>
        </>
      )}
      {total > 0 && <ExportLetters state={state} conditions={conditions} total={total} />}
    </div>
  );
}
