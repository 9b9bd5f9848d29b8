import { botKeys } from '@flotilla/redis/keys.ts';
import { CERTIFICATE_BYTES_AT_MOST, keptCertificate } from './backend-certificate.ts';
import type { BotDeps } from './bot-deps.ts';
import { completeMirror, mirrorBot, unmirrorBot } from './bot-mirror.ts';
import { botFromRow } from './bot-row.ts';
import { type BotRow, botStore } from './bot-store.ts';
import { formOf } from './sealed-bot.ts';

type ReconcileDeps = Pick<BotDeps, 'db' | 'redis' | 'secrets' | 'directory' | 'clock' | 'log'>;

const AT_ONCE = 1000;

/**
 * Makes Redis say what Postgres says: rewrites bots whose mirrored revision or state differs, removes those
 * that are gone, and completes a mirror that was lost. Returns how many were mended.
 */
export async function reconcileBots(deps: ReconcileDeps): Promise<number> {
  const rows = await shortened(deps, await botStore(deps.db).all());
  const form = formOf(rows);
  const applied = await appliedRevisions(
    deps,
    rows.map((row) => row.id),
  );
  const mirrored = new Map(deps.directory.ready() ? deps.directory.all().map((bot) => [bot.id, bot.revision]) : []);
  let mended = 0;
  for (const [at, row] of rows.entries()) {
    if (mirrored.get(row.id) === row.revision && applied[at] === String(row.revision)) continue;
    await mirrorBot(deps, botFromRow(deps.secrets, row), {}, form);
    mended += 1;
  }
  const stored = new Set(rows.map((row) => row.id));
  for (const id of mirrored.keys()) {
    if (stored.has(id) || (await botStore(deps.db).byId(id))) continue;
    await unmirrorBot(deps, id);
    mended += 1;
  }
  await completeMirror(deps);
  if (mended > 0) deps.log.info({ mended }, 'the configuration in Redis was brought in line');
  await deps.directory.refresh();
  return mended;
}

/** Earlier releases kept all of the text that a certificate came in, megabytes of it: a new revision is without. */
async function shortened(deps: ReconcileDeps, rows: BotRow[]): Promise<BotRow[]> {
  const store = botStore(deps.db);
  for (const [at, { id, backend_certificate: stored }] of rows.entries()) {
    if (stored.length <= CERTIFICATE_BYTES_AT_MOST) continue;
    const kept = keptCertificate(stored);
    if (kept.length < stored.length) rows[at] = (await store.update(id, { backend_certificate: kept })) ?? rows[at]!;
  }
  return rows;
}

async function appliedRevisions(deps: ReconcileDeps, botIds: number[]): Promise<(string | null)[]> {
  const revisions: (string | null)[] = [];
  for (let from = 0; from < botIds.length; from += AT_ONCE) {
    const ids = botIds.slice(from, from + AT_ONCE);
    const found = await deps.redis.runMany(ids.map((id) => ['hget', botKeys(id).state, 'rev']));
    revisions.push(...(found as (string | null)[]));
  }
  return revisions;
}
