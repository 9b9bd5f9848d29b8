import { FlotillaError } from '@flotilla/contract/flotilla-error.ts';
import type { BotDeps } from './bot-deps.ts';
import { unmirrorBot } from './bot-mirror.ts';
import { botStore } from './bot-store.ts';

/** Deletes a bot and all its data, in Postgres and in Redis. Throws FlotillaError('not_found'). */
export async function deleteBot(deps: BotDeps, botId: number): Promise<void> {
  const existed = await botStore(deps.db).remove(botId);
  await unmirrorBot(deps, botId);
  await deps.directory.refresh();
  if (!existed) throw new FlotillaError('not_found', 'Bot not found');
}
