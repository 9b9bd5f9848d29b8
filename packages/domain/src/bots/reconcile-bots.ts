import { botKeys } from '@flotilla/redis/keys.ts';
import { type ActiveProgram, programReaderName, type StoredProgram } from './active-program.ts';
import { CERTIFICATE_BYTES_AT_MOST, keptCertificate } from './backend-certificate.ts';
import type { BotDeps } from './bot-deps.ts';
import { completeMirror, unmirrorBot } from './bot-mirror.ts';
import { type BotRow, botStore } from './bot-store.ts';
import { type RepublishDeps, republish } from './republish-bots.ts';
import { formOf } from './sealed-bot.ts';

type ReconcileDeps = RepublishDeps & Pick<BotDeps, 'log'>;

const AT_ONCE = 1000;

/**
 * Makes Redis agree with Postgres: rewrites bots whose mirrored revision or state differs, removes bots that are gone,
 * and completes a mirror that was lost. Returns the number of repaired bots.
 */
export async function reconcileBots(deps: ReconcileDeps): Promise<number> {
  const rows = await shortened(deps, await botStore(deps.db).all());
  const form = formOf(rows);
  const applied = await appliedStates(deps, rows);
  await reserveLostIds(deps, rows, applied);
  await renewed(deps, rows);
  const mirrored = new Map(deps.directory.ready() ? deps.directory.all().map((bot) => [bot.id, bot.revision]) : []);
  let mended = 0;
  for (const [at, row] of rows.entries()) {
    const state = applied[at];
    const isApplied = state?.revision === row.revision && state.hasPrograms;
    const inLine = isApplied && state.reservedId >= row.reserved_update_id;
    if (inLine && mirrored.get(row.id) === row.revision) continue;
    await republish(deps, row, form);
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

/** Earlier releases also kept the text around a certificate, up to megabytes. This shortens it with a new revision. */
async function shortened(deps: ReconcileDeps, rows: BotRow[]): Promise<BotRow[]> {
  const store = botStore(deps.db);
  for (const [at, { id, backend_certificate: stored }] of rows.entries()) {
    if (stored.length <= CERTIFICATE_BYTES_AT_MOST) continue;
    const kept = keptCertificate(stored);
    if (kept.length < stored.length) rows[at] = (await store.update(id, { backend_certificate: kept })) ?? rows[at]!;
  }
  return rows;
}

/**
 * The previous release leaves out backends and filters of programs, signing secrets, and named kinds, when it mirrors a
 * bot. A new revision replaces what it wrote.
 */
async function renewed(deps: ReconcileDeps, rows: BotRow[]): Promise<void> {
  if (!deps.directory.ready()) return;
  const store = botStore(deps.db);
  for (const [at, { id, revision, programs, signing_sealed: sealed, named_kinds: kinds }] of rows.entries()) {
    const mirrored = deps.directory.byId(id);
    if (mirrored?.revision !== revision) continue;
    const hasKinds = mirrored.namedKinds.length === kinds.length;
    if (hasKinds && hasAll(mirrored.programs, programs) && (mirrored.signing !== null) === (sealed !== '')) continue;
    await store.touch([id]);
    rows[at] = (await store.byId(id)) ?? rows[at]!;
  }
}

function hasAll(mirrored: ActiveProgram[], stored: StoredProgram[]): boolean {
  const known = mirrored.map((program) => partsOf(program, program.backendUrl !== '', program.signing !== null));
  const wanted = stored.map((program) =>
    partsOf(program, program.backendUrlSealed !== '', program.signingSealed !== ''),
  );
  return JSON.stringify(known) === JSON.stringify(wanted);
}

type Part = Pick<ActiveProgram, 'id' | 'tokens' | 'mode' | 'filter' | 'exclusive' | 'order' | 'webhookKinds'>;

function partsOf(
  { id, tokens, mode, filter, exclusive, order, webhookKinds }: Part,
  hasUrl: boolean,
  isSigned: boolean,
) {
  return [id, mode, hasUrl, isSigned, filter, exclusive, order, webhookKinds, ...tokens.map((token) => token.id)];
}

/** `hasPrograms`: false if the previous release, which takes programs for clients, forgot a cursor after a day. */
type AppliedState = { revision: number; reservedId: number; hasPrograms: boolean };

async function appliedStates(deps: ReconcileDeps, rows: BotRow[]): Promise<AppliedState[]> {
  const states: AppliedState[] = [];
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE);
    const withPrograms = some.filter(({ programs }) => programs.length > 0);
    const found = (await deps.redis.runMany([
      ...some.map(({ id }): [string, string, ...string[]] => {
        return ['hmget', botKeys(id).state, 'revision', 'reserved'];
      }),
      ...withPrograms.map(({ id, programs }): [string, string, ...string[]] => {
        return ['hmget', botKeys(id).consumers, ...programs.map((program) => programReaderName(program.id))];
      }),
    ])) as (string | null)[][];
    const lacking = new Set(withPrograms.filter((_, at) => found[some.length + at]?.includes(null)));
    for (const [at, row] of some.entries()) {
      const [revision, reservedId] = found[at]!;
      const hasPrograms = !lacking.has(row);
      states.push({ revision: Number(revision ?? -1), reservedId: Number(reservedId ?? 0), hasPrograms });
    }
  }
  return states;
}

/** A Postgres restored from a backup lacks the latest reservations of update ids. Redis still has them. */
async function reserveLostIds({ db }: ReconcileDeps, rows: BotRow[], applied: AppliedState[]): Promise<void> {
  const lost = rows.flatMap((row, at) => {
    const upTo = applied[at]?.reservedId ?? 0;
    return upTo > row.reserved_update_id ? [{ id: row.id, registrationId: row.generation, upTo }] : [];
  });
  if (lost.length > 0) await botStore(db).reserveUpdateIds(lost);
}
