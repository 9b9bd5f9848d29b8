import { programKeys } from '@flotilla/redis/keys.ts';
import type { ActiveProgram } from '../../fleet/bots/active-program.ts';
import type { Bot } from '../../fleet/bots/bot.ts';

/** A bot as its backend gets its updates. With a program, the settings of the backend are those of the program. */
export type BotWithBackend = Bot & { program?: ActiveProgram };

/** The address of a backend, and how to reach it. */
export type BackendAddress = Pick<
  Bot,
  'id' | 'backend_url' | 'secret_token' | 'backend_certificate' | 'backend_ip_address'
> & { program?: Pick<ActiveProgram, 'id'> };

export type ProgramBackend = Bot & { program: ActiveProgram };

/** A program that pushes, as a backend of its bot; the same object as long as the configuration is the same. */
export function backendOfProgram(bot: Bot, program: ActiveProgram): ProgramBackend {
  const known = made.get(program);
  if (known !== undefined) return known;
  const { backend_url, secret_token, backend_certificate, backend_ip_address, signing, max_connections } = program;
  const connection = { backend_url, secret_token, backend_certificate, backend_ip_address };
  const backend = { ...bot, ...connection, signing, max_connections, program };
  made.set(program, backend);
  return backend;
}

const made = new WeakMap<ActiveProgram, ProgramBackend>();

/** Where the reader's attempts and excerpts are kept. */
export function keysOfProgram({ id, program }: BotWithBackend): ReturnType<typeof programKeys> | null {
  return program === undefined ? null : programKeys(id, program.id);
}

/** The id by which a receiver recognises a delivery: the same at every try. */
export function deliveryIdOf(
  { id, program }: Pick<BackendAddress, 'id' | 'program'>,
  updateId: number | string,
): string {
  return program === undefined ? `${id}-${updateId}` : `${id}-p${program.id}-${updateId}`;
}

/** The same as the id of Standard Webhooks, which its signature covers. */
export function webhookIdOf(backend: BotWithBackend, updateId: number | string): string {
  return `upd_${deliveryIdOf(backend, updateId).replaceAll('-', '_')}`;
}

/** The id of a copy that somebody replays is its own: a receiver that leaves out known ids would ignore it. */
export function idOfReplay(updateId: number, copy: string): string {
  return `${updateId}-${copy}`;
}

/** Marks a copy that somebody replays. */
export const REPLAY_HEADERS = { 'Flotilla-Replay': '1' };
