import type { ExpiringTable } from '@flotilla/contract/system.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { sql } from 'kysely';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { recordEvent } from '../../people/events/record-event.ts';
import type { PlannedRemoval } from './plan-removals.ts';

export type WaitingRemoval = { table: ExpiringTable; rows: number; before: Date; since: Date };

/** Fewer rows never wait. */
const FEW_ROWS = 1_000;
/** Rows that have expired since the confirmation. */
const GROWN_BY = 1.1;
/** Some removals come once a month. */
const REMEMBERED = sql`interval '35 days'`;

/** True for far more than is usual; `last` is the largest removal of that table of late, null: there was none. */
export function isUnusual(
  { rows, total, usualShare = 0 }: Pick<PlannedRemoval, 'rows' | 'total' | 'usualShare'>,
  last: number | null,
): boolean {
  if (rows < FEW_ROWS || rows <= total * usualShare) return false;
  // Where whole months go, one is often more than a tenth.
  if (rows > total / 10 && (last === null || rows > 2 * last)) return true;
  return last !== null && rows > 10 * last && rows > total / 100;
}

/** Returns the tables of which nothing may be removed until somebody confirms it. Of the others, it notes how much goes. */
export async function holdUnusual(db: Database, plans: readonly PlannedRemoval[]): Promise<Set<string>> {
  const known = await sql<{ table: string; last: number | null; confirmed: number | null }>`
    select table_name as table, last_rows as last,
      case when confirmed_at > now() - interval '1 day' then confirmed_rows end as confirmed
    from removals`.execute(db);
  const held = new Set<string>();
  for (const planned of plans) {
    const found = known.rows.find(({ table }) => table === planned.table);
    const isConfirmed = planned.rows <= (found?.confirmed ?? 0) * GROWN_BY;
    const isHeld = isUnusual(planned, found?.last ?? null) && !isConfirmed;
    if (isHeld) {
      held.add(planned.table);
      await hold(db, planned);
    } else await noteAllowed(db, planned);
  }
  return held;
}

async function noteAllowed(db: Database, { table, rows }: PlannedRemoval): Promise<void> {
  await sql`
    update removals set waiting_rows = null, waiting_before = null, waiting_since = null
    where table_name = ${table} and waiting_since is not null and confirmed_at is null`.execute(db);
  if (rows < FEW_ROWS) return;
  // Before it goes: whatever interrupts the removal, it does not look smaller than it was.
  await sql`
    insert into removals (table_name, last_rows, last_at) values (${table}, ${rows}, now())
    on conflict (table_name) do update set
      last_rows = case when removals.last_at > now() - ${REMEMBERED} then greatest(removals.last_rows, excluded.last_rows)
        else excluded.last_rows end,
      last_at = case when removals.last_at > now() - ${REMEMBERED} and excluded.last_rows < removals.last_rows / 2
        then removals.last_at else now() end`.execute(db);
}

/** Of several workers that find the same, one tells people. */
async function hold(db: Database, { table, rows, total, before }: PlannedRemoval): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`insert into removals (table_name) values (${table}) on conflict do nothing`.execute(transaction);
    const { rows: begun } = await sql<{ begins: boolean }>`
      with was as (select waiting_since is null as begins from removals where table_name = ${table} for update)
      update removals set waiting_rows = ${rows}, waiting_before = ${before}, confirmed_rows = null, confirmed_at = null,
        waiting_since = coalesce(waiting_since, now())
      from was where table_name = ${table}
        and (confirmed_at is null or confirmed_at <= now() - interval '1 day' or confirmed_rows * ${GROWN_BY}::float8 < ${rows})
      returning was.begins`.execute(transaction);
    if (begun[0]?.begins !== true) return;
    const text = `About ${rows} of ${total} rows of ${table} would go, far more than is usual: POST /api/system/confirm-removal`;
    await recordEvent(transaction, { kind: 'removal.waits', bot_id: null, text });
  });
}

/** After everything was removed that is not held: what was confirmed for it is over. */
export async function endConfirmations(db: Database, held: ReadonlySet<string>): Promise<void> {
  await sql`
    update removals set waiting_rows = null, waiting_before = null, waiting_since = null, confirmed_rows = null, confirmed_at = null
    where confirmed_at is not null and table_name <> all (${[...held]}::text[])`.execute(db);
}

export async function hasConfirmed(db: Database): Promise<boolean> {
  const { rows } = await sql`
    select from removals where confirmed_at > now() - interval '1 day' limit 1`.execute(db);
  return rows.length > 0;
}

export async function waitingRemovals(db: Database): Promise<WaitingRemoval[]> {
  const { rows } = await sql<WaitingRemoval>`
    select table_name as table, waiting_rows as rows, waiting_before as before, waiting_since as since
    from removals where waiting_since is not null and confirmed_at is null order by table_name`.execute(db);
  return rows;
}

/** Lets what waits go, of one table or of all. Throws FlotillaError('conflict') if it is not what the caller was shown, or nothing waits. */
export async function confirmRemovals(
  db: Database,
  by: Actor,
  shown: { table?: string | undefined; rows?: number | undefined },
  clock: { nowMs(): number },
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { rows: confirmed } = await sql<{ table: string; rows: number }>`
      update removals set confirmed_rows = waiting_rows, confirmed_at = now()
      where waiting_since is not null and (${shown.table ?? null}::text is null or table_name = ${shown.table ?? null})
        and (${shown.rows ?? null}::bigint is null or waiting_rows = ${shown.rows ?? null})
      returning table_name as table, waiting_rows as rows`.execute(transaction);
    if (confirmed.length === 0)
      throw new FlotillaError('conflict', 'No such removal waits: look again at what would go');
    const details = confirmed.map(({ table, rows }) => `${table}: about ${rows} rows`).join('; ');
    await recordAction({ db: transaction, clock }, by, { action: 'confirm_removal', details });
  });
}
