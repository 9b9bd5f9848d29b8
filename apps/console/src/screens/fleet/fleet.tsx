import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { Failure } from '../../parts/failure.tsx';
import { useSavedViews } from '../../parts/saved-views.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { REFRESH_MS } from '../../queries.ts';
import { seesWholeFleet, useSession } from '../../session.tsx';
import { useWords } from '../../words/words.tsx';
import { Activity } from '../activity/activity.tsx';
import { type Range, useActivity } from '../activity/use-activity.ts';
import { Attention, useAttention } from './attention.tsx';
import { BotList } from './bot-list.tsx';
import { Figures } from './figures.tsx';
import type { FleetFilter } from './fleet-filter.ts';
import { LabelTabs, StateTabs } from './state-tabs.tsx';
import './fleet.css';

const route = getRouteApi('/');

/** All bots that the account sees, first those that need somebody. */
export function Fleet(): ReactNode {
  const words = useWords();
  const filter = route.useSearch();
  const { account } = useSession();
  useTitle(words.fleet.title);
  const fleet = useQuery({
    queryKey: ['fleet'],
    queryFn: ({ signal }) => call('showFleet', {}, signal),
    refetchInterval: REFRESH_MS,
  });
  const range = filter.range ?? 'hour';
  const isAdmin = account.role === 'admin';
  const activity = useActivity(null, range, isAdmin);
  // The upper part comes first: it would push away the lower one.
  const views = useSavedViews('fleet');
  const attention = useAttention(fleet.data, filter);
  const isPending = fleet.isPending || views.isPending || (isAdmin && activity.isPending) || attention.isAwaited;
  const [isBegun, begin] = useState(false);
  // What begins to fail later must not take the page away.
  if (!isPending && !isBegun) begin(true);
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
      {fleet.data && hasBots && isBegun && <Figures fleet={fleet.data} range={range} />}
      {isBegun && <Attention {...attention} />}
      {isAdmin && hasBots && isBegun && <FleetActivity range={filter.range} />}
      {isBegun && (
        <section aria-labelledby="bots">
          <h2 id="bots" className="unseen">
            {words.fleet.list}
          </h2>
          {hasBots && <StateTabs fleet={fleet.data} filter={filter} />}
          {hasBots && <LabelTabs fleet={fleet.data} filter={filter} />}
          <BotList filter={filter} />
        </section>
      )}
    </div>
  );
}

/** The activity of the fleet is a second question; the bots come first. */
function FleetActivity({ range }: { range: Range | undefined }): ReactNode {
  const { chart: words } = useWords();
  const navigate = useNavigate({ from: '/' });
  const show = (chosen: Range | undefined) =>
    void navigate({
      search: ({ range: _, ...others }: FleetFilter) => (chosen === undefined ? others : { ...others, range: chosen }),
      replace: true,
      resetScroll: false,
    });
  return (
    <details
      open={range !== undefined}
      onToggle={({ currentTarget: { open } }) => open !== (range !== undefined) && show(open ? 'hour' : undefined)}
    >
      <summary>{words.title}</summary>
      {range !== undefined && <Activity botId={null} range={range} choose={show} />}
    </details>
  );
}
