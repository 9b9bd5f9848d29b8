import type { AttentionKind } from '@flotilla/contract/attention.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';

/** A shape for each look, because colours are not for everybody. */
const SHAPES = {
  ok: 'M6 2.5a3.5 3.5 0 1 0 0 7a3.5 3.5 0 1 0 0-7z',
  failing: 'M6 1.5L11 10H1z',
  open: 'M2 2h8v8H2z',
  disabled: 'M2 5h8v2H2z',
  not_polled: 'M6 1l5 5-5 5-5-5z',
};
type Look = keyof typeof SHAPES;

/** Red: updates or messages do not get through now. Amber: they may not. Grey: somebody chose it. */
const LOOKS: Record<BotMark, Look> = {
  ok: 'ok',
  disabled: 'disabled',
  token_revoked: 'open',
  foreign_webhook: 'open',
  intake_failing: 'open',
  intake_paused: 'open',
  platform_unreachable: 'open',
  move_stuck: 'open',
  backend_open: 'open',
  poller_silent: 'open',
  program_parked: 'open',
  program_silent: 'open',
  program_failing: 'open',
  sends_held: 'failing',
  flood: 'failing',
  backend_failing: 'failing',
  forwarding_off: 'disabled',
  nobody_reads: 'disabled',
};

/** A bot in one word: what is wrong with it, or that nothing is. */
export type BotMark = AttentionKind | 'ok' | 'disabled';

/** The worst of what is wrong with the bot. */
export function markOf({ disabled, attention }: BotResource): BotMark {
  return disabled ? 'disabled' : (attention[0]?.kind ?? 'ok');
}

/** All that is wrong with the bot, the worst first; else its one word. */
export function marksOf(bot: BotResource): BotMark[] {
  return bot.disabled || bot.attention.length === 0
    ? [markOf(bot)]
    : [...new Set(bot.attention.map(({ kind }) => kind))];
}

export const lookOf = (mark: BotMark): Look => LOOKS[mark];

export function StateMark({ state }: { state: Look }): ReactNode {
  return (
    <svg className={`mark ${state}`} viewBox="0 0 12 12" aria-hidden="true">
      <path d={SHAPES[state]} />
    </svg>
  );
}

export function BotBadge({ mark }: { mark: BotMark }): ReactNode {
  const words = useWords();
  return (
    <span className={`state ${LOOKS[mark]}`} title={words.markHints[mark]}>
      <StateMark state={LOOKS[mark]} />
      {words.marks[mark]}
    </span>
  );
}
