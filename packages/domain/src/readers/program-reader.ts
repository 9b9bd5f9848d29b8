import type { ActiveProgram } from '../bots/active-program.ts';
import type { Bot } from '../bots/bot.ts';
import { type Breaker, type BreakerFields, breakerOf, type ReaderState } from './breaker.ts';

/** What Redis tells of a program beside what it tells of every reader, in the order of read-readers.lua. */
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

/** How a program is; its breaker also has the reason why it was parked, as its error. */
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
