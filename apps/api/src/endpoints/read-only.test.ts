import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { ADMIN_KEY, ADMIN_PASSWORD, testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { expect, test } from '@jest/globals';

const api = testApi();
const setReadOnly = (read_only: boolean) =>
  api.admin('POST', '/api/system/read-only', { body: { read_only, reason: 'an upgrade of Postgres' } });

test('in the read-only mode every replica refuses changes and sends, and programs go on', async () => {
  const bot = await api.addBot();
  const { id: person } = await api.platform.createPerson({});
  await api.platform.startBot({ person, bot: Number(bot.token.split(':')[0]), quietly: true });
  const other = await api.startPod();
  const onOther = restClient(other.url, ADMIN_KEY);
  const change = (client = api.admin) => client('POST', '/api/bots/update', { body: { id: bot.id, name: 'Renamed' } });
  const message = { chat_id: person, text: 'Hello' };
  const proxied = (method: string, body: object) =>
    fetch(`${other.url}/tgapi/bot${bot.token}/${method}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  expect((await setReadOnly(true)).json).toEqual({ ok: true });
  const refused = await change();
  expect(refused).toMatchObject({ status: 503, json: { code: 'unavailable' } });
  expect((refused.json as { error: string }).error).toContain('read-only for maintenance (an upgrade of Postgres)');
  expect(refused.headers.get('retry-after')).toBe('30');
  await waitFor(async () => (await change(onOther)).status === 503);
  // A saved view leaves no audit entry, and would be lost all the same.
  const view = { screen: 'fleet', name: 'The shops', filter: { label: 'shop' } };
  expect((await onOther('POST', '/api/views/add', { body: view })).status).toBe(503);
  const send = await onOther('POST', '/api/messages/send', { body: { bot_id: bot.id, ...message } });
  expect(send.status).toBe(503);
  expect((await onOther('GET', '/api/system/read-only')).json).toMatchObject({ read_only: true });
  expect((await onOther('GET', '/api/bots')).status).toBe(200);
  expect((await proxied('sendMessage', message)).status).toBe(200);
  expect((await proxied('deleteWebhook', {})).status).toBe(503);
  const signedIn = await restClient(other.url)('POST', '/api/auth/login', {
    body: { username: 'admin', password: ADMIN_PASSWORD },
  });
  expect(signedIn.status).toBe(200);

  await setReadOnly(false);
  expect((await change()).status).toBe(200);
  await waitFor(async () => (await change(onOther)).status === 200);
  expect((await proxied('deleteWebhook', {})).status).toBe(200);
  const audited = await api.admin('GET', '/api/adminlog', { query: { action: 'read_only' } });
  expect(audited.json as AuditEntryResource[]).toMatchObject([
    { actor_username: 'admin', details: 'read_only: true → false' },
    { actor_username: 'admin', details: 'read_only: true an upgrade of Postgres' },
  ]);
});
