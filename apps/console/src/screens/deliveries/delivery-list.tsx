import type { DeliveryResource } from '@flotilla/contract/deliveries.ts';
import type { ReactNode } from 'react';
import { useShortcuts } from '../../keys.ts';
import { useRowKeys } from '../../parts/row-keys.ts';
import { Ago, Until, useNumber } from '../../parts/time.tsx';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { BotName } from './act-on-letters.tsx';
import { useDeliveriesWords } from './deliveries-words.ts';
import type { DeliveryFilter, DeliveryState } from './delivery-filter.ts';
import type { useDeliveries } from './use-deliveries.ts';

type ListProps = {
  /** The filter. */
  of: DeliveryFilter;
  state: DeliveryState;
  deliveries: ReturnType<typeof useDeliveries>;
  selected: ReadonlySet<number>;
  select: (id: number, on: boolean) => void;
  /** Asks to send again what is selected, or else this letter. */
  redrive: (id: number | undefined) => void;
  open: (delivery: DeliveryResource) => void;
  opened: DeliveryResource | null;
  ofOneBot: boolean;
};

/** The deliveries that match; dead letters can be selected, also with `x`, and sent again with `r`. */
export function DeliveryList(props: ListProps): ReactNode {
  const { of, state, deliveries, selected, select, redrive, opened } = props;
  const words = useDeliveriesWords();
  const number = useNumber();
  const { head, total, rowAt, shows } = deliveries;
  useRowKeys('.deliveries .table-body .row-link');
  useShortcuts({
    x: () => {
      const id = focusedLetter();
      if (id !== undefined) select(id, !selected.has(id));
    },
    r: () => redrive(opened?.id ?? focusedLetter()),
  });
  const columns = columnsOf(props, words, number).filter(({ name }) => isShown(name, props));
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

function focusedLetter(): number | undefined {
  const { letter } = (document.activeElement as HTMLElement | null)?.dataset ?? {};
  return letter === undefined ? undefined : Number(letter);
}

function isShown(column: string, { state, ofOneBot }: ListProps): boolean {
  if (column === 'select-cell') return state === 'dead';
  return column !== 'bot-cell' || !ofOneBot;
}

function keyOf({ id, bot_id: bot, reader, update_id: update }: DeliveryResource): string {
  return id === undefined ? `${bot} ${reader} ${update}` : String(id);
}

function columnsOf(
  { state, selected, select, open, opened }: ListProps,
  words: ReturnType<typeof useDeliveriesWords>,
  number: (n: number) => string,
): Column<DeliveryResource>[] {
  const { columns } = words;
  return [
    {
      name: 'select-cell',
      title: '',
      width: '1.5rem',
      cell: ({ id, update_id: update }) =>
        id !== undefined && (
          <input
            type="checkbox"
            aria-label={words.select(String(update))}
            checked={selected.has(id)}
            onChange={(event) => select(id, event.target.checked)}
          />
        ),
    },
    { name: 'bot-cell', title: columns.bot, width: 'minmax(6rem, 1.2fr)', cell: (row) => <BotName id={row.bot_id} /> },
    {
      name: 'reader-cell',
      title: columns.reader,
      width: 'minmax(5rem, 0.6fr)',
      cell: ({ reader, program_name: program }) => <bdi className="cut">{program ?? words.readers[reader]}</bdi>,
    },
    {
      name: 'update-cell',
      title: columns.update,
      width: '7.5rem',
      cell: (row) => (
        <button
          type="button"
          className="row-link"
          data-letter={row.id}
          aria-expanded={opened !== null && keyOf(opened) === keyOf(row)}
          onClick={() => open(row)}
        >
          {row.update_id}
        </button>
      ),
    },
    {
      name: 'reason-cell',
      title: columns.reason,
      width: 'minmax(8rem, 1fr)',
      cell: ({ reason_code: code, last_status: status }) => (
        <span className="cut" title={words.reasonHints[code]}>
          {words.reasons[code]} {status !== undefined && <b>{status}</b>}
        </span>
      ),
    },
    {
      name: 'error-cell',
      title: columns.error,
      width: 'minmax(7rem, 2.6fr)',
      cell: ({ last_error: error }) => (
        <span className="muted cut" title={error}>
          {error}
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
      width: '8rem',
      end: true,
      cell: ({ dead_at: died, next_attempt_at: next }) => (
        <span className="muted">{died ? <Ago at={died} /> : next && <Until at={next} />}</span>
      ),
    },
  ];
}
