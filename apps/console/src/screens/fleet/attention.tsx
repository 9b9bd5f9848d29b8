import type { AttentionKind, AttentionResource } from '@flotilla/contract/attention.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { FleetResource } from '@flotilla/contract/fleet.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { callPage } from '../../call.ts';
import { ChangedRows } from '../../parts/changed-rows.tsx';
import { BotBadge } from '../../parts/state-badge.tsx';
import { Ago } from '../../parts/time.tsx';
import { useTold } from '../../parts/told.tsx';
import { useHeldRows } from '../../parts/use-held-rows.ts';
import { ATTENTION, REFRESH_MS } from '../../queries.ts';
import { useWords } from '../../words/words.tsx';
import { IntakeRemedy } from '../bot/intake-remedy.tsx';
import { TryNow } from '../bot/try-now.tsx';
import { ATTENTION_KINDS, type FleetFilter } from './fleet-filter.ts';
import { type Incident, incidentsOf, MOST_ENTRIES } from './incidents.ts';
import { firstBots } from './use-bots.ts';

/** The faults of the fleet with the bots that they hit. `isAwaited`: the first answers are still to come. */
export function useAttention(fleet: FleetResource | undefined, filter: FleetFilter) {
  const isWrong = ATTENTION_KINDS.some((kind) => (fleet?.attention[kind] ?? 0) > 0);
  const entries = useQuery({
    queryKey: ATTENTION,
    queryFn: ({ signal }) => callPage('listAttention', { limit: MOST_ENTRIES }, signal),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    enabled: isWrong,
  });
  const incidents = isWrong ? incidentsOf(entries.data?.rows ?? []) : [];
  const bots = useBotsOf(incidents, filter);
  // Of what fails, the page does not wait for the next try.
  const isAwaited = [entries, bots].some(({ isLoading, failureCount }) => isLoading && failureCount === 0);
  return { incidents, isAwaited, entries: entries.data, bots: bots.data ?? NO_BOTS };
}

/** The faults of the fleet, one line for each cause, the worst first: the bots that it hits, the remedy, and one action. */
export function Attention({ incidents, entries, bots }: ReturnType<typeof useAttention>): ReactNode {
  const { fleet: words } = useWords();
  const held = useHeldRows({ total: incidents.length, rowAt: (index) => incidents[index], keyOf, stale: false });
  const shown = Array.from({ length: held.total }, (_, index) => held.rowAt(index)).filter((one) => one !== undefined);
  if (shown.length === 0) return null;
  const left = (entries?.total ?? 0) - (entries?.rows.length ?? 0);
  return (
    <section className="attention" aria-labelledby="attention" {...held.area}>
      <header>
        <h2 id="attention">{words.attention}</h2>
        <ChangedRows held={held} />
      </header>
      <ul>
        {shown.map((incident) => (
          <IncidentLine key={keyOf(incident)} incident={incident} bots={bots} />
        ))}
        {left > 0 && <li className="more muted">{words.more(left)}</li>}
      </ul>
    </section>
  );
}

const keyOf = ({ key }: Incident): string => key;

const NAMED = 3;
const NAMED_IN_ALL = 100;
const NO_BOTS: ReadonlyMap<number, BotResource> = new Map();

/** The bots that the lines name. The list below begins with the worst, so it mostly has them; the others come in one call. */
function useBotsOf(incidents: readonly Incident[], filter: FleetFilter) {
  const ids = [...new Set(incidents.flatMap(({ botIds }) => botIds.slice(0, NAMED)))].slice(0, NAMED_IN_ALL);
  return useQuery({
    queryKey: ['bots', 'of-incidents', ids.join()],
    queryFn: async ({ client, signal }) => {
      const listed = await client.fetchQuery(firstBots(filter)).catch(() => null);
      const known = listed?.rows.filter(({ id }) => ids.includes(id)) ?? [];
      const left = ids.filter((wanted) => known.every(({ id }) => id !== wanted));
      if (left.length === 0) return { rows: known };
      const { rows } = await callPage('listBots', { ids: left.join(), limit: NAMED_IN_ALL } as never, signal);
      return { rows: [...known, ...rows] };
    },
    placeholderData: keepPreviousData,
    enabled: ids.length > 0,
    select: ({ rows }): ReadonlyMap<number, BotResource> => new Map(rows.map((bot) => [bot.id, bot])),
  });
}

type LineProps = { incident: Incident; bots: ReadonlyMap<number, BotResource> };

function IncidentLine({ incident, bots }: LineProps): ReactNode {
  const { fleet: words } = useWords();
  const { kind, botIds, programIds, since, waiting } = incident;
  const text = useTold()(incident.text);
  return (
    <li>
      <BotBadge mark={kind} />
      <span className="hit">
        <Hit incident={incident} bots={bots} />
      </span>
      <span className="why" title={text}>
        <bdi>{text}</bdi>
        <span className="remedy">{words.remedies[kind]}</span>
      </span>
      <span className="muted since">
        {since && (
          <>
            {words.began} <Ago at={since} />
          </>
        )}
      </span>
      <span className="end">{waiting > 0 && words.waiting(waiting, programIds.length)}</span>
      <span className="act">
        <Remedy incident={incident} bot={botIds.length === 1 ? bots.get(botIds[0]!) : undefined} />
      </span>
    </li>
  );
}

/** The bot that it hits; of several the first ones, and how many there are. */
function Hit({ incident: { kind, botIds, programIds }, bots }: LineProps): ReactNode {
  const { fleet: words } = useWords();
  const to = programIds.length > 0 ? '/bots/$id/programs' : '/bots/$id';
  const named = botIds.slice(0, NAMED);
  const last = named.length - 1;
  const more = botIds.length - NAMED;
  return (
    <>
      {named.map((id, at) => (
        <span key={id} className="hit-bot">
          <Link to={to} params={{ id: String(id) }} className="cut">
            <bdi>{bots.get(id)?.name ?? '…'}</bdi>
          </Link>
          {at < last && ','}
        </span>
      ))}
      {more > 0 && (
        <Link to="/" search={{ attention: kind }} className="more-bots">
          {words.more(more)}
        </Link>
      )}
    </>
  );
}

/** One action each. */
function Remedy({ incident, bot }: { incident: Incident; bot: BotResource | undefined }): ReactNode {
  const { fleet: words } = useWords();
  const { kind, entries } = incident;
  if (TRIED.includes(kind)) {
    // One probe tells of all that go to the same backend.
    const [{ bot_id: botId, program_id: programId }] = entries as [AttentionResource];
    return <TryNow botId={botId!} programId={programId} />;
  }
  if (bot !== undefined && ONE_CLICK.includes(kind)) return <IntakeRemedy bot={bot} kind={kind} />;
  if (kind === 'sends_held') {
    return (
      <Link to="/outbox" className="button plain">
        {words.look}
      </Link>
    );
  }
  return bot === undefined ? (
    <Link to="/" search={{ attention: kind }} className="button plain">
      {words.look}
    </Link>
  ) : (
    <Link
      to={SETTINGS.includes(kind) ? '/bots/$id/settings' : '/bots/$id'}
      params={{ id: String(bot.id) }}
      className="button plain"
    >
      {SETTINGS.includes(kind) ? words.settings : words.look}
    </Link>
  );
}

/** The faults whose updates a person can have tried at once. */
const TRIED: readonly AttentionKind[] = ['backend_open', 'backend_failing', 'program_failing'];
const ONE_CLICK: readonly AttentionKind[] = ['foreign_webhook', 'token_revoked'];
const SETTINGS: readonly AttentionKind[] = ['forwarding_off', 'nobody_reads', 'poller_silent'];
