import type { ProgramFilter } from '@flotilla/contract/program-filters.ts';
import type { ProgramRow } from '@flotilla/contract/programs.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import { sql } from 'kysely';
import { SEALED_PLACES } from '../../fleet/bots/sealed-bot.ts';
import { openSigning, type Signing, sealSigning } from '../../fleet/bots/signing.ts';
import { leaveLettersOfProgram } from '../../records/retention/letters-of-program.ts';
import type { Creator } from './creator.ts';
import type { Program, ProgramChanges, ProgramContent } from './program.ts';

const LETTERS_AT_ONCE = 10_000;

/** SQL of programs. Their secrets are sealed for their row. */
export function programStore(db: Database, secrets: SecretBox) {
  const ofBot = (botId: number) => db.selectFrom('programs').where('bot_id', '=', botId);
  const toProgram = (row: ProgramRow) => programFromRow(secrets, row);
  return {
    /** Oldest first; `afterId` starts after that program. */
    async list(botId: number, page: { limit: number; offset: number; afterId: number | null }): Promise<Program[]> {
      let programs = ofBot(botId).selectAll().orderBy('id').limit(page.limit).offset(page.offset);
      if (page.afterId !== null) programs = programs.where('id', '>', page.afterId);
      return (await programs.execute()).map(toProgram);
    },

    async count(botId: number): Promise<number> {
      const { count } = await ofBot(botId)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    /** The filters of a bot's programs, or of all but one. */
    async filters(botId: number, exceptId = 0): Promise<ProgramFilter[]> {
      const rows = await ofBot(botId).select('filter').where('id', '<>', exceptId).execute();
      return rows.map(({ filter }) => JSON.parse(filter) as ProgramFilter);
    },

    async find(id: number): Promise<Program | null> {
      const row = await db.selectFrom('programs').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toProgram(row);
    },

    /** Like `find`, but also locks the program until the transaction ends. */
    async lock(id: number): Promise<Program | null> {
      const row = await db.selectFrom('programs').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
      return row === undefined ? null : toProgram(row);
    },

    async insert(bot_id: number, content: ProgramContent, creator: Creator): Promise<Program> {
      const { name, mode } = content;
      // The id is drawn before the row is made, because the row's secrets are bound to it.
      const { rows } = await sql<{
        id: number;
      }>`select nextval(pg_get_serial_sequence('programs', 'id')) as id`.execute(db);
      const { id } = rows[0]!;
      const row = await db
        .insertInto('programs')
        .values({ ...columnsOf(secrets, id, content, creator), id, bot_id, name, mode })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toProgram(row);
    },

    /** `creator`: who gives a new backend. */
    async update(id: number, changes: ProgramChanges, creator: Creator): Promise<Program> {
      const row = await db
        .updateTable('programs')
        .set(columnsOf(secrets, id, changes, creator))
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return toProgram(row);
    },

    async setSigning(id: number, signing: Signing | null, { by, byKey }: Creator): Promise<void> {
      const sealed = sealSigning(secrets, signing, SEALED_PLACES.programSigning(id));
      await db
        .updateTable('programs')
        .set({ signing_sealed: sealed, signing_by: signing && by, signing_by_key: signing && byKey })
        .where('id', '=', id)
        .execute();
    },

    /** Exclusive dead letters pass to the bot; the others are deleted with the program. */
    async remove({ id, bot_id }: Program): Promise<void> {
      const program = { bot_id, programId: id };
      // One statement for all of a parked program could reach its time limit.
      while ((await leaveLettersOfProgram(db, program, LETTERS_AT_ONCE)) > 0);
      await db.deleteFrom('programs').where('id', '=', id).execute();
    },
  };
}

/** The columns that these changes set; undefined ones stay as they are. */
function columnsOf(secrets: SecretBox, id: number, changes: ProgramChanges, { by, byKey }: Creator) {
  const { kinds, filter, order, backend_url, secret_token, webhook_kinds, ...plain } = changes;
  const seal = (text: string | undefined, place: string) => (text ? secrets.seal(text, place) : text);
  return {
    ...plain,
    kinds: kinds && JSON.stringify(kinds),
    filter: filter && JSON.stringify(filter),
    position: order,
    backend_url_sealed: seal(backend_url, SEALED_PLACES.programUrl(id)),
    secret_token_sealed: seal(secret_token, SEALED_PLACES.programSecret(id)),
    ...(backend_url === undefined
      ? {}
      : { backend_by: backend_url ? by : null, backend_by_key: backend_url ? byKey : null }),
    webhook_kinds: webhook_kinds && JSON.stringify(webhook_kinds),
  };
}

function programFromRow(secrets: SecretBox, row: ProgramRow): Program {
  const { backend_url_sealed, secret_token_sealed, signing_sealed, position, ...plain } = row;
  const open = (sealed: string, place: string) => (sealed === '' ? '' : secrets.open(sealed, place));
  return {
    ...plain,
    order: position,
    backend_url: open(backend_url_sealed, SEALED_PLACES.programUrl(row.id)),
    secret_token: open(secret_token_sealed, SEALED_PLACES.programSecret(row.id)),
    signing: openSigning(secrets, signing_sealed, SEALED_PLACES.programSigning(row.id)),
    kinds: JSON.parse(row.kinds) as string[],
    webhook_kinds: row.webhook_kinds === null ? null : (JSON.parse(row.webhook_kinds) as string[]),
    filter: JSON.parse(row.filter) as ProgramFilter,
  };
}
