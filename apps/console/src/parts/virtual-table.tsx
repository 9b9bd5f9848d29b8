import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { usePreferences } from '../preferences.tsx';
import { ChangedRows } from './changed-rows.tsx';
import { useMedia } from './media.ts';
import { useHeldRows } from './use-held-rows.ts';

export type Column<Row> = {
  name: string;
  title: string;
  /** A width of a CSS grid. */
  width: string;
  /** Numbers stand at the end. */
  end?: true;
  /** Its corner in the card that a narrow screen shows for a row. */
  card?: 'top-start' | 'top-end' | 'bottom-start' | 'bottom-end';
  /** The list can be sorted by this column; the order of the whole list is the matter of who shows it. */
  sort?: { order: 'ascending' | 'descending'; active: boolean; toggle: () => void };
  cell: (row: Row) => ReactNode;
};

type TableProps<Row> = {
  label: string;
  /** The filter and the order: with others it is another list, whose rows are shown at once. */
  of?: unknown;
  /** Whoever shows the list keeps its rows from moving under the pointer. */
  isHeld?: true;
  columns: readonly Column<Row>[];
  total: number;
  /** Undefined while the row is on its way. */
  rowAt: (index: number) => Row | undefined;
  keyOf: (row: Row) => string | number;
  /** Told which rows are on the screen. */
  shows: (first: number, last: number) => void;
  stale: boolean;
  /** Rows are as high as their text, which wraps. */
  wraps?: true;
};

const ROW_PX = 52;
const COMPACT_PX = 36;
const CARD_PX = 76;
/** Rows beyond the screen, which the keyboard and searches of the browser reach; a long list keeps the page small. */
const OVERSCAN = 8;
const OVERSCAN_OF_LONG = 2;
const LONG = 100;
const NARROW = '(max-width: 40rem)';

/** A long list of which only the rows on the screen are in the page; narrow screens get a card for each row. */
export function VirtualTable<Row>(props: TableProps<Row>): ReactNode {
  const { compact } = usePreferences();
  const rowPx = useMedia(NARROW) ? CARD_PX : compact ? COMPACT_PX : ROW_PX;
  return <Table key={rowPx} {...props} rowPx={rowPx} />;
}

function Table<Row>(props: TableProps<Row> & { rowPx: number }): ReactNode {
  const { label, columns, keyOf, shows, stale, isHeld, rowPx, wraps } = props;
  const held = useHeldRows(props);
  const { total, rowAt } = isHeld ? props : held;
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  // The content above the table grows and shrinks. Measuring forces a layout, so it is not done while new rows are loading.
  useLayoutEffect(() => {
    if (stale && top > 0) return;
    const offset = Math.round((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
    setTop((known) => (known === offset ? known : offset));
  });
  const rows = useWindowVirtualizer({
    count: total,
    estimateSize: () => rowPx,
    overscan: total > LONG ? OVERSCAN_OF_LONG : OVERSCAN,
    scrollMargin: top,
  });
  const sizes = { '--columns': columns.map(({ width }) => width).join(' '), '--row': `${rowPx}px` } as CSSProperties;
  const items = rows.getVirtualItems();
  const [first, last] = [items[0]?.index, items.at(-1)?.index];
  useEffect(() => {
    // Before the window is measured it shows no row.
    if (first !== undefined && last !== undefined) shows(first, last);
  }, [shows, first, last]);
  const table = (
    <div
      role="table"
      aria-label={label}
      aria-rowcount={total + 1}
      aria-busy={stale}
      className={`table ${wraps ? 'wraps' : ''}`}
      style={sizes}
    >
      <div role="rowgroup" className="table-head">
        <div role="row" aria-rowindex={1} className="row">
          {columns.map(({ name, title, end, sort }) => (
            <div
              key={name}
              role="columnheader"
              aria-sort={sort?.active ? sort.order : undefined}
              className={`${name} ${end ? 'end' : ''}`}
            >
              {sort === undefined ? title : <SortButton title={title} {...sort} />}
            </div>
          ))}
        </div>
      </div>
      <div ref={body} role="rowgroup" className="table-body" style={{ height: rows.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rowAt(index);
          return (
            <div
              key={row === undefined ? `at-${index}` : keyOf(row)}
              role="row"
              aria-rowindex={index + 2}
              data-index={index}
              ref={wraps && rows.measureElement}
              className="row"
              style={{ transform: `translateY(${start - top}px)` }}
            >
              {columns.map((column) => (
                <div
                  key={column.name}
                  role="cell"
                  className={`cell ${column.name} ${column.end ? 'end' : ''} ${column.card ? `card-${column.card}` : ''}`}
                >
                  {row === undefined ? <span className="shape" /> : column.cell(row)}
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
  if (isHeld) return table;
  return (
    <div {...held.area}>
      <div className="changed-place">
        <ChangedRows held={held} />
      </div>
      {table}
    </div>
  );
}

function SortButton({
  title,
  order,
  active,
  toggle,
}: { title: string } & NonNullable<Column<never>['sort']>): ReactNode {
  return (
    <button type="button" className="sort" onClick={toggle}>
      {title}
      <span aria-hidden="true">{active ? (order === 'ascending' ? '▲' : '▼') : ''}</span>
    </button>
  );
}
