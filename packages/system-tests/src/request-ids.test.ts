import type { OutboxEntryResource } from '@flotilla/contract/outbox.ts';
import type { QuestionResource } from '@flotilla/contract/questions.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { ADMIN_KEY, type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const PATIENCE = { timeoutMs: 60_000 };

let fleet: Fleet;
let sink: TestBackend;
let bot: FleetBot;
let person: number;

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 }, { LOG_LEVEL: 'debug' });
  sink = await startBackend();
  bot = await fleet.addBot({ proxy_enabled: true });
  person = (await fleet.control.createPerson({ firstName: 'Ada' })).id;
  await fleet.control.startBot({ person, bot: bot.platformId });
  await waitFor(async () => (await fleet.rest<object[]>(`/api/chats?bot_id=${bot.id}`)).length === 1, PATIENCE);
}, 180_000);
afterAll(async () => {
  await fleet?.stop();
  await sink?.stop();
}, 60_000);

/** Calls as the admin; `id` is the one that the answer tells. */
async function call<Json>(path: string, body: object): Promise<{ id: string; json: Json }> {
  const { status, headers, json } = await restClient(fleet.url, ADMIN_KEY)('POST', path, { body });
  expect({ status, json }).toMatchObject({ status: 200 });
  return { id: String(headers.get('x-request-id')), json: json as Json };
}
/** The lines of all api processes, or of all workers, that name the request. */
const linesOf = (role: 'apis' | 'workers', id: string) =>
  fleet[role].flatMap((one) => one.output().split('\n')).filter((line) => line.includes(`"requestId":"${id}"`));
const auditedWith = async (id: string) =>
  (await fleet.rest<{ action: string; request_id?: string }[]>('/api/adminlog?limit=100'))
    .filter(({ request_id }) => request_id === id)
    .map(({ action }) => action)
    .sort();
const untilAudited = (id: string, actions: string[]) =>
  waitFor(async () => {
    expect(await auditedWith(id)).toEqual(actions);
    return true;
  }, PATIENCE);
const untilLogged = (id: string) =>
  waitFor(() => linesOf('workers', id).length > 0 && linesOf('apis', id).length > 0, PATIENCE);

test('the id of a call with the token of a program is in its answer and in the audit log', async () => {
  const { json: program } = await call<{ id: number }>('/api/programs/add', { bot_id: bot.id, name: 'pins' });
  const of = { program_id: program.id, name: 'own', methods: ['pinChatMessage'], chats: [person] };
  const { token } = (await call<{ token: string }>('/api/programs/tokens/add', of)).json;
  const { messageId } = await fleet.control.sendMessage({ person, bot: bot.platformId, text: 'to be pinned' });
  const answer = await fetch(`${fleet.url}/tgapi/bot${token}/pinChatMessage?chat_id=${person}&message_id=${messageId}`);
  expect(answer.status).toBe(200);
  await untilAudited(String(answer.headers.get('x-request-id')), ['pin']);
});

test('the id of a message that is handed over is in its entry, in the log of both sides, and in the audit log', async () => {
  const { id, json } = await call<OutboxEntryResource>('/api/outbox/add', {
    ...{ bot_id: bot.id, method: 'sendMessage', params: { chat_id: person, text: 'handed over' } },
  });
  expect(json.request_id).toBe(id);
  await untilAudited(id, ['outbox_add', 'send']);
  await untilLogged(id);
});

// Each message of a broadcast leaves no audit entry: the broadcast has one.
test('the id of a broadcast is in its entries, in the log of both sides, in the audit log, and in what a sink gets', async () => {
  await call('/api/event-sinks/add', { name: 'all', url: sink.url, kinds: ['broadcast.done'] });
  const { id, json: broadcast } = await call<{ id: number }>('/api/broadcasts/add', {
    ...{ bot_id: bot.id, name: 'Sale', method: 'sendMessage', params: { text: 'everything must go' } },
    audience: { chat_types: ['private'] },
  });
  const told = await waitFor(() => sink.requests.find(({ text }) => text.includes('broadcast.done')), PATIENCE);
  expect(told!.headers).toMatchObject({ 'flotilla-request-id': id });
  expect(JSON.parse(told!.text)).toMatchObject({ data: { request_id: id } });
  const entries = await fleet.rest<OutboxEntryResource[]>(`/api/outbox?broadcast_id=${broadcast.id}`);
  expect(entries).toMatchObject([{ chat_id: person, state: 'sent', request_id: id }]);
  await untilAudited(id, ['broadcast_add']);
  await untilLogged(id);
});

test('the id of a question is kept with it until its answer is shown, and in the audit log', async () => {
  const { id, json: question } = await call<QuestionResource>('/api/questions/add', {
    ...{ bot_id: bot.id, chat_id: person, text: 'Deploy?', options: ['Yes', 'No'] },
  });
  expect(question.request_id).toBe(id);
  await fleet.control.pressButton({ person, bot: bot.platformId, messageId: question.message_id!, text: 'Yes' });
  const shown = () => fleet.rest<QuestionResource>(`/api/questions/show?id=${question.id}`);
  await waitFor(async () => (await shown()).state === 'answered', PATIENCE);
  expect(await shown()).toMatchObject({ request_id: id });
  await untilAudited(id, ['send']);
  await untilLogged(id);
});
