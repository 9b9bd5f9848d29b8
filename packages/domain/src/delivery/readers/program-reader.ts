import type { ReaderState } from '@flotilla/contract/readers.ts';
import type { ProgramRow, ReaderRow } from '@flotilla/redis/script-calls.ts';
import { isSilent } from '../../fleet/bot-list/silent.ts';
import type { ActiveProgram } from '../../fleet/bots/active-program.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { type Breaker, type BreakerFields, breakerOf } from './breaker.ts';

export type ProgramReader = { program: ActiveProgram | null; state: ReaderState; breaker: Breaker | null };

/** The state of a program as a reader. If it was parked, the error of its breaker says why. */
export function programReader(
  { bot, isOn, nowMs }: { bot: Bot; isOn: boolean; nowMs: number },
  programId: number,
  { polledAtMs, behind }: Pick<ReaderRow, 'polledAtMs' | 'behind'>,
  fields: ProgramRow,
): ProgramReader {
  const { push, parkedAt, parkedFor } = fields;
  const program = bot.programs.find(({ id }) => id === programId) ?? null;
  const isPaused = !isOn || program?.enabled === false;
  const pushes = push === '1';
  const isParked = parkedAt !== '' && (pushes || Number(parkedAt) >= (polledAtMs ?? 0));
  const silent = () =>
    program !== null && isSilent(nowMs, { waiting: behind, polledAtMs, silent_after_s: program.silent_after_s });
  const ofUse = () => (pushes ? backendState(fields) : silent() ? 'silent' : 'ok');
  const state = isParked ? 'parked' : isPaused ? 'paused' : ofUse();
  if (!pushes && !isParked) return { program, state, breaker: null };
  const breaker = breakerOf(nowMs, isOn && program?.enabled !== false, fields);
  const error = breaker.error ?? (isParked ? { message: parkedFor, atMs: Number(parkedAt) } : null);
  return { program, state, breaker: { ...breaker, error } };
}

function backendState({ failingSince, openUntil }: BreakerFields): ReaderState {
  if (failingSince === '') return 'ok';
  return openUntil === '' ? 'failing' : 'open';
}
