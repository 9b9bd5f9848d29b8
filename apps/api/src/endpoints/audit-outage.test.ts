import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { administer, databaseUrl } from '@flotilla/testing/postgres.ts';
import { type RestAnswer, restClient } from '@flotilla/testing/rest-client.ts';
import { ADMIN_PASSWORD, testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { readWorkerConfig } from '@flotilla/worker/config.ts';
import { startWorker } from '@flotilla/worker/start.ts';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

const CHAT = 515_151;
const BACKEND_URL = 'http://127.0.0.1:9/';
const api = testApi();
let db: Database;
let bot: BotResource;
let platformId: number;

beforeAll(async () => {
  db = api.database.db;
  bot = await api.addBot({ proxy_enabled: true, backend_url: BACKEND_URL });
  platformId = Number(bot.token.split(':')[0]);
  const person = await api.platform.createPerson({ id: CHAT });
  await api.platform.startBot({ person: person.id, bot: platformId });
});

const post = (path: string, body: object) => api.admin('POST', path, { body });
const made = async (path: string, body: object) => (await post(path, body)).json as { id: number };
const inChat = (more: object = {}) => ({ bot_id: bot.id, chat_id: CHAT, ...more });
const callsOf = async (method: string) => (await api.platform.readCalls({ bot: platformId, method })).total;
const expectUnavailable = (answer: RestAnswer) =>
  expect(answer).toMatchObject({ status: 503, json: { code: 'unavailable' } });

const statement = (text: string) => administer(api.database.url, text);

/** All rows that REST can change in Postgres, except the audit log. */
async function everything(): Promise<unknown> {
  const tables = [
    'bots',
    'accounts',
    'routes',
    'tags',
    'chats',
    'messages',
    'dead_letters',
    'deletions',
    'delivery_jobs',
  ] as const;
  const rows = tables.map((table) => db.selectFrom(table).selectAll().execute());
  const keys = db.selectFrom('api_keys').select(['id', 'name', 'enabled']).orderBy('id');
  return Promise.all([...rows, keys.execute()]);
}

describe('while the audit log takes no entry', () => {
  beforeEach(() =>
    statement(`
      create function refuse_entry() returns trigger language plpgsql as
      $$ begin raise exception 'no space left' using errcode = '53100'; end $$`),
  );
  const refuseEntries = () =>
    statement('create trigger refuse_entry before insert on audit_log execute function refuse_entry()');
  afterEach(() => statement('drop function refuse_entry cascade'));

  test('a right password that cannot be recorded is 503, and no failed sign-in', async () => {
    const signIn = () =>
      restClient(api.url)('POST', '/api/auth/login', { body: { username: 'admin', password: ADMIN_PASSWORD } });
    await refuseEntries();
    for (let attempt = 0; attempt < 6; attempt += 1) expectUnavailable(await signIn());
    await statement('drop trigger refuse_entry on audit_log');
    expect((await signIn()).status).toBe(200);
  });

  test('nothing is changed, whatever the change is, and each says 503', async () => {
    const rule = {
      source_bot_id: bot.id,
      target_bot_id: bot.id,
      condition_type: 'all',
      action: 'copy',
      target_chat_id: 5,
    };
    const account = { username: 'grace', password: 'a long password' };
    const [route, tag] = [
      await made('/api/routes/add', rule),
      await made('/api/tags/add', inChat({ user_id: 5, tag: 'a' })),
    ];
    const [grace, key] = [
      await made('/api/auth/users/add', account),
      await made('/api/auth/api-keys', { name: 'one' }),
    ];
    const letter = {
      bot_id: bot.id,
      reader: 'push',
      update_id: 1,
      payload: '{"update_id":1}',
      reason: 'x',
      reason_code: 'refused',
      attempts: 1,
    };
    await db.insertInto('dead_letters').values(letter).execute();
    const { token } = await api.platform.createBot({});
    const before = await everything();
    await refuseEntries();
    const changes: [path: string, body: object][] = [
      ['/api/bots/add', { token }],
      ['/api/bots/update', { id: bot.id, name: 'another' }],
      ['/api/bots/toggle-disabled', { id: bot.id }],
      ['/api/bots/delete', { id: bot.id }],
      ['/api/routes/add', rule],
      ['/api/routes/update', { id: route.id, enabled: false }],
      ['/api/routes/delete', { id: route.id }],
      ['/api/auth/users/add', { ...account, username: 'heidi' }],
      ['/api/auth/users/update', { id: grace.id, role: 'admin' }],
      ['/api/auth/users/reset-password', { id: grace.id, password: 'another password' }],
      ['/api/auth/users/delete', { id: grace.id }],
      ['/api/auth/change-password', { old_password: ADMIN_PASSWORD, new_password: 'another password' }],
      ['/api/auth/api-keys', { name: 'two' }],
      ['/api/auth/api-keys/toggle', { id: key.id, enabled: false }],
      ['/api/auth/api-keys/delete', { id: key.id }],
      ['/api/tags/add', inChat({ user_id: 5, tag: 'b' })],
      ['/api/tags/remove', { id: tag.id }],
      ['/api/chats/delete', inChat()],
      ['/api/deliveries/redrive', { bot_id: bot.id }],
      ['/api/deliveries/discard', { filter: {} }],
    ];
    for (const [path, body] of changes) {
      const answer = await post(path, body);
      expect({ path, status: answer.status }).toEqual({ path, status: 503 });
    }
    expectUnavailable(await api.admin('GET', '/api/messages/export', { query: inChat() }));
    const signIn = { username: 'admin', password: ADMIN_PASSWORD };
    const refused = await restClient(api.url)('POST', '/api/auth/login', { body: signIn });
    expectUnavailable(refused);
    expect(refused.headers.getSetCookie()).toEqual([]);
    expect((await fetch(`${api.url}/tgapi/bot${bot.token}/deleteWebhook`)).status).toBeGreaterThanOrEqual(500);
    expect(await everything()).toEqual(before);
    expect((await api.admin('GET', '/api/bots')).json).toContainEqual(
      expect.objectContaining({ id: bot.id, name: bot.name, backend_url: BACKEND_URL, disabled: false }),
    );
  });

  test('what the platform has done already is there later, once, with who had it done', async () => {
    await refuseEntries();
    const sent = await post('/api/messages/send', inChat({ text: 'said already' }));
    expect(sent).toMatchObject({ status: 200, json: { text: 'said already' } });
    await statement('drop trigger refuse_entry on audit_log');
    const worker = await startWorker(readWorkerConfig({ ...api.env, WORKER_ROLES: 'history', LOG_LEVEL: 'warn' }));
    try {
      const entries = await waitFor(async () => {
        const found = await api.admin('GET', '/api/adminlog', { query: inChat({ action: 'send' }) as never });
        return (found.json as AuditEntryResource[]).length > 0 && found.json;
      });
      const { id } = sent.json as { id: number };
      const byKey = {
        actor_kind: 'key',
        actor_username: 'admin',
        actor_key_id: expect.any(Number),
        address: '127.0.0.1',
        request_id: sent.headers.get('x-request-id'),
      };
      expect(entries).toEqual([expect.objectContaining({ ...byKey, target_id: id })]);
      expect((await api.admin('GET', '/api/messages', { query: inChat() as never })).text).toContain('said already');
    } finally {
      await worker.stop();
    }
  });
});

describe('while Postgres only reads', () => {
  /** Set from another database. The setting applies to new connections only, so the existing ones are closed. */
  const readOnly = (on: boolean) => {
    const name = new URL(api.database.url).pathname.slice(1);
    return administer(
      databaseUrl(api.database.url, 'postgres'),
      `alter database ${name} set default_transaction_read_only = ${on ? 'on' : 'off'};
      select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
  };

  test('nothing is asked of the platform that could not be recorded', async () => {
    await readOnly(true);
    try {
      await waitFor(async () => (await post('/api/bots/update', { id: bot.id, name: 'x' })).status === 503);
      const before = [await callsOf('sendMessage'), await callsOf('banChatMember')];
      expectUnavailable(await post('/api/messages/send', inChat({ text: 'never said' })));
      expectUnavailable(await post('/api/users/ban', inChat({ user_id: 5 })));
      expect([await callsOf('sendMessage'), await callsOf('banChatMember')]).toEqual(before);
    } finally {
      await readOnly(false);
    }
    await waitFor(async () => (await post('/api/bots/update', { id: bot.id, name: 'y' })).status === 200);
  });
});
