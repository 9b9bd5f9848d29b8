import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { SavedViewResource } from '@flotilla/contract/saved-views.ts';
import { type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';

const api = testApi();
let ada: RestClient;
let adaId: number;
let bob: RestClient;
let accounts = 0;

beforeEach(async () => {
  [{ client: ada, id: adaId }, { client: bob }] = [await newAccount(), await newAccount()];
});

/** Sees the bots of a label. */
async function newAccount(): Promise<{ client: RestClient; id: number }> {
  accounts += 1;
  const { id, key } = await insertAccount(api.database.db, { username: `views-${accounts}`, labels: ['shop'] });
  return { client: restClient(api.url, key), id };
}

const SHOPS = { screen: 'fleet', name: 'Shops', filter: { label: 'shop', sort: 'pending' } };
const add = (body: object, client = ada) => client('POST', '/api/views/add', { body });
const added = async (body: object) => (await add(body)).json as SavedViewResource;
const listed = async (screen?: string, client = ada) =>
  (await client('GET', '/api/views', { query: screen === undefined ? {} : { screen } })).json as SavedViewResource[];
const rename = (id: number, name: string, client = ada) => client('POST', '/api/views/rename', { body: { id, name } });

describe('saved views', () => {
  test('are of one screen, where one of the same name is replaced; whoever names no screen has those of the inbox', async () => {
    const waiting = { name: 'Shops', filter: { queue: 'waiting', q: 'shop' } };
    const inbox = await added(waiting);
    const fleet = await added(SHOPS);
    expect(fleet).toEqual({ ...SHOPS, screen: undefined, id: fleet.id, created_at: fleet.created_at });
    expect(await listed()).toEqual([inbox]);
    expect((await ada('GET', '/api/chats/views')).json).toEqual([inbox]);
    expect(await listed('fleet')).toEqual([fleet]);
    expect(await added({ ...SHOPS, filter: { state: 'disabled' } })).toMatchObject({ id: fleet.id });
    expect(await listed('fleet')).toMatchObject([{ name: 'Shops', filter: { state: 'disabled' } }]);
    expect(await listed('inbox')).toEqual([inbox]);
  });

  test('take only filters that their screen has', async () => {
    for (const [screen, filter] of [
      ['fleet', { queue: 'waiting' }],
      ['inbox', { label: 'shop' }],
    ] as const) {
      const refused = await add({ screen, name: 'Foreign', filter });
      const path = `filter.${Object.keys(filter)[0]}`;
      const details = [{ path, reason: `is no filter of the screen ${screen}` }];
      expect(refused).toMatchObject({ status: 400, json: { code: 'bad_request', details } });
    }
    expect((await add({ name: 'Foreign', filter: { label: 'shop' } })).status).toBe(400);
  });

  test('are renamed by their account alone, and to no name of another one of the screen', async () => {
    const { id } = await added(SHOPS);
    await added({ ...SHOPS, name: 'Kiosks' });
    await added({ ...SHOPS, screen: 'inbox', name: 'Both', filter: {} });
    expect(await rename(id, 'Kiosks')).toMatchObject({ status: 409, json: { code: 'conflict' } });
    expect((await rename(id, 'Theirs', bob)).status).toBe(404);
    expect((await rename(id, 'Both')).json).toMatchObject({ id, name: 'Both', filter: SHOPS.filter });
    expect((await listed('fleet')).map(({ name }) => name)).toEqual(['Both', 'Kiosks']);
    expect(await listed('fleet', bob)).toEqual([]);
  });

  test('are fifty of each screen at most', async () => {
    const rows = Array.from({ length: 50 }, (_, at) => ({
      ...{ account_id: adaId, screen: 'fleet' as const, name: `View ${at}`, filter: '{}' },
    }));
    await api.database.db.insertInto('saved_views').values(rows).execute();
    expect(await add(SHOPS)).toMatchObject({ status: 409, json: { code: 'conflict' } });
    expect((await add({ ...SHOPS, name: 'View 7' })).status).toBe(200);
    expect((await add({ name: 'Shops', filter: {} })).status).toBe(200);
  });

  test('are fifty at most also when sixty are added at once', async () => {
    const { db } = api.database;
    const adding = await db.transaction().execute(async (transaction) => {
      // None can be stored before others were counted.
      await sql`lock table saved_views in share row exclusive mode`.execute(transaction);
      const adds = Array.from({ length: 60 }, (_, at) => add({ ...SHOPS, name: `View ${at}` }));
      const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await waitFor(async () => (await waiting.execute(db)).rows.length > 1);
      return { answers: Promise.all(adds) };
    });
    const statuses = (await adding.answers).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([...Array(50).fill(200), ...Array(10).fill(409)]);
    expect(await listed('fleet')).toHaveLength(50);
  });

  test('are none of a key that is limited to bots or labels, go with the account, and leave no audit entry', async () => {
    const { id } = await added(SHOPS);
    const made = await ada('POST', '/api/auth/api-keys', { body: { name: 'limited', bot_labels: ['shop'] } });
    const limited = restClient(api.url, (made.json as { key: string }).key);
    expect(await listed('fleet', limited)).toEqual([]);
    expect((await add(SHOPS, limited)).status).toBe(403);
    expect((await rename(id, 'Mine', limited)).status).toBe(404);
    expect((await limited('POST', '/api/views/delete', { body: { id } })).status).toBe(404);
    await api.admin('POST', '/api/auth/users/delete', { body: { id: adaId } });
    const left = await api.database.db.selectFrom('saved_views').select('id').where('id', '=', id).execute();
    expect(left).toEqual([]);
    const audit = (await api.admin('GET', '/api/adminlog')).json as AuditEntryResource[];
    expect(audit.filter(({ action }) => action.includes('view'))).toEqual([]);
  });
});
