import type { BotDeps } from './bot-deps.ts';
import { type CursorChange, mirrorBot } from './bot-mirror.ts';
import { botFromRow } from './bot-row.ts';
import { botStore } from './bot-store.ts';

/** Publishes the present configuration of these bots to every process. Deleted bots are left out. */
export async function republishBots(
  deps: Pick<BotDeps, 'db' | 'redis' | 'secrets' | 'directory' | 'clock'>,
  botIds: number[],
  cursors: CursorChange = {},
): Promise<void> {
  const store = botStore(deps.db);
  const form = await store.sealedForm();
  for (const id of botIds) {
    const row = await store.byId(id);
    if (row) await mirrorBot(deps, botFromRow(deps.secrets, row), cursors, form);
  }
  await deps.directory.refresh();
}
