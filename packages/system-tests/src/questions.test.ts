import type { QuestionResource } from '@flotilla/contract/questions.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { ADMIN_KEY, type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

let fleet: Fleet;
let backend: TestBackend;
let bot: FleetBot;
let ada: number;
let ben: number;
let group: number;

beforeAll(async () => {
  fleet = await startFleet({ apis: 2, workers: 2 });
  backend = await startBackend();
  bot = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url, long_poll_enabled: true });
  for (const mode of ['pull', 'push']) {
    const url = mode === 'push' ? { backend_url: `${backend.url}/program` } : {};
    await fleet.rest('/api/programs/add', {
      bot_id: bot.id,
      name: mode,
      mode,
      kinds: ['callback_query', 'message'],
      ...url,
    });
  }
  const { control } = fleet;
  ada = (await control.createPerson({ firstName: 'Ada', lastName: 'Lovelace' })).id;
  ben = (await control.createPerson({ firstName: 'Ben' })).id;
  const admins = [{ bot: bot.platformId }];
  group = (await control.createChat({ type: 'supergroup', creator: ada, members: [ben], admins })).id;
}, 60_000);
afterAll(async () => {
  await fleet?.stop();
  await backend?.stop();
}, 60_000);

const ask = (fields: object = {}) =>
  fleet.rest<QuestionResource>('/api/questions/add', {
    bot_id: bot.id,
    chat_id: group,
    text: 'Deploy?',
    options: ['Deploy', 'Not now'],
    ...fields,
  });
const show = (id: number) => fleet.rest<QuestionResource>(`/api/questions/show?id=${id}`);
/** Waits at one replica. */
const waitAt = async (replica: number, id: number, timeout = 30): Promise<QuestionResource> => {
  const url = `http://127.0.0.1:${fleet.apis[replica]?.port}/api/questions/wait?id=${id}&timeout=${timeout}`;
  return (await (await fetch(url, { headers: { authorization: `Bearer ${ADMIN_KEY}` } })).json()) as QuestionResource;
};
const press = async (person: number, { message_id: messageId }: QuestionResource, text: string) =>
  fleet.control.pressButton({ person, chat: group, messageId: messageId as number, text });
const shownText = async ({ message_id: id }: QuestionResource) => {
  const { messages } = await fleet.control.readChat({ chat: group });
  const message = messages.find(({ message_id }) => message_id === id);
  return { text: message?.text, hasButtons: message?.reply_markup !== undefined };
};
const told = async (queryId: string) => {
  const { calls } = await fleet.control.readCalls({ bot: bot.platformId, method: 'answerCallbackQuery' });
  return calls.map(({ params }) => params).findLast((params) => params.callback_query_id === queryId)?.text;
};
const untilTold = (queryId: string) => waitFor(() => told(queryId), { message: 'the person being told' });

describe('a question', () => {
  test('is answered by a press, which whoever waits at any replica learns and no other reader gets', async () => {
    const question = await ask();
    expect(question).toMatchObject({ state: 'open', message_id: expect.any(Number) });
    const waiting = Promise.all([waitAt(0, question.id), waitAt(1, question.id)]);
    const { queryId } = await press(ada, question, 'Deploy');
    for (const answered of await waiting) {
      expect(answered).toMatchObject({
        state: 'answered',
        option: 'Deploy',
        answered_by: ada,
        answered_by_name: 'Ada Lovelace',
      });
    }
    expect(await untilTold(queryId)).toBe('Deploy');
    await waitFor(async () => !(await shownText(question)).hasButtons, { message: 'the message showing the answer' });
    expect((await shownText(question)).text).toBe('Deploy?\n\n✅ Deploy (Ada Lovelace)');

    // What comes behind it reaches everybody, so the press would have, too.
    await fleet.control.sendMessage({ person: ada, chat: group, text: 'behind it' });
    const behind = () => backend.requests.filter(({ text }) => text.includes('behind it')).map(({ url }) => url);
    await waitFor(() => behind().length === 2, { message: 'the message at both backends' });
    expect(backend.requests.filter(({ text }) => text.includes('callback_query'))).toEqual([]);
    for (const query of ['', '&consumer=archive']) {
      const { result } = await fleet.rest<{ result: object[] }>(`/api/updates/poll?bot_id=${bot.id}&timeout=0${query}`);
      expect(JSON.stringify(result)).not.toContain('callback_query');
    }
    const [stored] = await fleet.rest<QuestionResource[]>(`/api/questions?bot_id=${bot.id}&state=answered`);
    expect(stored).toEqual(await show(question.id));
  });

  test('takes the first of two presses, and tells the second person who answered', async () => {
    const question = await ask();
    const [first, second] = [await press(ada, question, 'Not now'), await press(ben, question, 'Deploy')];
    expect(await untilTold(second.queryId)).toBe('Ada Lovelace answered: Not now');
    expect(await untilTold(first.queryId)).toBe('Not now');
    expect(await show(question.id)).toMatchObject({ option: 'Not now', answered_by: ada });
  });

  test('is answered by a press that names an inline message in place of its own', async () => {
    const mode = (name: string) =>
      fetch(`${fleet.url}/tgapi/bot${bot.token}/setMySettings?callback_query_mode=${name}`);
    expect((await mode('inline')).status).toBe(200);
    try {
      const question = await ask();
      const { queryId } = await press(ben, question, 'Deploy');
      expect(await waitAt(0, question.id)).toMatchObject({ state: 'answered', option: 'Deploy', answered_by: ben });
      expect(await untilTold(queryId)).toBe('Deploy');
      await waitFor(async () => !(await shownText(question)).hasButtons, { message: 'the message showing the answer' });
    } finally {
      await mode('default');
    }
  });

  test('is answered only by those who may', async () => {
    const question = await ask({ allowed_user_ids: [ben] });
    expect(await untilTold((await press(ada, question, 'Deploy')).queryId)).toBe('This question is for somebody else.');
    expect(await show(question.id)).toMatchObject({ state: 'open' });
    await press(ben, question, 'Deploy');
    expect(await waitAt(0, question.id)).toMatchObject({ state: 'answered', answered_by: ben });
  });

  test('expires, and says so in the chat', async () => {
    const question = await ask({ expires_in_s: 5 });
    expect(await waitAt(0, question.id, 1)).toMatchObject({ state: 'open' });
    expect(await waitAt(1, question.id)).toMatchObject({ state: 'expired' });
    await waitFor(async () => !(await shownText(question)).hasButtons, { message: 'the message showing the end' });
    expect((await shownText(question)).text).toBe('Deploy?\n\n⌛ Nobody answered in time.');
  });

  test('can be cancelled, and stays as it ended', async () => {
    const question = await ask();
    const cancel = () => fleet.rest<QuestionResource>('/api/questions/cancel', { id: question.id });
    expect(await cancel()).toMatchObject({ state: 'cancelled' });
    expect((await shownText(question)).hasButtons).toBe(false);
    expect(await cancel()).toMatchObject({ state: 'cancelled' });
    const answered = await ask();
    await press(ada, answered, 'Deploy');
    await waitAt(0, answered.id);
    expect(await fleet.rest('/api/questions/cancel', { id: answered.id })).toMatchObject({ state: 'answered' });
  });

  test('is not answered by data that somebody made up', async () => {
    const question = await ask();
    const made = (data: string) => ({
      id: `${Date.now()}`,
      from: { id: ben, first_name: 'Ben' },
      chat_instance: '1',
      data,
    });
    const forged = made(`flq:${question.id}:${'A'.repeat(22)}:0`);
    await fleet.control.injectUpdate({ bot: bot.platformId, kind: 'callback_query', raw: JSON.stringify(forged) });
    expect(await untilTold(forged.id)).toBe('This question is not known any more.');
    expect(await show(question.id)).toMatchObject({ state: 'open' });
  });

  test('loses no answer when every worker is killed at the press, nor who waits when their api is', async () => {
    const question = await ask();
    const waiting = waitAt(0, question.id).catch(() => null);
    const killed = fleet.workers.splice(0, 2);
    await Promise.all(killed.map((worker) => worker.kill()));
    const { queryId } = await press(ada, question, 'Deploy');
    await fleet.apis.splice(0, 1)[0]?.kill();
    await Promise.all([fleet.start('worker'), fleet.start('worker'), fleet.start('api')]);
    expect(await waiting).toBeNull();
    expect(await waitAt(0, question.id, 60)).toMatchObject({ state: 'answered', option: 'Deploy' });
    expect(await untilTold(queryId)).toBe('Deploy');
    await waitFor(async () => !(await shownText(question)).hasButtons, {
      timeoutMs: 30_000,
      message: 'the message showing the answer',
    });
  }, 120_000);
});
