import type { BotResource } from '@flotilla/contract/bots.ts';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { useShortcuts } from '../../keys.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { useRowKeys } from '../../parts/row-keys.ts';
import { Clock } from '../../parts/time.tsx';
import { useThrottled } from '../../parts/use-throttled.ts';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/words.tsx';
import { LiveDetails } from './live-details.tsx';
import type { LiveFilter } from './live-filter.ts';
import { type LiveRow, matches } from './live-rows.ts';
import { useLiveRows } from './use-live-rows.ts';

const SAID_EVERY_MS = 5_000;
const nothing = () => {};

/** The events of these bots, live. The list holds still while it is paused, pointed at, focused or scrolled. */
export function LiveList({ bots, filter }: { bots: readonly BotResource[]; filter: LiveFilter }): ReactNode {
  const words = useWords();
  const { live } = words;
  const [paused, setPaused] = useState(false);
  const [pointed, setPointed] = useState(false);
  const [opened, setOpened] = useState<LiveRow | null>(null);
  const scrolled = useScrolled();
  const [focused, setFocused] = useState(false);
  const botIds = useMemo(() => bots.map(({ id }) => id), [bots]);
  const held = paused || pointed || focused || scrolled || opened !== null;
  const { rows, waiting: kept, skipped, perSecond, show, state } = useLiveRows(botIds, held);
  const shown = useMemo(() => rows.filter((row) => matches(row, filter)), [rows, filter]);
  const waiting = useMemo(() => kept.filter((row) => matches(row, filter)).length, [kept, filter]);
  const said = useThrottled(waiting === 0 ? '' : live.more(waiting), SAID_EVERY_MS);
  const columns = useMemo(() => columnsOf(words, bots, setOpened), [words, bots]);
  const rowAt = useCallback((index: number) => shown[index], [shown]);
  const showNew = () => {
    window.scrollTo({ top: 0 });
    setPaused(false);
    show();
  };
  useShortcuts({ p: () => (paused ? showNew() : setPaused(true)) });
  useRowKeys('.live-list .row-link');
  return (
    <>
      <div className="live-tools">
        <Button aria-pressed={paused} onClick={() => (paused ? showNew() : setPaused(true))}>
          {paused ? live.goOn : live.pause} <kbd>p</kbd>
        </Button>
        <span className="muted">{paused ? live.paused : live.stateHints[state]}</span>
        {perSecond > 0 && !held && <span className="muted">{live.rate(perSecond)}</span>}
        {skipped > 0 && <span className="live-skipped">{live.skipped(skipped)}</span>}
      </div>
      <div className="new-place">
        {waiting > 0 && (
          <button type="button" className="button primary" onClick={showNew}>
            {live.more(waiting)}
          </button>
        )}
      </div>
      <p role="status" className="unseen">
        {said}
      </p>
      <section
        aria-label={live.list}
        className="live-list"
        onPointerEnter={({ pointerType }) => setPointed(pointerType === 'mouse')}
        onPointerLeave={() => setPointed(false)}
        // A press of the pointer leaves the focus in the list, too.
        onFocus={({ target }) => setFocused(target.matches(':focus-visible'))}
        onBlur={() => setFocused(false)}
      >
        {shown.length === 0 ? (
          <Empty title={rows.length === 0 ? live.quiet : live.noMatch} hint={rows.length === 0 ? live.quietHint : ''} />
        ) : (
          <VirtualTable
            label={live.list}
            isHeld
            columns={columns}
            total={shown.length}
            rowAt={rowAt}
            keyOf={(row) => row.key}
            shows={nothing}
            stale={false}
          />
        )}
      </section>
      {opened && (
        <LiveDetails row={opened} bot={bots.find(({ id }) => id === opened.bot_id)} close={() => setOpened(null)} />
      )}
    </>
  );
}

/** True while the head of the page is out of sight. */
function useScrolled(): boolean {
  const [scrolled, setScrolled] = useState(false);
  useEffect(() => {
    const look = () => setScrolled(window.scrollY > window.innerHeight / 2);
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  return scrolled;
}

function columnsOf(words: Words, bots: readonly BotResource[], open: (row: LiveRow) => void): Column<LiveRow>[] {
  const { live } = words;
  const names = new Map(bots.map(({ id, name }) => [id, name]));
  return [
    { name: 'live-at', card: 'top-end', title: live.columns.at, width: '5.5rem', cell: ({ at }) => <Clock at={at} /> },
    {
      name: 'live-what',
      card: 'top-start',
      title: live.columns.what,
      width: 'minmax(9rem, 1fr)',
      cell: (row) => (
        <button type="button" className="row-link cut" onClick={() => open(row)}>
          <span className={`live-kind ${toneOf(row)}`}>{live.kinds[row.kind]}</span> {row.what}
        </button>
      ),
    },
    {
      name: 'live-bot',
      card: 'bottom-end',
      title: live.columns.bot,
      width: 'minmax(6rem, 1fr)',
      cell: ({ bot_id }) => <bdi className="muted">{bot_id === null ? '' : (names.get(bot_id) ?? bot_id)}</bdi>,
    },
    {
      name: 'live-chat',
      title: live.columns.chat,
      width: '8rem',
      cell: ({ chat_id }) => <span className="muted">{chat_id}</span>,
    },
    {
      name: 'live-text',
      card: 'bottom-start',
      title: live.columns.text,
      width: 'minmax(8rem, 3fr)',
      cell: (row) => <bdi>{textOf(row, live)}</bdi>,
    },
  ];
}

function textOf({ kind, text }: LiveRow, live: Words['live']): string {
  return kind === 'gap' ? live.gap : text;
}

function toneOf({ kind, what }: LiveRow): string {
  if (kind === 'attempt') return what.startsWith('2') ? 'good' : 'bad';
  return kind;
}
