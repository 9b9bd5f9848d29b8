import type { Bot } from './bot.ts';
import { unmirrorBot } from './bot-mirror.ts';
import { botStore } from './bot-store.ts';
import { type RepublishDeps, republishBots } from './republish-bots.ts';

const DELETED = -1;

/**
 * Returns a function that publishes changes whose process did not: Redis failed it, or it ended. Called every few seconds,
 * it publishes what it has seen the last time, too, and returns the number of those bots. Until then it is left to the
 * process that made the change.
 */
export function latePublisher(deps: RepublishDeps): () => Promise<number> {
  let seen = new Map<number, number>();
  return async () => {
    const unpublished = await findUnpublished(deps);
    const late = [...unpublished].filter(([id, revision]) => seen.get(id) === revision);
    seen = unpublished;
    const failures: unknown[] = [];
    for (const [id, revision] of late) {
      // One bot that cannot be read must not keep the tokens of others alive.
      const published = revision === DELETED ? unmirrorBot(deps, id) : republishBots(deps, [id]);
      await published.catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
    return late.length;
  };
}

/** The stored revisions that processes do not know, by id of their bots. */
async function findUnpublished({ db, directory }: RepublishDeps): Promise<Map<number, number>> {
  const store = botStore(db);
  const totals = await store.revisionTotals();
  await directory.refresh();
  if (!directory.ready() || isSame(totals, directory.all())) return new Map();
  const stored = await store.revisions();
  const unpublished = [...stored].filter(([id, revision]) => (directory.byId(id)?.revision ?? 0) < revision);
  // One look is not enough: a bot may have been deleted or changed a moment ago.
  const deleted = directory.all().filter(({ id }) => !stored.has(id));
  return new Map([...unpublished, ...deleted.map(({ id }): [number, number] => [id, DELETED])]);
}

/** Spares the reading of all rows of a large fleet. */
function isSame({ count, sum }: { count: number; sum: number }, known: Bot[]): boolean {
  return count === known.length && sum === known.reduce((total, { revision }) => total + revision, 0);
}
