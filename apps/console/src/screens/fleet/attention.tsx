import type { BotResource, BotState } from '@flotilla/contract/bots.ts';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { callPage } from '../../call.ts';
import { ChangedRows } from '../../parts/changed-rows.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Ago } from '../../parts/time.tsx';
import { useHeldRows } from '../../parts/use-held-rows.ts';
import { REFRESH_MS } from '../../queries.ts';
import { useWords } from '../../words/words.tsx';

/** The states that need somebody, the most urgent first. */
const URGENT = ['open', 'failing', 'not_polled'] as const satisfies readonly BotState[];
const SHOWN_OF_EACH = 3;

/** The first bots of each urgent state, and how many more there are. Healthy fleets show none. */
export function Attention(): ReactNode {
  const { fleet: words } = useWords();
  const lists = useQueries({
    queries: URGENT.map((state) => ({
      queryKey: ['bots', 'urgent', state],
      queryFn: ({ signal }: { signal: AbortSignal }) => callPage('listBots', { state, limit: SHOWN_OF_EACH }, signal),
      refetchInterval: REFRESH_MS,
      placeholderData: keepPreviousData,
    })),
  });
  const lines = URGENT.flatMap((state, at) => linesOf(state, lists[at]?.data));
  const held = useHeldRows({ total: lines.length, rowAt: (index) => lines[index], keyOf, stale: false });
  const shown = Array.from({ length: held.total }, (_, index) => held.rowAt(index)).filter(
    (line) => line !== undefined,
  );
  if (shown.length === 0) return null;
  return (
    <section className="attention" aria-labelledby="attention" {...held.area}>
      <header>
        <h2 id="attention">{words.attention}</h2>
        <ChangedRows held={held} />
      </header>
      <ul>
        {shown.map((line) =>
          'bot' in line ? <UrgentBot key={keyOf(line)} {...line} /> : <More key={keyOf(line)} {...line} />,
        )}
      </ul>
    </section>
  );
}

type Line = { state: BotState; bot: BotResource } | { state: BotState; count: number };

const keyOf = (line: Line) => ('bot' in line ? line.bot.id : line.state);

/** The first bots of a state, and how many more there are. */
function linesOf(
  state: BotState,
  { rows, total }: { rows: BotResource[]; total: number } = { rows: [], total: 0 },
): Line[] {
  const bots = rows.map((bot) => ({ state, bot }));
  return total > rows.length ? [...bots, { state, count: total - rows.length }] : bots;
}

function UrgentBot({ bot, state }: { bot: BotResource; state: BotState }): ReactNode {
  const { fleet: words } = useWords();
  return (
    <li>
      <StateBadge state={state} />
      <Link to="/bots/$id" params={{ id: String(bot.id) }} className="cut">
        {bot.name}
      </Link>
      <span className="cut why" title={bot.last_error}>
        {bot.last_error || (state === 'not_polled' ? words.noUpdates : '')}
      </span>
      <span className="muted since">{bot.last_error_at && <Ago at={bot.last_error_at} />}</span>
      <span className="end">{bot.pending_update_count > 0 && words.waiting(bot.pending_update_count)}</span>
    </li>
  );
}

function More({ state, count }: { state: BotState; count: number }): ReactNode {
  const words = useWords();
  return (
    <li className="more">
      <Link to="/" search={{ state }}>
        {words.states[state]}: {words.fleet.more(count)}
      </Link>
    </li>
  );
}
