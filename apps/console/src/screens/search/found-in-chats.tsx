import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { callPage } from '../../call.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useRowKeys } from '../../parts/row-keys.ts';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import { useWords } from '../../words/words.tsx';
import { type Found, foundColumns } from './found-columns.tsx';
import { inputsOf, type SearchAddress } from './search-address.ts';

/** The api searches chat by chat; these many of the newest chats are asked. */
const CHATS = 20;
const OF_EACH = 10;
const AT_ONCE = 4;
const NOTHING_TO_LOAD = () => {};

type WordsAddress = SearchAddress & { q: string };
type Answer = { rows: Found[]; total: number; searched: number; chats: number };

/** The messages with all the words in the chats that somebody wrote in last. */
export function FoundInChats({ address }: { address: WordsAddress }): ReactNode {
  const words = useWords();
  const found = useQuery({
    queryKey: ['found', address],
    queryFn: ({ signal }) => searchNewestChats(address, signal),
    placeholderData: keepPreviousData,
  });
  useRowKeys('.table-body a');
  const { rows = [], total = 0, searched = 0, chats = 0 } = found.data ?? {};
  return (
    <section aria-label={words.search.results} className="found">
      <p role="status" className="muted">
        {found.data && `${words.search.count(total)} ${words.search.inChats(searched)}`}
      </p>
      {found.data && chats > searched && <p className="muted">{words.search.chooseChat}</p>}
      {found.isError && <Failure error={found.error} retry={() => void found.refetch()} />}
      {found.data && rows.length === 0 && <Empty title={words.search.nothing} hint={words.search.nothingHint} />}
      {(rows.length > 0 || found.isPending) && (
        <VirtualTable
          label={words.search.results}
          of={address}
          columns={foundColumns(words, address.q, true)}
          total={found.isPending ? 8 : rows.length}
          rowAt={(index) => rows[index]}
          keyOf={({ bot_id: bot, chat_id: chat, id }) => `${bot} ${chat} ${id}`}
          shows={NOTHING_TO_LOAD}
          stale={found.isPending || found.isPlaceholderData}
        />
      )}
    </section>
  );
}

async function searchNewestChats(address: WordsAddress, signal: AbortSignal): Promise<Answer> {
  const { q, bot } = address;
  const where = { order: 'recent', limit: CHATS, ...(bot === undefined ? {} : { bot_id: bot }) } as const;
  const { rows: chats, total: allChats } = await callPage('listChats', where, signal);
  const waiting = [...chats];
  const answer: Answer = { rows: [], total: 0, searched: chats.length, chats: allChats };
  const work = async () => {
    for (let chat = waiting.shift(); chat !== undefined; chat = waiting.shift()) {
      const { id, bot_id: botId, title } = chat;
      const inputs = { bot_id: botId, chat_id: id, q, limit: OF_EACH, ...inputsOf(address) };
      const { rows, total } = await callPage('searchMessages', inputs, signal);
      answer.total += total;
      answer.rows.push(...rows.map((row) => ({ ...row, chatTitle: title ?? String(id) })));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  answer.rows.sort((one, other) => other.date - one.date);
  return answer;
}
