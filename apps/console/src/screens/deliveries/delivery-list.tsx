import type { DeliveryResource } from '@flotilla/contract/deliveries.ts';
import type { ReactNode } from 'react';
import { useShortcuts } from '../../keys.ts';
import { BotName } from '../../parts/bot-name.tsx';
import { useRowKeys } from '../../parts/row-keys.ts';
import { Ago, Until, useNumber } from '../../parts/time.tsx';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { AttemptOutcome } from '../bot/attempt-outcome.tsx';
import { useDeliveriesWords } from './deliveries-words.ts';
import type { DeliveryFilter, DeliveryState } from './delivery-filter.ts';
import { keyOf, type Selected } from './selected.ts';
import type { useDeliveries } from './use-deliveries.ts';
import type { Trials } from './use-trials.ts';

type ListProps = {
  /** The filter. */
  of: DeliveryFilter;
  state: DeliveryState;
  deliveries: ReturnType<typeof useDeliveries>;
  selected: Selected;
  select: (row: DeliveryResource, on: boolean) => void;
  /** Asks to send again what is selected, or else this one. */
  sendAgain: (row: DeliveryResource | undefined) => void;
  /** The attempts that somebody has asked for here. */
  trials: Trials;
  open: (delivery: DeliveryResource) => void;
  opened: DeliveryResource | null;
  ofOneBot: boolean;
};

/** The deliveries that match; they can be selected, also with `x`, and sent again with `r`. */
export function DeliveryList(props: ListProps): ReactNode {
  const { of, state, deliveries, selected, select, sendAgain, opened, ofOneBot } = props;
  const words = useDeliveriesWords();
  const number = useNumber();
  const { head, total, rowAt, shows } = deliveries;
  useRowKeys('.deliveries .table-body .row-link');
  useShortcuts({
    x: () => {
      const row = focusedRow(deliveries);
      if (row !== undefined) select(row, !selected.has(keyOf(row)));
    },
    r: () => sendAgain(opened ?? focusedRow(deliveries)),
  });
  const columns = columnsOf(props, words, number).filter(({ name }) => name !== 'bot-cell' || !ofOneBot);
  return (
    <div className={`delivery-table ${state}`}>
      <VirtualTable
        label={words.list}
        of={of}
        columns={columns}
        total={head.isPending ? 6 : total}
        rowAt={rowAt}
        keyOf={keyOf}
        shows={shows}
        stale={head.isPending || head.isPlaceholderData}
      />
    </div>
  );
}

function focusedRow({ total, rowAt }: ListProps['deliveries']): DeliveryResource | undefined {
  const { delivery } = (document.activeElement as HTMLElement | null)?.dataset ?? {};
  for (let index = 0; delivery !== undefined && index < total; index += 1) {
    const row = rowAt(index);
    if (row !== undefined && keyOf(row) === delivery) return row;
  }
  return undefined;
}

function columnsOf(
  { state, selected, select, open, opened, trials }: ListProps,
  words: ReturnType<typeof useDeliveriesWords>,
  number: (n: number) => string,
): Column<DeliveryResource>[] {
  const { columns } = words;
  return [
    {
      name: 'select-cell',
      title: '',
      width: '1.5rem',
      cell: (row) => (
        <input
          type="checkbox"
          aria-label={words.select(String(row.update_id))}
          checked={selected.has(keyOf(row))}
          onChange={(event) => select(row, event.target.checked)}
        />
      ),
    },
    {
      name: 'update-cell',
      title: columns.update,
      width: 'minmax(9rem, 2.4fr)',
      cell: (row) => (
        <button
          type="button"
          className="row-link"
          data-delivery={keyOf(row)}
          aria-expanded={opened !== null && keyOf(opened) === keyOf(row)}
          onClick={() => open(row)}
        >
          <About row={row} />
        </button>
      ),
    },
    { name: 'bot-cell', title: columns.bot, width: 'minmax(6rem, 1fr)', cell: (row) => <BotName id={row.bot_id} /> },
    {
      name: 'reader-cell',
      title: columns.reader,
      width: 'minmax(5rem, 0.7fr)',
      cell: ({ reader, program_name: program }) => <bdi className="cut">{program ?? words.readers[reader]}</bdi>,
    },
    {
      name: 'reason-cell',
      title: columns.reason,
      width: 'minmax(8rem, 1.4fr)',
      cell: ({ reason_code: code, last_status: status, last_error: error }) => (
        <span className="cut" title={`${words.reasonHints[code]} ${error}`}>
          {words.reasons[code]} {status !== undefined && <b>{status}</b>}
        </span>
      ),
    },
    {
      name: 'attempts-cell',
      title: columns.attempts,
      width: '5.5rem',
      end: true,
      cell: ({ attempts }) => number(attempts),
    },
    {
      name: 'time-cell',
      title: state === 'dead' ? columns.died : columns.next,
      width: '9rem',
      end: true,
      cell: (row) => <Next row={row} trials={trials} />,
    },
  ];
}

/** Who wrote it and what; its number where neither is known. */
function About({ row: { update_id: id, person_name: person, excerpt, kind } }: { row: DeliveryResource }): ReactNode {
  return (
    <span className="cut about">
      {person && <bdi className="person">{person}</bdi>}{' '}
      {excerpt ? <bdi className="muted">{excerpt}</bdi> : <span className="muted">{kind ?? ''}</span>}{' '}
      <span className="muted number">{id}</span>
    </span>
  );
}

/** When it is tried next or was given up; of an attempt that somebody has asked for, how it ended. */
function Next({ row, trials }: { row: DeliveryResource; trials: Trials }): ReactNode {
  const { trying } = useDeliveriesWords();
  const trial = trials.get(keyOf(row));
  if (trial === 'pending') {
    return (
      <span role="status" className="trying">
        {trying}
      </span>
    );
  }
  if (trial !== undefined) return <AttemptOutcome attempt={trial} />;
  const { dead_at: died, next_attempt_at: next } = row;
  return <span className="muted">{died ? <Ago at={died} /> : next && <Until at={next} />}</span>;
}
