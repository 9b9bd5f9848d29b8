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
import { resumeBackend } from '../bot/backend-calls.ts';
import { TryNow } from '../bot/try-now.tsx';
import { TroubleBadge, useTroubleText } from './program-trouble.tsx';

/** What needs somebody, the most urgent first: states of bots, and then what is wrong with programs of bots. */
const URGENT = ['open', 'failing', 'not_polled', 'programs'] as const satisfies readonly (BotState | 'programs')[];
type Urgent = (typeof URGENT)[number];
const SHOWN_OF_EACH = 3;

const filterOf = (urgent: Urgent) =>
  urgent === 'programs' ? ({ program_trouble: true } as const) : ({ state: urgent } as const);

/** The first bots of each urgent kind, and how many more there are. Healthy fleets show none. */
export function Attention(): ReactNode {
  const { fleet: words } = useWords();
  const lists = useQueries({
    queries: URGENT.map((urgent) => ({
      queryKey: ['bots', 'urgent', urgent],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        callPage('listBots', { ...filterOf(urgent), limit: SHOWN_OF_EACH }, signal),
      refetchInterval: REFRESH_MS,
      placeholderData: keepPreviousData,
    })),
  });
  const lines = URGENT.flatMap((urgent, at) => linesOf(urgent, lists[at]?.data));
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
        {shown.map((line) => (
          <LineOfAttention key={keyOf(line)} line={line} />
        ))}
      </ul>
    </section>
  );
}

type Line = { urgent: Urgent; bot: BotResource } | { urgent: Urgent; count: number };

/** A bot may stand in two lists: its own backend fails, and so does a program. */
const keyOf = (line: Line) => ('bot' in line ? `${line.urgent} ${line.bot.id}` : line.urgent);

/** The first bots of an urgent kind, and how many more there are. */
function linesOf(
  urgent: Urgent,
  { rows, total }: { rows: BotResource[]; total: number } = { rows: [], total: 0 },
): Line[] {
  const bots = rows.map((bot) => ({ urgent, bot }));
  return total > rows.length ? [...bots, { urgent, count: total - rows.length }] : bots;
}

function LineOfAttention({ line }: { line: Line }): ReactNode {
  if ('count' in line) return <More {...line} />;
  const { urgent, bot } = line;
  return urgent === 'programs' ? <BotOfPrograms bot={bot} /> : <UrgentBot bot={bot} state={urgent} />;
}

function UrgentBot({ bot, state }: { bot: BotResource; state: Exclude<Urgent, 'programs'> }): ReactNode {
  const { fleet: words } = useWords();
  // Not the time of the last error, which every failed attempt renews.
  const since = state === 'not_polled' ? bot.not_polled_since : bot.failing_since;
  return (
    <li>
      <StateBadge state={state} />
      <Link to="/bots/$id" params={{ id: String(bot.id) }} className="cut">
        {bot.name}
      </Link>
      <span className="cut why" title={bot.last_error}>
        {bot.last_error || (state === 'not_polled' ? words.noUpdates : '')}
      </span>
      <span className="muted since">
        {since && (
          <>
            {words.began} <Ago at={since} />
          </>
        )}
      </span>
      <span className="end">{bot.pending_update_count > 0 && words.waiting(bot.pending_update_count)}</span>
      <span className="act">
        {state !== 'not_polled' && <TryNow act={() => resumeBackend({ botId: bot.id, programId: undefined })} />}
      </span>
    </li>
  );
}

/** The bot itself may work. */
function BotOfPrograms({ bot }: { bot: BotResource }): ReactNode {
  const text = useTroubleText(bot);
  return (
    <li>
      <TroubleBadge />
      <Link to="/bots/$id/programs" params={{ id: String(bot.id) }} className="cut">
        {bot.name}
      </Link>
      <span className="cut why">{text}</span>
    </li>
  );
}

function More({ urgent, count }: { urgent: Urgent; count: number }): ReactNode {
  const words = useWords();
  return (
    <li className="more">
      <Link to="/" search={filterOf(urgent)}>
        {urgent === 'programs' ? words.fleet.trouble.title : words.states[urgent]}: {words.fleet.more(count)}
      </Link>
    </li>
  );
}
