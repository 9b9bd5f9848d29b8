import type { AttentionKind } from '@flotilla/contract/attention.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { FleetResource } from '@flotilla/contract/fleet.ts';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { callPage } from '../../call.ts';
import { ChangedRows } from '../../parts/changed-rows.tsx';
import { BotBadge } from '../../parts/state-badge.tsx';
import { Ago } from '../../parts/time.tsx';
import { Told } from '../../parts/told.tsx';
import { useHeldRows } from '../../parts/use-held-rows.ts';
import { REFRESH_MS } from '../../queries.ts';
import { useWords } from '../../words/words.tsx';
import { IntakeRemedy } from '../bot/intake-remedy.tsx';
import { TryNow } from '../bot/try-now.tsx';
import { ATTENTION_KINDS } from './fleet-filter.ts';

const SHOWN_OF_EACH = 3;

/** The first bots of each thing that is wrong, and how many more there are. Healthy fleets show none. */
export function Attention({ fleet }: { fleet: FleetResource | undefined }): ReactNode {
  const { fleet: words } = useWords();
  const kinds = ATTENTION_KINDS.filter((kind) => (fleet?.attention[kind] ?? 0) > 0);
  const lists = useQueries({
    queries: kinds.map((kind) => ({
      queryKey: ['bots', 'attention', kind],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        callPage('listBots', { attention: kind, limit: SHOWN_OF_EACH }, signal),
      refetchInterval: REFRESH_MS,
      placeholderData: keepPreviousData,
    })),
  });
  const lines = kinds.flatMap((kind, at) => linesOf(kind, fleet?.attention[kind] ?? 0, lists[at]?.data));
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
          <AttentionLine key={keyOf(line)} line={line} />
        ))}
      </ul>
    </section>
  );
}

type Line =
  | { kind: AttentionKind; bot: BotResource }
  | { kind: AttentionKind; count: number }
  /** A bot that is on its way. */
  | { kind: AttentionKind; at: number };

/** Several things may be wrong with one bot. */
function keyOf(line: Line): string {
  if ('bot' in line) return `${line.kind} ${line.bot.id}`;
  return 'at' in line ? `${line.kind} at ${line.at}` : line.kind;
}

function AttentionLine({ line }: { line: Line }): ReactNode {
  if ('bot' in line) return <BotLine {...line} />;
  if ('count' in line) return <More {...line} />;
  return (
    <li className="awaited">
      <span className="shape" />
    </li>
  );
}

/** Until its bots are there, a kind has as many lines as it will have: what is below the list must not move. */
function linesOf(
  kind: AttentionKind,
  expected: number,
  loaded: { rows: BotResource[]; total: number } | undefined,
): Line[] {
  if (loaded === undefined) {
    return Array.from({ length: Math.min(expected, SHOWN_OF_EACH + 1) }, (_, at) => ({ kind, at }));
  }
  const { rows, total } = loaded;
  const bots = rows.map((bot) => ({ kind, bot }));
  return total > rows.length ? [...bots, { kind, count: total - rows.length }] : bots;
}

/** One thing that is wrong with a bot. Where several programs are in the same trouble, the one that has been longest. */
function BotLine({ kind, bot }: { kind: AttentionKind; bot: BotResource }): ReactNode {
  const { fleet: words, told } = useWords();
  const [found, ...others] = bot.attention.filter((one) => one.kind === kind);
  if (found === undefined) return null;
  const { since, waiting = 0, text, program_id: programId } = found;
  return (
    <li>
      <BotBadge mark={kind} />
      <BotLink bot={bot} programId={programId} />
      <span className="cut why" title={told(text)}>
        <Told text={text} />
        {others.length > 0 && ` ${words.more(others.length)}`}
      </span>
      <span className="muted since">
        {since && (
          <>
            {words.began} <Ago at={since} />
          </>
        )}
      </span>
      <span className="end">{waiting > 0 && words.waiting(waiting)}</span>
      <span className="act">
        <IntakeRemedy bot={bot} kind={kind} />
        {TRIED.includes(kind) && <TryNow botId={bot.id} programId={programId} />}
      </span>
    </li>
  );
}

/** What a person can have tried at once. */
const TRIED: readonly AttentionKind[] = ['backend_open', 'backend_failing', 'program_failing'];

function BotLink({ bot, programId }: { bot: BotResource; programId: number | undefined }): ReactNode {
  const id = String(bot.id);
  return programId === undefined ? (
    <Link to="/bots/$id" params={{ id }} className="cut">
      <bdi>{bot.name}</bdi>
    </Link>
  ) : (
    <Link to="/bots/$id/programs" params={{ id }} className="cut">
      <bdi>{bot.name}</bdi>
    </Link>
  );
}

function More({ kind, count }: { kind: AttentionKind; count: number }): ReactNode {
  const words = useWords();
  return (
    <li className="more">
      <Link to="/" search={{ attention: kind }}>
        {words.marks[kind]}: {words.fleet.more(count)}
      </Link>
    </li>
  );
}
