import type { BotRow as StoredBot } from '@flotilla/contract/bots.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Tables } from '@flotilla/database/tables.ts';
import { type Insertable, sql, type Updateable } from 'kysely';
import type { StoredProgram } from './active-program.ts';
import type { ActiveRule } from './active-rule.ts';
import type { Moving } from './bot.ts';
import type { CursorChange } from './cursor-change.ts';
import { type MovedGroup, withFormerChats } from './former-chats.ts';

/** A bot with its routing rules and programs. */
export type BotRow = StoredBot & {
  rules: ActiveRule[];
  routedTo: boolean;
  programs: StoredProgram[];
  moving: Moving | null;
};
type Registration = { id: number; registration_id: string };
type NewBot = Omit<Insertable<Tables['bots']>, 'revision'>;
type ChangedBot = Omit<Updateable<Tables['bots']>, 'revision' | 'id' | 'registration_id'>;

const nextRevision = sql<number>`nextval('bot_revisions')`;

const enabledRules = sql<ActiveRule[]>`(
  select coalesce(json_agg(json_build_object(
    'id', r.id, 'target_bot_id', coalesce(r.target_bot_id, 0), 'candidate_bot_ids', r.candidate_bot_ids, 'condition_type', r.condition_type, 'condition_value', r.condition_value,
    'action', r.action, 'action_minutes', r.action_minutes, 'target_chat_id', r.target_chat_id, 'delivery', r.delivery)
    order by coalesce(r.position, r.id)), '[]')
  from routes r where r.source_bot_id = bots.id and r.enabled)`;
const programsOf = sql<StoredProgram[]>`(
  select coalesce(json_agg(json_build_object(
    'id', p.id, 'name', p.name, 'enabled', p.enabled, 'kinds', p.kinds::json, 'mode', p.mode,
    'backend_url_sealed', p.backend_url_sealed, 'secret_token_sealed', p.secret_token_sealed,
    'signing_sealed', p.signing_sealed,
    'webhook_token_id', p.webhook_token_id, 'webhook_kinds', p.webhook_kinds::json, 'backend_role', p.backend_role,
    'backend_certificate', p.backend_certificate, 'backend_ip_address', p.backend_ip_address, 'max_connections', p.max_connections,
    'silent_after_s', p.silent_after_s,
    'filter', p.filter::json, 'exclusive', p.exclusive, 'order', p.position, 'sees_held', p.sees_held, 'chats_revision', p.chats_revision, 'priority', p.priority, 'tokens', (
      select coalesce(json_agg(json_build_object(
        'id', t.id, 'hash', t.token_hash, 'methods', t.methods::json, 'chats', t.chats::json,
        'threads', t.threads::json,
        'per_second', t.per_second, 'per_minute', t.per_minute, 'priority', t.priority,
        'expiresAtMs', floor(extract(epoch from t.expires_at) * 1000)) order by t.id), '[]')
      from program_tokens t where t.program_id = p.id)) order by p.id), '[]')
  from programs p where p.bot_id = bots.id)`;
const move = sql<Moving | null>`(
  select json_build_object('to', m.to_upstream, 'step', m.step, 'since', m.created_at, 'step_since', m.step_since,
    'waits_until', m.waits_until, 'reason', m.reason)
  from bot_moves m where m.bot_id = bots.id and m.finished_at is null)`;
const movedGroups = sql<MovedGroup[]>`(
  select coalesce(json_agg(json_build_array(c.id, c.migrated_to_chat_id)), '[]') from chats c
  where c.bot_id = bots.id and c.migrated_to_chat_id is not null)`;
const isTarget = sql<boolean>`exists (
  select from routes r where r.target_bot_id = bots.id and r.enabled and r.action in ('forward', 'copy'))`;

/**
 * SQL of the `bots` table. Every change draws a new revision. A bot, its rules and its programs are always read in one
 * statement, so that a revision identifies one state of them.
 */
export function botStore(db: Database) {
  const read = () =>
    db
      .selectFrom('bots')
      .selectAll()
      .select([
        ...[enabledRules.as('rules'), isTarget.as('routedTo'), programsOf.as('programs')],
        move.as('moving'),
        movedGroups.as('moved_groups'),
      ]);
  const byId = async (id: number): Promise<BotRow | undefined> => {
    const row = await read().where('id', '=', id).executeTakeFirst();
    return row && withFormerChats(row);
  };
  /** In order of id, so that two transactions over the same bots wait instead of deadlocking. */
  const lockAll = async (ids: readonly number[]): Promise<void> => {
    await db.selectFrom('bots').select('id').where('id', 'in', ids).orderBy('id').forNoKeyUpdate().execute();
  };
  return {
    all: async (): Promise<BotRow[]> => (await read().orderBy('id').execute()).map(withFormerChats),
    byId,
    /** Oldest first; a bot may be registered more than once, as at the test environment. */
    byTelegramId: async (telegramId: number): Promise<BotRow[]> =>
      (await read().where('telegram_id', '=', telegramId).orderBy('id').execute()).map(withFormerChats),
    /** How many bots there are, and the sum of their revisions: two numbers that tell most changes apart. */
    revisionTotals: async (): Promise<{ count: number; sum: number }> => {
      const { rows } = await sql<{ count: number; sum: number }>`
        select count(*)::float8 as count, coalesce(sum(revision), 0)::float8 as sum from bots`.execute(db);
      return rows[0]!;
    },
    /** The revision of every bot, by id. */
    revisions: async (): Promise<Map<number, number>> => {
      const rows = await db.selectFrom('bots').select(['id', 'revision']).execute();
      return new Map(rows.map(({ id, revision }) => [id, revision]));
    },
    /** A new id. It is drawn before the row is made, because the row's secrets are bound to it. */
    nextId: async (): Promise<number> => {
      const { rows } = await sql<{ id: number }>`select nextval(pg_get_serial_sequence('bots', 'id')) as id`.execute(
        db,
      );
      return rows[0]!.id;
    },
    /** Like `byId`, but also locks the bot until the transaction ends. */
    lock: async (id: number): Promise<BotRow | undefined> => {
      const locked = db.selectFrom('bots').select('id').where('id', '=', id).forNoKeyUpdate();
      return (await locked.executeTakeFirst()) && byId(id);
    },
    lockAll,
    insert: async (bot: NewBot): Promise<BotRow | undefined> => {
      const inserted = await db
        .insertInto('bots')
        .values({ ...bot, revision: nextRevision })
        .onConflict((conflict) => conflict.column('token_hash').doNothing())
        .returning('id')
        .executeTakeFirst();
      return inserted && byId(inserted.id);
    },
    update: async (id: number, changes: ChangedBot): Promise<BotRow | undefined> => {
      const { numUpdatedRows } = await db
        .updateTable('bots')
        .set({ ...changes, revision: nextRevision })
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows === 0n ? undefined : byId(id);
    },
    /** Keeps what the change that drew the present revision does to cursors. Draws no revision. */
    keepCursorChange: async (id: number, change: CursorChange): Promise<void> => {
      // Eight changes ago is long applied, unless Redis was away for as many.
      await sql`
        update bots set cursor_changes = jsonb_path_query_array(
          cursor_changes || jsonb_build_array(${JSON.stringify(change)}::jsonb || jsonb_build_object('revision', revision)),
          '$[last - 7 to last]')
        where id = ${id}`.execute(db);
    },
    /** Adds names to those of the bot, up to fifty. False if nothing was new. */
    nameKinds: async (id: number, kinds: readonly string[]): Promise<boolean> => {
      const { numAffectedRows } = await sql`
        update bots set revision = ${nextRevision}, named_kinds = jsonb_path_query_array(
          named_kinds || (select jsonb_agg(kind) from unnest(${kinds}::text[]) as kind where not named_kinds ? kind),
          '$[0 to 49]')
        where id = ${id} and jsonb_array_length(named_kinds) < 50 and not named_kinds ?& ${kinds}::text[]`.execute(db);
      return numAffectedRows === 1n;
    },
    /** Draws new revisions for bots whose rules or programs changed. */
    touch: async (ids: number[]): Promise<void> => {
      if (ids.length === 0) return;
      await lockAll(ids);
      await db.updateTable('bots').set({ revision: nextRevision }).where('id', 'in', ids).execute();
    },
    /** Notes that a bot asks questions. */
    beginAsking: async (id: number): Promise<void> => {
      await db
        .updateTable('bots')
        .set({ asks: true, revision: nextRevision })
        .where('id', '=', id)
        .where('asks', '=', false)
        .execute();
    },
    /** The other bots in rules from or to this one. */
    routingPartners: async (id: number): Promise<number[]> => {
      const { rows } = await sql<{ partner: number }>`
        select target_bot_id as partner from routes where source_bot_id = ${id} and target_bot_id <> ${id}
        union select source_bot_id from routes where target_bot_id = ${id} and source_bot_id <> ${id}`.execute(db);
      return rows.map((row) => row.partner);
    },
    /** The reserved update id of each of these bots. */
    reservedUpdateIds: async (ids: number[]): Promise<Map<number, number>> => {
      const rows = await db.selectFrom('bots').select(['id', 'reserved_update_id']).where('id', 'in', ids).execute();
      return new Map(rows.map((row) => [row.id, row.reserved_update_id]));
    },
    /** Reserves update ids at least up to these, and returns the new reservations. Draws no revision. */
    reserveUpdateIds: async (
      wanted: (Registration & { upTo: number })[],
    ): Promise<(Registration & { upTo: number })[]> => {
      const column = <T>(of: (one: Registration & { upTo: number }) => T) => wanted.map(of);
      const { rows } = await sql<Registration & { upTo: number }>`
        update bots set reserved_update_id = greatest(reserved_update_id, w.up_to)
        from unnest(${column(({ id }) => id)}::bigint[], ${column(({ registration_id }) => registration_id)}::text[],
          ${column(({ upTo }) => upTo)}::bigint[]) as w (id, registration_id, up_to)
        where bots.id = w.id and bots.registration_id = w.registration_id
        returning bots.id, bots.registration_id, bots.reserved_update_id as "upTo"`.execute(db);
      return rows;
    },
    remove: async (id: number): Promise<boolean> => {
      const gone = await db.deleteFrom('bots').where('id', '=', id).executeTakeFirst();
      return gone.numDeletedRows > 0n;
    },
  };
}
