import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { call } from '../call.ts';
import { noteOutage } from '../outage.ts';
import { Icon } from '../parts/icon.tsx';
import { useOutage } from '../parts/use-outage.ts';
import { useWords } from '../words/words.tsx';

const ASK_EVERY_MS = 3_000;

/** Says what is away, asks until all of it is back, and then brings the page up to date. */
export function OutageBar(): ReactNode {
  const outage = useOutage();
  return outage !== null && <Bar outage={outage} />;
}

function Bar({ outage }: { outage: NonNullable<ReturnType<typeof useOutage>> }): ReactNode {
  const { outages: words } = useWords();
  const queries = useQueryClient();
  const probe = useQuery({
    queryKey: ['outage'],
    // It needs the api, the session in Redis, and Postgres.
    queryFn: ({ signal }) => call('listDeliveries', { state: 'dead', limit: 1 }, signal),
    refetchInterval: ASK_EVERY_MS,
    refetchIntervalInBackground: true,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  useEffect(() => {
    if (!probe.isSuccess || probe.isFetching) return;
    noteOutage(null);
    void queries.invalidateQueries();
  }, [probe.isSuccess, probe.isFetching, queries]);
  return (
    <div role="status" className="outage">
      <Icon name="warning" />
      <p>
        {words[outage]} <span className="muted">{words.trying}</span>
      </p>
    </div>
  );
}
