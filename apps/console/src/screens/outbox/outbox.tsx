import type { BotResource } from '@flotilla/contract/bots.ts';
import type { OutboxEntryResource as Entry } from '@flotilla/contract/outbox.ts';
import { Link, Outlet, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { given } from '../../parts/filters.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { useSession } from '../../session.tsx';
import { useBot } from '../bot/use-bot.ts';
import { type Act, ASKED, type Chosen } from './act-on-entries.tsx';
import { EntryList } from './entry-list.tsx';
import { CANCELLABLE, RELEASABLE, RESENDABLE } from './entry-state.tsx';
import { type FilterChanges, isNarrowed, type OutboxFilter, RARE_STATES, STATES } from './outbox-filter.ts';
import { OutboxFilters } from './outbox-filters.tsx';
import { useOutboxWords } from './outbox-words.ts';
import { isUncounted, useCounted, useCounts, useEntries, useOutboxLive } from './use-outbox.ts';
import './outbox.css';

export function Outbox(): ReactNode {
  const words = useOutboxWords();
  useTitle(words.title);
  return (
    <div className="outbox">
      <header>
        <h1>{words.title}</h1>
        <p className="muted">{words.hint}</p>
      </header>
      <OutboxView ofBot={undefined} />
      <Outlet />
    </div>
  );
}

/** The same of one bot, as a view of it. */
export function BotOutbox(): ReactNode {
  const { data: bot } = useBot();
  return bot && <OutboxOfBot key={bot.id} bot={bot} />;
}

function OutboxOfBot({ bot }: { bot: BotResource }): ReactNode {
  useOutboxLive(bot.id);
  return (
    <div className="outbox">
      <SendsNothing bot={bot} />
      <OutboxView ofBot={String(bot.id)} />
      <Outlet />
    </div>
  );
}

/** Why nothing of the bot is sent, if that is so. */
function SendsNothing({ bot }: { bot: BotResource }): ReactNode {
  const { why } = useOutboxWords();
  if (!bot.disabled && bot.manage_enabled) return null;
  return <p className="notice warn">{bot.disabled ? why.off : why.unmanaged}</p>;
}

function OutboxView({ ofBot }: { ofBot: string | undefined }): ReactNode {
  const words = useOutboxWords();
  const navigate = useNavigate();
  const search: OutboxFilter = useSearch({ strict: false });
  const filter = ofBot === undefined ? search : { ...search, bot: ofBot };
  const entries = useEntries(filter);
  const [selected, setSelected] = useState<ReadonlyMap<number, Entry>>(new Map());
  const change = (changes: FilterChanges) => {
    setSelected(new Map());
    void navigate({ to: '.', search: given({ ...search, ...changes }) as OutboxFilter, replace: true });
  };
  const clear = () => change({ ...NOTHING, state: filter.state });
  const isFiltered =
    isNarrowed(filter) || filter.state !== undefined || (ofBot === undefined && filter.bot !== undefined);
  return (
    <>
      <StateTabs filter={filter} search={search} />
      <OutboxFilters filter={filter} change={change} clear={clear} ofBot={ofBot} />
      {entries.isError && <Failure error={entries.error} retry={() => void entries.refetch()} />}
      <Tools
        key={JSON.stringify(filter)}
        filter={filter}
        total={entries.data && entries.total}
        selected={selected}
        unselect={() => setSelected(new Map())}
      />
      {entries.data && entries.rows.length === 0 && (
        <Empty title={isFiltered ? words.noMatch : words.empty} {...(isFiltered ? {} : { hint: words.emptyHint })} />
      )}
      {(entries.rows.length > 0 || entries.isPending) && (
        <EntryList
          {...{ filter, entries, selected, ofBot }}
          select={(entry, on) => setSelected((known) => withEntry(known, entry, on))}
        />
      )}
    </>
  );
}

const NOTHING: FilterChanges = {
  ...{
    bot: undefined,
    chat: undefined,
    priority: undefined,
    broadcast: undefined,
    by: undefined,
    since: undefined,
    until: undefined,
  },
};
/** The api takes at most so many ids. */
const SELECTED_AT_MOST = 1_000;

function withEntry(known: ReadonlyMap<number, Entry>, entry: Entry, on: boolean): ReadonlyMap<number, Entry> {
  const next = new Map(known);
  if (!on) next.delete(entry.id);
  else if (next.size < SELECTED_AT_MOST) next.set(entry.id, entry);
  return next;
}

/** The states with their counts; one that is rare and has nothing is left out, unless it is chosen. */
function StateTabs({ filter, search }: { filter: OutboxFilter; search: OutboxFilter }): ReactNode {
  const words = useOutboxWords();
  const counted = useCounted();
  const { counts, isPending } = useCounts(filter);
  const all = counts && Object.values(counts).reduce((sum, count) => sum + count, 0);
  const isMore = counts && Object.values(counts).some(isUncounted);
  const countOf = (count: number | undefined, more = isUncounted(count)) =>
    count !== undefined && count > 0 && <span className="tab-count">{counted(count, more)}</span>;
  const isEmpty = (state: Entry['state']) => (counts ? (counts[state] ?? 0) === 0 : isPending);
  const shown = STATES.filter((state) => !RARE_STATES.includes(state) || state === filter.state || !isEmpty(state));
  return (
    <nav className={`state-tabs ${isPending ? 'pending' : ''}`} aria-label={words.tabs.label}>
      {[undefined, ...shown].map((state) => (
        <Link
          key={state ?? 'all'}
          to="."
          search={given({ ...search, state }) as OutboxFilter}
          activeOptions={{ exact: true }}
          replace
        >
          {state === undefined ? words.tabs.all : words.states[state]}{' '}
          {state === undefined ? countOf(all, isMore) : countOf(counts?.[state])}
        </Link>
      ))}
    </nav>
  );
}

type ToolsProps = {
  filter: OutboxFilter;
  /** Undefined while it is not known. */
  total: number | undefined;
  selected: ReadonlyMap<number, Entry>;
  unselect: () => void;
};

/** The acts on the selection, else on all that the filter matches. */
function Tools({ filter, total, selected, unselect }: ToolsProps): ReactNode {
  const words = useOutboxWords();
  const { counts } = useCounts(filter);
  const counted = useCounted();
  const [asked, setAsked] = useState<{ act: Act; chosen: Chosen } | null>(null);
  const [said, setSaid] = useState('');
  const picked = [...selected.values()];
  const isPicked = picked.length > 0;
  const chosen: Chosen = isPicked ? { entries: picked } : { filter };
  const able = (states: readonly Entry['state'][]) => picked.filter(({ state }) => states.includes(state)).length;
  const isWaiting = filter.state === undefined || CANCELLABLE.includes(filter.state);
  const waiting = CANCELLABLE.filter((state) => filter.state === undefined || filter.state === state);
  const cancellable = isPicked
    ? able(CANCELLABLE)
    : isWaiting
      ? waiting.reduce((sum, state) => sum + (counts?.[state] ?? 0), 0)
      : 0;
  const resendable = isPicked ? able(RESENDABLE) : filter.state && RESENDABLE.includes(filter.state) ? (total ?? 0) : 0;
  const isAdmin = useSession().account.role === 'admin';
  const releasable = !isAdmin ? 0 : isPicked ? able(RELEASABLE) : filter.state === 'held' ? (total ?? 0) : 0;
  const Asked = asked && ASKED[asked.act];
  const end = (sentence: string) => {
    setAsked(null);
    setSaid(sentence);
    unselect();
  };
  return (
    <div className="outbox-tools">
      <p role="status" className="muted">
        {isPicked
          ? words.selected(picked.length)
          : said || (total && (isUncounted(total) ? words.foundMany(counted(total)) : words.found(total)))}
      </p>
      {isPicked && (
        <Button kind="quiet" onClick={unselect}>
          {words.unselect}
        </Button>
      )}
      <span className="gap" />
      {resendable > 0 && (
        <Button kind="primary" onClick={() => setAsked({ act: 'resend', chosen })}>
          {isPicked ? words.resend.some(resendable) : words.resend.all(resendable)}
        </Button>
      )}
      {releasable > 0 && (
        <Button kind="primary" onClick={() => setAsked({ act: 'release', chosen })}>
          {isPicked ? words.release.some(releasable) : words.release.all(releasable)}
        </Button>
      )}
      {cancellable > 0 && (
        <Button onClick={() => setAsked({ act: 'cancel', chosen })}>
          {isPicked ? words.cancel.some(cancellable) : words.cancel.all(cancellable)}
        </Button>
      )}
      {asked && Asked && <Asked chosen={asked.chosen} close={() => setAsked(null)} done={end} />}
    </div>
  );
}
