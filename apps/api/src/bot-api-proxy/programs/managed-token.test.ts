import type { BotResource } from '@flotilla/contract/bots.ts';
import { type GrantingPlatform, startGrantingPlatform } from '@flotilla/testing/granting-platform.ts';
import { file, form, json, part, post } from '@flotilla/testing/request-bodies.ts';
import { startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

const BACKEND = 'http://ada:word@127.0.0.1:9/shop?key=other';

let platform: GrantingPlatform;
let api: TestApi;
/** Another bot manages it, so whoever made it has its token. */
let managed: BotResource;
let plain: BotResource;

beforeAll(async () => {
  platform = await startGrantingPlatform();
  api = await startTestApi({ TELEGRAM_API_URL: platform.url });
  [managed, plain] = [await api.addBot({ backend_url: BACKEND }), await api.addBot({ backend_url: BACKEND })];
  const { db } = api.database;
  const fields = { parent_bot_id: plain.id, backend_ip_address: '127.0.0.1' };
  await db.updateTable('bots').set(fields).where('id', '=', managed.id).execute();
  // Publishes the row.
  await api.admin('POST', '/api/bots/update', { body: { id: managed.id, description: 'made by a link' } });
}, 60_000);
afterAll(async () => {
  await api?.stop();
  await platform?.stop();
});
beforeEach(() => {
  platform.calls.length = 0;
});

async function send(path: string, init: RequestInit = {}, { token }: BotResource = managed) {
  const headers = { ...(init.headers as Record<string, string>), 'x-test': '1' };
  const answer = await fetch(`${api.url}/tgapi/bot${token}/${path}`, { ...init, headers });
  return { status: answer.status, json: (await answer.json()) as { description?: string; result?: object } };
}

const DISK = 'file:///etc/passwd';
const IN_URL = encodeURIComponent(DISK);

describe('with the own token of a managed bot', () => {
  test.each([
    ['in JSON', 'sendDocument', json({ chat_id: 5, document: DISK })],
    ['in a query string', `sendDocument?chat_id=5&document=${IN_URL}`, {}],
    ['in a form', 'sendDocument', post('application/x-www-form-urlencoded', `chat_id=5&document=${IN_URL}`)],
    ['in a form of parts', 'sendDocument', form(part('chat_id', '5'), part('document', DISK))],
    ['inside of JSON', 'sendMediaGroup', json({ chat_id: 5, media: [{ type: 'photo', media: DISK }] })],
    ['of a method in the body', '', json({ method: 'sendDocument', chat_id: 5, document: DISK })],
    ['of a method that nobody knows', 'sendHologram', json({ chat_id: 5, hologram: DISK })],
  ])('no file of a server is named: %s', async (_how, path, init) => {
    const { status, json: answer } = await send(path, init);
    expect({ status, ...answer }).toMatchObject({
      status: 403,
      description: expect.stringContaining('names a file on a disk, which the token of a managed bot may not'),
    });
    expect(platform.calls).toEqual([]);
  });

  test('nor behind the first file of a form', async () => {
    const late = form(part('chat_id', '5'), file('photo', 2_000_000), part('thumbnail', DISK));
    expect((await send('sendVideo', late)).json.description).toContain('thumbnail names a file on a disk');
  });

  test('other files are sent, by their URLs and whole', async () => {
    expect((await send('sendDocument', json({ chat_id: 5, document: 'https://a.example/b' }))).status).toBe(200);
    expect(JSON.parse(platform.calls[0]!.body)).toEqual({ chat_id: '5', document: 'https://a.example/b' });
    const { status, json: answer } = await send('sendPhoto', form(part('chat_id', '5'), file('photo', 2_000_000)));
    expect({ status, answer }).toMatchObject({ status: 200, answer: { result: { username: 'a_bot' } } });
    const { type, body } = platform.calls[1]!;
    const parts = await new Response(body, { headers: { 'content-type': type } }).formData();
    expect(parts.get('chat_id')).toBe('5');
    expect(parts.get('photo')).toMatchObject({ name: 'a.bin', size: 2_000_000 });
    expect((await send('sendMessage', json({ chat_id: 5, text: DISK }))).status).toBe(200);
  });

  test('the webhook is shown without its secrets and its address', async () => {
    const shown = await send('getWebhookInfo');
    expect(shown.json.result).toMatchObject({ url: 'http://****@127.0.0.1:9/shop?key=****' });
    expect(shown.json.result).not.toHaveProperty('ip_address');
  });
});

test('with the own token of another bot all of that is as at the platform', async () => {
  expect((await send('sendDocument', json({ chat_id: 5, document: DISK }), plain)).status).toBe(200);
  expect((await send('getWebhookInfo', {}, plain)).json.result).toMatchObject({ url: BACKEND });
});
