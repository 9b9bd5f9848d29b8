import type { MoveStep } from '@flotilla/contract/bot-moves.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { BotMovesTable } from '@flotilla/database/upkeep-tables.ts';
import { type Selectable, sql } from 'kysely';

export type BotMove = Selectable<BotMovesTable>;

/** Changes by a step that ends or waits. */
export type MoveChanges = Partial<Pick<BotMove, 'step' | 'waits_until' | 'reason' | 'logs_out_of'>>;

/** A worker that has ended is replaced after so long. */
const LEASE_S = 15;
const KEPT_DAYS = 7;
/** A bot that left the cloud cannot come back before. */
const CLOUD_REFUSES_S = 600;

/** SQL of `bot_moves`. A move that ended, or that another worker took, is not written any more. */
export function botMoveStore(db: Database) {
  const mine = ({ id, claim }: BotMove) => sql<boolean>`id = ${id} and claim = ${claim} and finished_at is null`;
  return {
    async active(botId: number): Promise<BotMove | null> {
      const found = db.selectFrom('bot_moves').selectAll().where('bot_id', '=', botId).where('finished_at', 'is', null);
      return (await found.executeTakeFirst()) ?? null;
    },

    /** False if the bot moves already. */
    async begin(move: Pick<BotMove, 'bot_id' | 'from_upstream' | 'to_upstream'>, actor: object): Promise<boolean> {
      const added = await db
        .insertInto('bot_moves')
        .values({ ...move, actor: JSON.stringify(actor) })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return (added.numInsertedOrUpdatedRows ?? 0n) > 0n;
    },

    /** The move that is due longest, for this worker; null if none is. */
    async take(): Promise<BotMove | null> {
      const { rows } = await sql<BotMove>`
        update bot_moves set claim = claim + 1, due_at = now() + make_interval(secs => ${LEASE_S})
        where id = (
          select id from bot_moves where finished_at is null and due_at <= now()
          order by due_at limit 1 for update skip locked)
        returning *`.execute(db);
      return rows[0] ?? null;
    },

    /** False if the move is not this worker's any more. */
    async renew(move: BotMove): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update bot_moves set due_at = now() + make_interval(secs => ${LEASE_S}) where ${mine(move)}`.execute(db);
      return numAffectedRows === 1n;
    },

    /** For the next look at it, of whichever worker. */
    async release(move: BotMove, afterS: number): Promise<void> {
      await sql`update bot_moves set due_at = now() + make_interval(secs => ${afterS}) where ${mine(move)}`.execute(db);
    },

    /** Null if the move is not this worker's any more. */
    async change(move: BotMove, changes: MoveChanges): Promise<BotMove | null> {
      const moves = changes.step !== undefined && changes.step !== move.step;
      const changed = await db
        .updateTable('bot_moves')
        .set({ ...changes, ...(moves && { step_since: sql<Date>`now()`, known_since: null }) })
        .where(mine(move))
        .returningAll()
        .executeTakeFirst();
      return changed ?? null;
    },

    /** Notes that logOut is called now: from then on nobody cancels. False if somebody did. */
    async leave(move: BotMove): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update bot_moves set leaves_at = coalesce(leaves_at, now()) where ${mine(move)} and step = 'log_out'`.execute(
        db,
      );
      return numAffectedRows === 1n;
    },

    async stay(move: BotMove): Promise<void> {
      await db.updateTable('bot_moves').set({ leaves_at: null }).where(mine(move)).execute();
    },

    async left(move: BotMove): Promise<BotMove | null> {
      const changed = await db
        .updateTable('bot_moves')
        .set({ step: 'log_in', step_since: sql<Date>`now()`, left_at: sql<Date>`now()`, waits_until: null, reason: '' })
        .where(mine(move))
        .returningAll()
        .executeTakeFirst();
      return changed ?? null;
    },

    /**
     * Sends a move elsewhere, at once. False if it has gone on meanwhile. The server that it gives up may have logged the bot in, unless
     * it waited for an earlier one to log it out.
     */
    async redirect({ id, step, leaves_at }: BotMove, to: string, nextStep: MoveStep): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update bot_moves set to_upstream = ${to}, step = ${nextStep}, step_since = now(), waits_until = null, reason = '',
          claim = claim + 1, due_at = now(), known_since = null,
          logs_out_of = case when step = 'log_in' then nullif(coalesce(logs_out_of, to_upstream), ${to}) end,
          left_at = case when ${nextStep} = 'log_in' then coalesce(left_at, now()) end
        where id = ${id} and finished_at is null and step = ${step} and (leaves_at is null) = ${leaves_at === null}`.execute(
        db,
      );
      return numAffectedRows === 1n;
    },

    /** False if the move is not this worker's any more. */
    async finish(move: BotMove): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update bot_moves set finished_at = now() where ${mine(move)}`.execute(db);
      await sql`
        delete from bot_moves where bot_id = ${move.bot_id} and finished_at < now() - make_interval(days => ${KEPT_DAYS})`.execute(
        db,
      );
      return numAffectedRows === 1n;
    },

    /** For how many seconds a server refuses a bot that left it less than ten minutes ago; 0: it takes it. */
    async refusalLeftS(botId: number, upstream: string): Promise<number> {
      const { rows } = await sql<{ left: number }>`
        select greatest(0, ceil(extract(epoch from max(left_at) - now()) + ${CLOUD_REFUSES_S}))::float8 as left
        from bot_moves where bot_id = ${botId} and from_upstream = ${upstream} and left_at is not null`.execute(db);
      return rows[0]?.left ?? 0;
    },

    /** Every process can know of the step now. True if that is so for this many seconds. */
    async isSettled(move: BotMove, seconds: number): Promise<boolean> {
      const { rows } = await sql<{ settled: boolean }>`
        update bot_moves set known_since = coalesce(known_since, now()) where ${mine(move)}
        returning known_since <= now() - make_interval(secs => ${seconds}) as settled`.execute(db);
      return rows[0]?.settled ?? false;
    },

    /** Notes that processes may not know the step any more. */
    async unsettle(move: BotMove): Promise<void> {
      await db.updateTable('bot_moves').set({ known_since: null }).where(mine(move)).execute();
    },
  };
}
