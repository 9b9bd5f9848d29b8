import type { Database } from '@flotilla/database/connect.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import { sql } from 'kysely';
import { secondFactorPlace } from '../../people/accounts/second-factor-store.ts';
import { SEALED_PLACES } from '../bots/sealed-bot.ts';
import { type Place, resealer, type Tally } from './tally.ts';

type SealedTable = {
  table: string;
  key: string;
  /** Of each column its name in the tally, and where in Postgres its texts are valid. '' means that there is none. */
  columns: Readonly<Record<string, readonly [counted: Place, boundTo: (id: number) => string]>>;
};

const SEALED_TABLES: readonly SealedTable[] = [
  {
    ...{ table: 'bots', key: 'id' },
    columns: {
      token_sealed: ['bot tokens', SEALED_PLACES.token],
      secret_token_sealed: ['secret tokens', SEALED_PLACES.secretToken],
      signing_sealed: ['signing secrets', SEALED_PLACES.signing],
      template_sealed: ['templates', SEALED_PLACES.template],
      backend_url_sealed: ['backend URLs', SEALED_PLACES.backendUrl],
    },
  },
  {
    ...{ table: 'programs', key: 'id' },
    columns: {
      backend_url_sealed: ['backend URLs', SEALED_PLACES.programUrl],
      secret_token_sealed: ['secret tokens', SEALED_PLACES.programSecret],
      signing_sealed: ['signing secrets', SEALED_PLACES.programSigning],
    },
  },
  {
    ...{ table: 'event_sinks', key: 'id' },
    columns: {
      url_sealed: ['event URLs', SEALED_PLACES.sinkUrl],
      signing_sealed: ['signing secrets', SEALED_PLACES.sinkSigning],
    },
  },
  {
    ...{ table: 'second_factors', key: 'account_id' },
    columns: { totp_sealed: ['second factors', secondFactorPlace] },
  },
];

const ROWS_A_STEP = 200;

type ResealDeps = { db: Database; secrets: SecretBox; signal: AbortSignal };
type SealedRow = { id: number; texts: string[] };
type Change = { before: SealedRow; after: SealedRow };

/**
 * Inspects every sealed text in Postgres. Unless `lookOnly`, it seals those of another listed key again with the first
 * one. Each step is one statement, so the work may be stopped at any time and started again.
 */
export async function resealStored(deps: ResealDeps, tally: Tally, lookOnly: boolean): Promise<void> {
  for (const of of SEALED_TABLES) await resealTable(deps, of, tally, lookOnly);
}

async function resealTable(deps: ResealDeps, of: SealedTable, tally: Tally, lookOnly: boolean): Promise<void> {
  const reseal = resealer(deps.secrets, tally);
  const columns = Object.values(of.columns);
  let lastId = 0;
  for (;;) {
    deps.signal.throwIfAborted();
    const rows = await readAfter(deps.db, of, lastId);
    if (rows.length === 0) return;
    lastId = rows.at(-1)!.id;
    const changes = rows
      .map((before) => {
        const texts = columns.map(([counted, boundTo], at) => reseal(counted, before.texts[at]!, boundTo(before.id)));
        return { before, after: { ...before, texts } };
      })
      .filter(({ before, after }) => after.texts.some((text, at) => text !== before.texts[at]));
    if (lookOnly || changes.length === 0) continue;
    const replaced = await replace(deps.db, of, changes);
    tally.resealed += replaced;
    tally.overtaken += changes.length - replaced;
  }
}

async function readAfter(db: Database, { table, key, columns }: SealedTable, id: number): Promise<SealedRow[]> {
  const names = Object.keys(columns).map((name) => sql.ref(name));
  const { rows } = await sql<SealedRow>`
    select ${sql.ref(key)} as id, array[${sql.join(names)}] as texts from ${sql.table(table)}
    where ${sql.ref(key)} > ${id} order by ${sql.ref(key)} limit ${ROWS_A_STEP}`.execute(db);
  return rows;
}

/** Replaces values that were not changed since they were read. Returns the number of rows. The revision of bots stays. */
async function replace(db: Database, { table, key, columns }: SealedTable, changes: Change[]): Promise<number> {
  const names = Object.keys(columns);
  const texts = (of: keyof Change) =>
    names.map((_, at) => sql`${changes.map((change) => change[of].texts[at])}::text[]`);
  const named = (side: 'old' | 'new') => names.map((name) => sql.ref(`${side}_${name}`));
  const set = names.map((name) => sql`${sql.ref(name)} = c.${sql.ref(`new_${name}`)}`);
  const isSame = names.map((name) => sql`stored.${sql.ref(name)} = c.${sql.ref(`old_${name}`)}`);
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} as stored set ${sql.join(set)}
    from unnest(${changes.map(({ before }) => before.id)}::bigint[], ${sql.join([...texts('before'), ...texts('after')])})
      as c (id, ${sql.join([...named('old'), ...named('new')])})
    where stored.${sql.ref(key)} = c.id and ${sql.join(isSame, sql` and `)}`.execute(db);
  return Number(numAffectedRows ?? 0);
}
