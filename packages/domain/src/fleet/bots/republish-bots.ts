import { pushes } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { mirrorBot } from './bot-mirror.ts';
import { openBot } from './bot-row.ts';
import { type BotRow, botStore } from './bot-store.ts';
import { publishBoundChats } from './bound-chats.ts';
import type { Dropped } from './cursor-change.ts';

export type RepublishDeps = Pick<BotDeps, 'db' | 'redis' | 'secrets' | 'directory' | 'clock'> & {
  turns: Pick<BotDeps['turns'], 'push'>;
};

/** Publishes the present configuration of these bots to every process. Deleted bots are left out. */
export async function republishBots(deps: RepublishDeps, botIds: number[], drop: Dropped = {}): Promise<void> {
  const store = botStore(deps.db);
  for (const id of botIds) {
    const row = await store.byId(id);
    if (row) await republish(deps, row, drop);
  }
  await deps.directory.refresh();
}

/** Publishes a bot as it is stored, and wakes its push if updates wait: whoever made the change may not have come so far. */
export async function republish(
  deps: Pick<RepublishDeps, 'db' | 'redis' | 'secrets' | 'clock' | 'turns'>,
  row: BotRow,
  drop: Dropped = {},
): Promise<void> {
  const bot = openBot(deps.secrets, row);
  await publishBoundChats(deps, bot);
  const { waits } = await mirrorBot(deps, bot, { stored: row.cursor_changes, drop });
  if (waits && pushes(bot)) await deps.turns.push.wake(bot.id);
}
