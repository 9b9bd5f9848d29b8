import type { OutboxEntryResource as Entry } from '@flotilla/contract/outbox.ts';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useShortcuts } from '../../keys.ts';
import { BotName } from '../../parts/bot-name.tsx';
import { titleOf } from '../../parts/chat-name.tsx';
import { useRowKeys } from '../../parts/row-keys.ts';
import { Ago } from '../../parts/time.tsx';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { EntryState } from './entry-state.tsx';
import { excerptOf } from './excerpt.ts';
import type { OutboxFilter } from './outbox-filter.ts';
import { type OutboxWords, useOutboxWords } from './outbox-words.ts';
import type { useEntries } from './use-outbox.ts';

type ListProps = {
  filter: OutboxFilter;
  entries: ReturnType<typeof useEntries>;
  selected: ReadonlyMap<number, Entry>;
  select: (entry: Entry, on: boolean) => void;
  /** Of a bot's own view. */
  ofBot: string | undefined;
};

/** The entries that match. They can be selected, also with `x`. */
export function EntryList(props: ListProps): ReactNode {
  const { filter, entries, selected, select, ofBot } = props;
  const words = useOutboxWords();
  useRowKeys('.outbox .table-body .row-link');
  useShortcuts({
    x: () => {
      const id = Number((document.activeElement as HTMLElement | null)?.dataset.entry);
      const entry = entries.rows.find((one) => one.id === id);
      if (entry !== undefined) select(entry, !selected.has(id));
    },
  });
  const columns = columnsOf(props, words).filter(({ name }) => name !== 'bot-cell' || ofBot === undefined);
  return (
    <div className={`entry-table ${ofBot === undefined ? 'of-all' : ''}`}>
      <VirtualTable
        label={words.list}
        of={filter}
        columns={columns}
        total={entries.isPending ? 6 : entries.rows.length}
        rowAt={(index) => entries.rows[index]}
        keyOf={({ id }) => id}
        shows={entries.shows}
        stale={entries.isPending || entries.isPlaceholderData}
      />
    </div>
  );
}

function columnsOf({ selected, select, ofBot }: ListProps, words: OutboxWords): Column<Entry>[] {
  const { columns } = words;
  return [
    {
      name: 'select-cell',
      title: '',
      width: '1.5rem',
      cell: (entry) => (
        <input
          type="checkbox"
          aria-label={words.select(String(entry.id))}
          checked={selected.has(entry.id)}
          onChange={(event) => select(entry, event.target.checked)}
        />
      ),
    },
    { name: 'bot-cell', title: columns.bot, width: 'minmax(5rem, 1fr)', cell: ({ bot_id: id }) => <BotName id={id} /> },
    {
      name: 'chat-cell',
      title: columns.chat,
      width: 'minmax(6rem, 1fr)',
      cell: ({ chat_id: id, chat_title: title }) => <bdi className="cut">{titleOf({ id, title })}</bdi>,
    },
    {
      name: 'what-cell',
      title: columns.what,
      width: 'minmax(9rem, 2fr)',
      cell: (entry) => <What entry={entry} ofBot={ofBot} />,
    },
    {
      name: 'state-cell',
      title: columns.state,
      width: 'minmax(9rem, 2fr)',
      cell: (entry) => <EntryState entry={entry} />,
    },
    {
      name: 'priority-cell',
      title: columns.priority,
      width: '6rem',
      cell: ({ priority }) => <span className="muted">{words.priorities[priority]}</span>,
    },
    {
      name: 'time-cell',
      title: columns.added,
      width: '7.5rem',
      end: true,
      cell: ({ created_at: at }) => (
        <span className="muted">
          <Ago at={at} />
        </span>
      ),
    },
  ];
}

/** Is not said of each message. */
const MOST_SENT = 'sendMessage';

/** Opens the entry beside the list. */
function What({ entry, ofBot }: { entry: Entry; ofBot: string | undefined }): ReactNode {
  const words = useOutboxWords();
  const { entry: opened } = useParams({ strict: false });
  const id = String(entry.id);
  const own = {
    ...{ className: 'row-link', 'data-entry': id, 'aria-expanded': opened === id },
    ...({ search: true, resetScroll: false } as const),
  };
  const face = (
    <>
      <bdi className="cut">{excerptOf(entry, words)}</bdi>{' '}
      {entry.method !== MOST_SENT && <small className="muted">{entry.method}</small>}
    </>
  );
  if (ofBot === undefined) {
    return (
      <Link {...own} to="/outbox/$entry" params={{ entry: id }}>
        {face}
      </Link>
    );
  }
  return (
    <Link {...own} to="/bots/$id/outbox/$entry" params={{ id: ofBot, entry: id }}>
      {face}
    </Link>
  );
}
