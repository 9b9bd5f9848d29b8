import type { ReactNode } from 'react';
import { callPage } from '../../call.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { given } from '../../parts/filters.tsx';
import { useRowKeys } from '../../parts/row-keys.ts';
import { usePages } from '../../parts/use-pages.ts';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import { useWords } from '../../words/words.tsx';
import { type FoundMessage, foundColumns } from './found-columns.tsx';
import { inputsOf, type SearchAddress } from './search-address.ts';

const PAGE = 100;

/** Messages and notes with all the words, newest first; of one chat without words, all that the filters leave. */
export function Found({ address }: { address: SearchAddress }): ReactNode {
  const words = useWords();
  const { q, bot, chat } = address;
  const isOneChat = bot !== undefined && chat !== undefined;
  const found = usePages<FoundMessage>(['found', address], (page, signal) => findMessages(address, page, signal));
  useRowKeys('.table-body a');
  // While there are more pages, the api may not have counted them all.
  const isAtLeast = q !== undefined && found.hasNextPage;
  const count = isAtLeast ? words.search.atLeast : words.search.count;
  return (
    <section aria-label={words.search.results} className="found">
      <div className="found-tools">
        <p role="status" className="muted">
          {found.data && count(Math.max(found.total, found.rows.length))}
        </p>
        {isOneChat && <Exports address={{ ...address, bot, chat }} />}
      </div>
      {found.isError && <Failure error={found.error} retry={() => void found.refetch()} />}
      {found.data && found.rows.length === 0 && <Empty title={words.search.nothing} hint={words.search.nothingHint} />}
      {(found.rows.length > 0 || found.isPending) && (
        <VirtualTable
          label={words.search.results}
          of={address}
          columns={foundColumns(words, { withChat: !isOneChat, withBot: bot === undefined })}
          total={found.isPending ? 8 : found.rows.length}
          rowAt={(index) => found.rows[index]}
          keyOf={({ bot_id, chat_id, business_connection_id: connection, id, note }) =>
            `${bot_id} ${chat_id} ${connection ?? ''} ${note ? 'note ' : ''}${id}`
          }
          shows={found.shows}
          stale={found.isPending || found.isPlaceholderData}
        />
      )}
    </section>
  );
}

function findMessages(address: SearchAddress, page: { before?: string }, signal: AbortSignal) {
  const { q, bot, chat } = address;
  const inputs = { ...given({ bot_id: bot, chat_id: chat }), ...inputsOf(address), ...page, limit: PAGE };
  return q === undefined
    ? callPage('listMessages', { ...inputs, bot_id: bot!, chat_id: chat! }, signal)
    : callPage('searchMessages', { ...inputs, q, notes: true }, signal);
}

type ChatAddress = SearchAddress & { bot: string; chat: string };

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
