import type { EventSinkResource } from '@flotilla/contract/event-sinks.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

type Sink = EventSinkResource & { signing_secret?: string };

const SECRET = expect.stringMatching(/^whsec_/);

const api = testApi();
let receiver: TestBackend;

beforeAll(async () => {
  receiver = await startBackend();
});
afterAll(() => receiver.stop());

const post = (path: string, body: object) => api.admin('POST', `/api/event-sinks/${path}`, { body });
const addChat = async () => {
  const bot = await api.addBot();
  return (await post('add', { name: 'On call', bot_id: bot.id, chat_id: 7 })).json as Sink;
};

test('the secret of a URL is shown once: when the sink is added, or when its chat becomes a URL', async () => {
  const chat = await addChat();
  expect(chat).not.toHaveProperty('signing_secret');
  const { json: changed } = await post('update', { id: chat.id, url: receiver.url });
  expect(changed).toMatchObject({ url: receiver.url, signing_secret: SECRET });
  expect(changed).not.toHaveProperty('chat_id');
  const { json: renamed } = await post('update', { id: chat.id, name: 'Desk' });
  expect(renamed).not.toHaveProperty('signing_secret');
  const { json: added } = await post('add', { name: 'Desk', url: receiver.url });
  expect(added).toMatchObject({ signing_secret: SECRET });
  expect((added as Sink).signing_secret).not.toBe((changed as Sink).signing_secret);
});

test.each([
  ['', 'must not be empty'],
  ['bots.example.com/events', 'must begin with http:// or https://'],
  ['https://', 'is not an http or https URL'],
  ['http://169.254.169.254/latest', expect.stringContaining('which is never allowed')],
])('a URL that no event may be sent to is refused as url: %s', async (url, reason) => {
  const { id } = await addChat();
  for (const answer of [await post('add', { name: 'Desk', url }), await post('update', { id, url })]) {
    expect(answer).toMatchObject({ status: 400, json: { details: [{ path: 'url', reason }] } });
  }
});

test('changes of one sink at the same time all hold, and each is in the audit', async () => {
  const { id } = await addChat();
  const changes = [{ name: 'Night' }, { chat_id: 8 }, { kinds: ['bot.added'] }, { enabled: false }];
  const answers = await Promise.all(changes.map((change) => post('update', { id, ...change })));
  expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
  const sinks = (await api.admin('GET', '/api/event-sinks')).json as Sink[];
  expect(sinks.find((sink) => sink.id === id)).toMatchObject({
    name: 'Night',
    chat_id: 8,
    kinds: ['bot.added'],
    enabled: false,
  });
  const audit = api.database.db.selectFrom('audit_log').select('details').where('action', '=', 'sink_update');
  expect((await audit.execute()).filter(({ details }) => details.startsWith(`sink ${id};`))).toHaveLength(
    changes.length,
  );
});

test('of deletions of one sink at the same time one happens, and a change of a deleted one is refused', async () => {
  const { id } = await addChat();
  const answers = await Promise.all([post('delete', { id }), post('delete', { id })]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
  expect((await post('update', { id, name: 'Night' })).status).toBe(404);
});

test('there are fifty at most, also when sixty are added at once', async () => {
  const adding = Array.from({ length: 60 }, (_, at) => post('add', { name: `Desk ${at}`, url: receiver.url }));
  expect(new Set((await Promise.all(adding)).map(({ status }) => status))).toEqual(new Set([200, 400]));
  expect((await api.admin('GET', '/api/event-sinks')).json).toHaveLength(50);
});
