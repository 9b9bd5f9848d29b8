import { type EventSinkRow, eventSink } from '@flotilla/contract/event-sinks.ts';
import { settable, storable } from '@flotilla/contract/resource.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import { sql } from 'kysely';
import { SEALED_PLACES } from '../../fleet/bots/sealed-bot.ts';
import { openSigning, type Signing, sealSigning } from '../../fleet/bots/signing.ts';
import type { EventSink, SinkContent } from './event-sink.ts';

/** Of two changes at a time, each would wait for the sink of the other. */
const CHANGES_LOCK = 7_301_205;

/** SQL of event sinks. Their secrets are sealed for their row. */
export function sinkStore(db: Database, secrets: SecretBox) {
  const open = ({ url_sealed, signing_sealed, bot_id, chat_id, ...row }: EventSinkRow): EventSink => ({
    ...row,
    target:
      bot_id !== null && chat_id !== null
        ? { kind: 'chat', bot_id, chat_id }
        : {
            kind: 'url',
            url: secrets.open(url_sealed, SEALED_PLACES.sinkUrl(row.id)),
            signing: openSigning(secrets, signing_sealed, SEALED_PLACES.sinkSigning(row.id)) ?? UNSIGNED,
          },
  });
  const columnsOf = (id: number, { target, ...content }: SinkContent) => ({
    ...storable(eventSink, settable(eventSink, content)),
    url_sealed: target.kind === 'url' ? secrets.seal(target.url, SEALED_PLACES.sinkUrl(id)) : '',
    bot_id: target.kind === 'chat' ? target.bot_id : null,
    chat_id: target.kind === 'chat' ? target.chat_id : null,
  });
  const signingColumn = (id: number, signing: Signing) => ({
    signing_sealed: sealSigning(secrets, signing, SEALED_PLACES.sinkSigning(id)),
  });
  const lockChanges = () => sql`select pg_advisory_xact_lock(${CHANGES_LOCK})`.execute(db);
  const present = () => db.selectFrom('event_sinks').selectAll().where('removed_at', 'is', null);
  return {
    /** Oldest first. */
    async list(): Promise<EventSink[]> {
      return (await present().orderBy('id').execute()).map(open);
    },

    /** How many there are; another transaction that adds or changes one waits until this one has ended. */
    async countLocked(): Promise<number> {
      await lockChanges();
      return (await present().execute()).length;
    },

    async find(id: number): Promise<EventSink | null> {
      const row = await present().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : open(row);
    },

    /** Like `find`, and locks the sink until the transaction ends. Its entry of the audit log then waits for no other change. */
    async lock(id: number): Promise<EventSink | null> {
      await lockChanges();
      const row = await present().where('id', '=', id).forUpdate().executeTakeFirst();
      return row === undefined ? null : open(row);
    },

    /** Receivers of the audit log: sinks, and copies of what sinks were. */
    async findReceiver(id: number): Promise<EventSink | null> {
      const row = await db
        .selectFrom('event_sinks')
        .selectAll()
        .where('id', '=', id)
        .where(sql<boolean>`(removed_at is not null or (enabled and audit))`)
        .executeTakeFirst();
      return row === undefined ? null : open(row);
    },

    async insert(content: SinkContent, signing: Signing): Promise<EventSink> {
      // The id is drawn before the row is made, because the row's secrets are bound to it.
      const { rows } = await sql<{
        id: number;
      }>`select nextval(pg_get_serial_sequence('event_sinks', 'id')) as id`.execute(db);
      const { id } = rows[0]!;
      const row = await db
        .insertInto('event_sinks')
        .values({ id, ...columnsOf(id, content), ...signingColumn(id, signing) })
        .returningAll()
        .executeTakeFirstOrThrow();
      return open(row);
    },

    /** Without a new `signing`, the one it has stays. */
    async update(id: number, content: SinkContent, signing: Signing | null): Promise<EventSink> {
      const columns = { ...columnsOf(id, content), ...(signing === null ? {} : signingColumn(id, signing)) };
      const row = await db
        .updateTable('event_sinks')
        .set({ ...columns, failing_since: null, last_error: '' })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return open(row);
    },

    async markRemoved(id: number, at: Date): Promise<void> {
      await db.updateTable('event_sinks').set({ removed_at: at }).where('id', '=', id).execute();
    },

    async remove(id: number): Promise<void> {
      await db.deleteFrom('event_sinks').where('id', '=', id).execute();
    },

    /** How many events wait for each sink. */
    async waiting(): Promise<Map<number, number>> {
      const rows = await db
        .selectFrom('event_deliveries')
        .select(['sink_id', (row) => row.fn.countAll<number>().as('count')])
        .where('delivered_at', 'is', null)
        .groupBy('sink_id')
        .execute();
      return new Map(rows.map(({ sink_id, count }) => [sink_id, Number(count)]));
    },

    async noteDelivered(id: number, at: Date): Promise<void> {
      await db
        .updateTable('event_sinks')
        .set({ delivered_at: at, failing_since: null, last_error: '' })
        .where('id', '=', id)
        .execute();
    },

    async noteFailed(id: number, at: Date, error: string): Promise<void> {
      await db
        .updateTable('event_sinks')
        .set({ failing_since: sql<Date>`coalesce(failing_since, ${at})`, last_error: error })
        .where('id', '=', id)
        .execute();
    },
  };
}

/** A secret that nothing opens: nothing is sent then. */
const UNSIGNED: Signing = { secret: '', previous: null };
