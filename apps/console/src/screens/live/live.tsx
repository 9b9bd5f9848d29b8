import { useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { callPage } from '../../call.ts';
import { botQuery } from '../../parts/bot-query.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { useWords } from '../../words/words.tsx';
import { BotChoice } from './bot-choice.tsx';
import type { LiveFilter } from './live-filter.ts';
import { LiveFilters } from './live-filters.tsx';
import { LiveList } from './live-list.tsx';
import './live.css';

const route = getRouteApi('/live');
/** Each takes two of the browser's 20 topics. */
const MOST_BOTS = 8;

/** Updates, calls and attempts of the chosen bots as they happen; at first of those that had updates last. */
export function LiveScreen(): ReactNode {
  const words = useWords();
  const filter = route.useSearch();
  const navigate = useNavigate({ from: '/live' });
  useTitle(words.nav.live);
  const { bots, isLoaded, error, retry } = useChosenBots(filter.bots);
  const change = (search: LiveFilter) => void navigate({ search, replace: true });
  const choose = (ids: number[]) => {
    const { bots: _, ...others } = filter;
    change(ids.length === 0 ? others : { ...others, bots: ids.join() });
  };
  return (
    <div className="live-screen">
      <h1>{words.nav.live}</h1>
      {error && <Failure error={error} retry={retry} />}
      {isLoaded && (
        <>
          <BotChoice bots={bots} most={MOST_BOTS} choose={choose} />
          <LiveFilters filter={filter} change={change} />
          {bots.length === 0 ? (
            <Empty title={words.live.noBots} hint={words.live.noBotsHint} />
          ) : (
            <LiveList bots={bots} filter={filter} />
          )}
        </>
      )}
    </div>
  );
}

/** The bots of the address; those that are gone or foreign are left out. */
function useChosenBots(chosen: string | undefined) {
  const latest = useQuery({
    queryKey: ['bots', 'latest', MOST_BOTS],
    queryFn: ({ signal }) => callPage('listBots', { sort: 'last_update', limit: MOST_BOTS }, signal),
    enabled: chosen === undefined,
    // The choice must not change under somebody who watches.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const ids = chosen?.split(',').slice(0, MOST_BOTS) ?? [];
  const named = useQueries({ queries: ids.map(botQuery) });
  if (chosen === undefined) {
    const retry = () => void latest.refetch();
    return { bots: latest.data?.rows ?? [], isLoaded: latest.isSuccess, error: latest.error, retry };
  }
  const bots = named.flatMap(({ data }) => data ?? []);
  return { bots, isLoaded: named.every(({ isPending }) => !isPending), error: null, retry: () => {} };
}
