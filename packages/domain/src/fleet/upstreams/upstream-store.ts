import { type Additions, settable, storable } from '@flotilla/contract/resource.ts';
import { type UpstreamRow, upstream } from '@flotilla/contract/upstreams.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { SecretBox } from '@flotilla/runtime/secret-box.ts';
import { sql } from 'kysely';
import { SEALED_PLACES } from '../bots/sealed-bot.ts';

/** A server as its settings are. Never log the whole object: the proxy may have a password. */
export type StoredUpstream = Omit<UpstreamRow, 'proxy_sealed'> & { proxy: string };
export type UpstreamSettings = Additions<typeof upstream>;

/** SQL of upstreams. The proxy is sealed for its row, since it may have a password. */
export function upstreamStore(db: Database, secrets: SecretBox) {
  const open = ({ proxy_sealed, ...row }: UpstreamRow): StoredUpstream => ({
    ...row,
    proxy: proxy_sealed === '' ? '' : secrets.open(proxy_sealed, SEALED_PLACES.upstreamProxy(row.id)),
  });
  const columnsOf = (id: number, { proxy, ...settings }: UpstreamSettings) => ({
    ...storable(upstream, settable(upstream, settings)),
    proxy_sealed: proxy === '' ? '' : secrets.seal(proxy, SEALED_PLACES.upstreamProxy(id)),
  });
  return {
    /** Oldest first. */
    async list(): Promise<StoredUpstream[]> {
      return (await db.selectFrom('upstreams').selectAll().orderBy('id').execute()).map(open);
    },

    async find(name: string): Promise<StoredUpstream | null> {
      const row = await db.selectFrom('upstreams').selectAll().where('name', '=', name).executeTakeFirst();
      return row === undefined ? null : open(row);
    },

    /** Locks it until the transaction ends. */
    async lock(id: number): Promise<StoredUpstream | null> {
      const row = await db.selectFrom('upstreams').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
      return row === undefined ? null : open(row);
    },

    /** null: the name is taken. */
    async insert(name: string, settings: UpstreamSettings): Promise<StoredUpstream | null> {
      // The id is drawn before the row is made, because the row's secret is bound to it.
      const { rows } = await sql<{
        id: number;
      }>`select nextval(pg_get_serial_sequence('upstreams', 'id')) as id`.execute(db);
      const { id } = rows[0]!;
      const row = await db
        .insertInto('upstreams')
        .values({ id, name, ...columnsOf(id, settings) })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? null : open(row);
    },

    async update(id: number, settings: UpstreamSettings): Promise<StoredUpstream> {
      const row = await db
        .updateTable('upstreams')
        .set(columnsOf(id, settings))
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return open(row);
    },

    async remove(id: number): Promise<void> {
      await db.deleteFrom('upstreams').where('id', '=', id).execute();
    },

    /** True if there is one of this name, which stays until the transaction ends. */
    async keep(name: string): Promise<boolean> {
      const found = db.selectFrom('upstreams').select('id').where('name', '=', name).forShare();
      return (await found.executeTakeFirst()) !== undefined;
    },

    /** The ids of the bots at it. */
    async botsOf(name: string): Promise<number[]> {
      const rows = await db.selectFrom('bots').select('id').where('upstream', '=', name).orderBy('id').execute();
      return rows.map(({ id }) => id);
    },
  };
}
