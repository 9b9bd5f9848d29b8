import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { type ActivityCounts, COUNTS } from './activity-counts.ts';

/** No bot has this id: the rows of the whole fleet. */
const FLEET = 0;

/** The activity of a bot, or of the fleet (null), in the hour that begins at `atMs`. */
export type ActivityHour = StoredActivity & { botId: number | null; atMs: number };

/** `waiting`: the most updates that waited at once; null where nobody looked. */
export type StoredActivity = { counts: ActivityCounts; waiting: number | null };

/** SQL of `activity_hours`. */
export function activityStore(db: Database) {
  return {
    /**
     * Writes hours of bots that exist. Of a row that is there, the larger numbers stay: then writing twice changes
     * nothing, and a Redis that has lost its counts takes none away.
     */
    async keep(hours: ActivityHour[]): Promise<void> {
      const column = (name: keyof ActivityCounts) => hours.map(({ counts }) => counts[name]);
      await sql`
        insert into activity_hours as known (bot_id, at, received, delivered, failed, retried, calls, waiting)
        select * from unnest(
          ${hours.map(({ botId }) => botId ?? FLEET)}::bigint[],
          ${hours.map(({ atMs }) => new Date(atMs).toISOString())}::timestamptz[],
          ${sql.join(COUNTS.map((name) => sql`${column(name)}::bigint[]`))},
          ${hours.map(({ waiting }) => waiting)}::bigint[]
        ) as fresh (bot_id, at, received, delivered, failed, retried, calls, waiting)
        where bot_id = ${FLEET} or exists (select from bots where id = fresh.bot_id)
        on conflict (bot_id, at) do update set
          received = greatest(known.received, excluded.received),
          delivered = greatest(known.delivered, excluded.delivered),
          failed = greatest(known.failed, excluded.failed),
          retried = greatest(known.retried, excluded.retried),
          calls = greatest(known.calls, excluded.calls),
          waiting = greatest(known.waiting, excluded.waiting)`.execute(db);
    },

    /** How many updates these bots delivered in hours from then on. */
    async deliveredOf(
      botIds: readonly number[],
      fromMs: number,
    ): Promise<{ bot_id: number; atMs: number; count: number }[]> {
      const rows = await db
        .selectFrom('activity_hours')
        .select(['bot_id', 'at', 'delivered'])
        .where('bot_id', 'in', [...botIds])
        .where('at', '>=', new Date(fromMs))
        .execute();
      return rows.map(({ bot_id, at, delivered: count }) => ({ bot_id, atMs: at.getTime(), count }));
    },

    /** The activity of a bot, or of the fleet (null), by the start of the hour (ms); hours without activity may be absent. */
    async list(botId: number | null, fromMs: number, toMs: number): Promise<Map<number, StoredActivity>> {
      const rows = await db
        .selectFrom('activity_hours')
        .selectAll()
        .where('bot_id', '=', botId ?? FLEET)
        .where('at', '>=', new Date(fromMs))
        .where('at', '<', new Date(toMs))
        .execute();
      return new Map(
        rows.map(({ at, received, delivered, failed, retried, calls, waiting }) => [
          at.getTime(),
          { counts: { in: received, delivered, failed, retried, calls }, waiting },
        ]),
      );
    },
  };
}
