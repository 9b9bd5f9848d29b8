import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { Failure } from '../../parts/failure.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { REFRESH_MS } from '../../queries.ts';
import { seesWholeFleet, useSession } from '../../session.tsx';
import { useWords } from '../../words/words.tsx';
import { Activity } from '../activity/activity.tsx';
import { Attention } from './attention.tsx';
import { BotList } from './bot-list.tsx';
import { Figures } from './figures.tsx';
import { StateTabs } from './state-tabs.tsx';
import './fleet.css';

const route = getRouteApi('/');

/** All bots that the account sees, first those that need somebody. */
export function Fleet(): ReactNode {
  const words = useWords();
  const filter = route.useSearch();
  const { account } = useSession();
  const navigate = useNavigate({ from: '/' });
  useTitle(words.fleet.title);
  const fleet = useQuery({
    queryKey: ['fleet'],
    queryFn: ({ signal }) => call('showFleet', {}, signal),
    refetchInterval: REFRESH_MS,
  });
  const canAdd = seesWholeFleet(account);
  const hasBots = Object.values(fleet.data?.states ?? {}).some((count) => count > 0);
  return (
    <div className="fleet">
      <header className="fleet-head">
        <h1>{words.fleet.title}</h1>
        {canAdd && hasBots && (
          <Link to="/bots/add" className="button plain">
            {words.fleet.add}
          </Link>
        )}
      </header>
      {fleet.isError && <Failure error={fleet.error} retry={() => void fleet.refetch()} />}
      {fleet.data && <Figures fleet={fleet.data} range={filter.range ?? 'hour'} />}
      <Attention fleet={fleet.data} />
      {account.role === 'admin' && (
        <Activity
          botId={null}
          range={filter.range ?? 'hour'}
          choose={(range) => void navigate({ search: (others) => ({ ...others, range }), replace: true })}
        />
      )}
      <section aria-labelledby="bots">
        <h2 id="bots" className="unseen">
          {words.fleet.list}
        </h2>
        {hasBots && <StateTabs fleet={fleet.data} filter={filter} />}
        <BotList filter={filter} />
      </section>
    </div>
  );
}
