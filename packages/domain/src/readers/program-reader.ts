import type { ActiveProgram } from '../bots/active-program.ts';
import type { Bot } from '../bots/bot.ts';
import { type Breaker, type BreakerFields, breakerOf, type ReaderState } from './breaker.ts';

/** What read-readers.lua answers for a program, in its order, beside what it answers for every reader. */
export type ProgramFields = [
  push: string,
  failingSince: string,
  openUntil: string,
  pushErr: string,
  pushErrAt: string,
  pushOkAt: string,
  parkedAt: string,
  parkedFor: string,
];

export type ProgramReader = { program: ActiveProgram | null; state: ReaderState; breaker: Breaker | null };

/** The state of a program as a reader. If it was parked, the error of its breaker says why. */
export function programReader(
  { bot, isOn, nowMs }: { bot: Bot; isOn: boolean; nowMs: number },
  programId: number,
  polledAtMs: number | null,
  fields: ProgramFields,
): ProgramReader {
  const [push, failingSince, openUntil, pushErr, pushErrAt, pushOkAt, parkedAt, parkedFor] = fields;
  const program = bot.programs.find(({ id }) => id === programId) ?? null;
  const isPaused = !isOn || program?.enabled === false;
  const backend: BreakerFields = { failingSince, openUntil, pushErr, pushErrAt, pushOkAt };
  const pushes = push === '1';
  const isParked = parkedAt !== '' && (pushes || Number(parkedAt) >= (polledAtMs ?? 0));
  const state = isParked ? 'parked' : isPaused ? 'paused' : pushes ? backendState(backend) : 'ok';
  if (!pushes && !isParked) return { program, state, breaker: null };
  const breaker = breakerOf(nowMs, isOn && program?.enabled !== false, backend);
  const error = breaker.error ?? (isParked ? { message: parkedFor, atMs: Number(parkedAt) } : null);
  return { program, state, breaker: { ...breaker, error } };
}

function backendState({ failingSince, openUntil }: BreakerFields): ReaderState {
  if (failingSince === '') return 'ok';
  return openUntil === '' ? 'failing' : 'open';
}
