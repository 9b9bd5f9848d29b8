import type { ReaderResource } from '@flotilla/contract/readers.ts';
import type { ReactNode } from 'react';
import { BotBadge, type BotMark, lookOf, StateMark } from '../../parts/state-badge.tsx';
import { Ago } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';

type State = ReaderResource['state'];

/** A fault has the word and the colour that it has in the list of bots. */
const MARKS: { [Of in 'bot' | 'program']: Partial<Record<State, BotMark>> } = {
  bot: { failing: 'backend_failing', open: 'backend_open', silent: 'poller_silent' },
  program: { failing: 'program_failing', open: 'program_failing', silent: 'program_silent', parked: 'program_parked' },
};
/** The others. */
const LOOKS = {
  ok: 'ok',
  failing: 'failing',
  open: 'open',
  silent: 'open',
  paused: 'disabled',
  parked: 'open',
  off: 'disabled',
} as const satisfies Record<State, string>;

const markOfReader = (state: State, isProgram: boolean) => MARKS[isProgram ? 'program' : 'bot'][state];

/** The colour of a reader. */
export function lookOfReader({ reader, state }: ReaderResource): ReturnType<typeof lookOf> {
  const mark = markOfReader(state, reader.startsWith('program:'));
  return mark === undefined ? LOOKS[state] : lookOf(mark);
}

export function ReaderState({ state, isProgram }: { state: State; isProgram: boolean }): ReactNode {
  const { readers: words } = useWords().bot;
  const mark = markOfReader(state, isProgram);
  if (mark !== undefined) return <BotBadge mark={mark} />;
  return (
    <span className={`state ${LOOKS[state]}`}>
      <StateMark state={LOOKS[state]} />
      {words.states[state]}
    </span>
  );
}

/** How many updates wait for a reader, and since when. */
export function Behind({ reader: { behind, oldest_at } }: { reader: ReaderResource }): ReactNode {
  const { readers: words } = useWords().bot;
  return (
    <>
      {behind === 0 ? words.upToDate : words.behind(behind)}
      {oldest_at && (
        <span className="muted">
          {', '}
          {words.oldest} <Ago at={oldest_at} />
        </span>
      )}
    </>
  );
}
