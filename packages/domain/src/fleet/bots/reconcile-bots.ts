import { botKeys } from '@flotilla/redis/keys.ts';
import type { BotDeps } from './bot-deps.ts';
import { completeMirror, unmirrorBot } from './bot-mirror.ts';
import { type BotRow, botStore } from './bot-store.ts';
import { type RepublishDeps, republish } from './republish-bots.ts';

type ReconcileDeps = RepublishDeps & Pick<BotDeps, 'log'>;

const AT_ONCE = 1000;

/**
 * Makes Redis agree with Postgres: rewrites bots whose mirrored revision or state differs, removes bots that are gone,
 * and completes a mirror that was lost. Returns the number of repaired bots.
 */
export async function reconcileBots(deps: ReconcileDeps): Promise<number> {
  const rows = await botStore(deps.db).all();
  const applied = await appliedStates(deps, rows);
  await reserveLostIds(deps, rows, applied);
  const mirrored = new Map(deps.directory.ready() ? deps.directory.all().map((bot) => [bot.id, bot.revision]) : []);
  let mended = 0;
  for (const [at, row] of rows.entries()) {
    const state = applied[at];
    const inLine = state?.revision === row.revision && state.reservedId >= row.reserved_update_id;
    if (inLine && mirrored.get(row.id) === row.revision) continue;
    await republish(deps, row);
    mended += 1;
  }
  const stored = new Set(rows.map((row) => row.id));
  for (const id of mirrored.keys()) {
    if (stored.has(id) || (await botStore(deps.db).byId(id))) continue;
    await unmirrorBot(deps, id);
    mended += 1;
  }
  await completeMirror(deps);
  if (mended > 0) deps.log.info({ mended }, 'the configuration in Redis was repaired');
  await deps.directory.refresh();
  return mended;
}

type AppliedState = { revision: number; reservedId: number };

async function appliedStates(deps: ReconcileDeps, rows: BotRow[]): Promise<AppliedState[]> {
  const states: AppliedState[] = [];
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE);
    const found = await deps.redis.runMany(
      some.map(({ id }): [string, string, ...string[]] => ['hmget', botKeys(id).state, 'revision', 'reserved']),
    );
    for (const [revision, reservedId] of found as (string | null)[][]) {
      states.push({ revision: Number(revision ?? -1), reservedId: Number(reservedId ?? 0) });
    }
  }
  return states;
}

/** A Postgres restored from a backup lacks the latest reservations of update ids. Redis still has them. */
async function reserveLostIds({ db }: ReconcileDeps, rows: BotRow[], applied: AppliedState[]): Promise<void> {
  const lost = rows.flatMap((row, at) => {
    const upTo = applied[at]?.reservedId ?? 0;
    return upTo > row.reserved_update_id ? [{ id: row.id, registration_id: row.registration_id, upTo }] : [];
  });
  if (lost.length > 0) await botStore(db).reserveUpdateIds(lost);
}
