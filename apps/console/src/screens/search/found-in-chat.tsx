import type { ReactNode } from 'react';
import { callPage } from '../../call.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { given } from '../../parts/filters.tsx';
import { useRowKeys } from '../../parts/row-keys.ts';
import { usePages } from '../../parts/use-pages.ts';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import { useWords } from '../../words/words.tsx';
import { type Found, foundColumns } from './found-columns.tsx';
import { inputsOf, type SearchAddress } from './search-address.ts';

const PAGE = 100;

type ChatAddress = SearchAddress & { bot: string; chat: string };

/** The messages of one chat: those with all the words, or without words all that the filters leave, newest first. */
export function FoundInChat({ address }: { address: ChatAddress }): ReactNode {
  const words = useWords();
  const { q, bot, chat } = address;
  const inputs = { bot_id: bot, chat_id: chat, ...inputsOf(address), limit: PAGE };
  const found = usePages<Found>(['found', address], (page, signal) =>
    q === undefined
      ? callPage('listMessages', { ...inputs, ...page }, signal)
      : callPage('searchMessages', { ...inputs, ...page, q }, signal),
  );
  useRowKeys('.table-body a');
  return (
    <section aria-label={words.search.results} className="found">
      <div className="found-tools">
        <p role="status" className="muted">
          {found.data && words.search.count(found.total)}
        </p>
        <Exports address={address} />
      </div>
      {found.isError && <Failure error={found.error} retry={() => void found.refetch()} />}
      {found.data && found.rows.length === 0 && <Empty title={words.search.nothing} hint={words.search.nothingHint} />}
      {(found.rows.length > 0 || found.isPending) && (
        <VirtualTable
          label={words.search.results}
          of={address}
          columns={foundColumns(words, q ?? '')}
          total={found.isPending ? 8 : found.rows.length}
          rowAt={(index) => found.rows[index]}
          keyOf={({ id }) => id}
          shows={found.shows}
          stale={found.isPending || found.isPlaceholderData}
        />
      )}
    </section>
  );
}

/** The whole chat as the filters leave it; the api exports without looking at words. */
function Exports({ address }: { address: ChatAddress }): ReactNode {
  const { search: words } = useWords();
  const inputs = given({ bot_id: address.bot, chat_id: address.chat, ...inputsOf(address) });
  const query = (format: string) =>
    new URLSearchParams([...Object.entries(inputs).map(([name, value]) => [name, String(value)]), ['format', format]]);
  return (
    <p className="exports" title={words.exportHint}>
      <span className="muted">{words.export}</span>
      {(['csv', 'ndjson'] as const).map((format) => (
        <a key={format} href={`/api/messages/export?${query(format)}`} download>
          {format.toUpperCase()}
        </a>
      ))}
    </p>
  );
}
