import type { BotResource } from '@flotilla/contract/bots.ts';
import type { QuestionResource } from '@flotilla/contract/questions.ts';
import { questionStore } from '@flotilla/domain/delivery/questions/question-store.ts';
import { botStore } from '@flotilla/domain/fleet/bots/bot-store.ts';
import { EVERYTHING } from '@flotilla/domain/people/accounts/scope.ts';
import { connectRedis } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { whileLocked } from '@flotilla/testing/locked-table.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterEach, beforeAll, expect, test } from '@jest/globals';

const ADA = 424_242;
const AT_ONCE = 100;

const api = testApi();
let bot: BotResource;
let platformId: number;

beforeAll(async () => {
  bot = await api.addBot();
  platformId = Number(bot.token.split(':')[0]);
  await api.platform.createPerson({ id: ADA, firstName: 'Ada' });
  await api.platform.startBot({ person: ADA, bot: platformId, quietly: true });
});
afterEach(() => api.platform.clearFaults({}));

const store = () => questionStore(api.database.db);

/** Asks a question, which is answered while the message that was sent cannot be stored yet. */
async function askSomebodyQuick(): Promise<QuestionResource> {
  let asking: Promise<{ json: unknown }> | undefined;
  await whileLocked(api.database.db, 'messages', async () => {
    const body = { bot_id: bot.id, chat_id: ADA, text: 'Ready?', options: ['Yes'] };
    asking = api.admin('POST', '/api/questions/add', { body });
    const page = { limit: 1, offset: 0, beforeId: null };
    const asked = await waitFor(async () => (await store().list(EVERYTHING, { state: 'open' }, page))[0], {
      message: 'the question being kept',
    });
    const { id = 0 } = asked ?? {};
    await store().answer(id, 0, { id: ADA, name: 'Ada' });
    await store().noteShown(id);
  });
  return (await asking)?.json as QuestionResource;
}

test('a question that was answered before its message was known shows the answer all the same', async () => {
  const asked = await askSomebodyQuick();
  expect(asked).toMatchObject({ state: 'answered', option: 'Yes', message_id: expect.any(Number) });
  const { messages } = await api.platform.readChat({ bot: platformId, person: ADA });
  const message = messages.find(({ message_id: id }) => id === asked.message_id);
  expect(message).toMatchObject({ text: 'Ready?\n\n✅ Yes (Ada)' });
  expect(message).not.toHaveProperty('reply_markup');
  expect(await store().unshown(0, AT_ONCE)).toEqual([]);
});

test('what the platform does not take then is left to upkeep', async () => {
  await api.platform.setFault({ method: 'editMessageText', effect: { kind: 'status', status: 502 } });
  const { id } = await askSomebodyQuick();
  expect(await store().unshown(0, AT_ONCE)).toMatchObject([{ id }]);
  await store().noteShown(id);
});

test('is not sent before presses are kept from other readers, also when an api ended in between', async () => {
  const redis = await connectRedis({ url: api.redis.url, log: { warn: () => undefined } });
  try {
    const asking = await api.addBot();
    const filters = () => redis.commands.hget(botKeys(asking.id).state, 'filtersDigest');
    expect(await filters()).toBeFalsy();
    await botStore(api.database.db).beginAsking(asking.id);
    await api.admin('POST', '/api/questions/add', {
      body: { bot_id: asking.id, chat_id: ADA, text: 'Ready?', options: ['Yes'] },
    });
    expect(await filters()).toMatch(/^\w+$/);
    // Without rules turns nobody would take a press, so it goes to the readers again.
    await api.admin('POST', '/api/bots/update', { body: { id: asking.id, manage_enabled: false } });
    expect(await filters()).toBeFalsy();
  } finally {
    await redis.close();
  }
});

test('those of a disabled bot do not keep upkeep from showing the ends of others', async () => {
  const off = await api.addBot();
  await api.admin('POST', '/api/bots/toggle-disabled', { body: { id: off.id } });
  const settled = async (botId: number) => {
    const of = {
      bot_id: botId,
      chat_id: ADA,
      business_connection_id: '',
      thread_id: null,
      text: 'Ready?',
      options: ['Yes'],
      allowed_user_ids: null,
    };
    const { id } = await store().insert({ ...of, nonce: 'n'.repeat(22), expires_in_s: 60 });
    await store().cancel(id);
    return id;
  };
  for (let at = 0; at < AT_ONCE; at += 1) await settled(off.id);
  const id = await settled(bot.id);
  expect((await store().unshown(0, AT_ONCE)).map((question) => question.id)).toEqual([id]);
});

test('a question and its entry of the audit log keep the id of the request that asked', async () => {
  const body = { bot_id: bot.id, chat_id: ADA, text: 'Who asked?', options: ['Me'] };
  const { headers, json } = await api.admin('POST', '/api/questions/add', { body });
  const of = { request_id: headers.get('x-request-id') };
  expect(json).toMatchObject(of);
  const query = { bot_id: bot.id, chat_id: ADA, action: 'send', limit: 1 };
  expect((await api.admin('GET', '/api/adminlog', { query })).json).toMatchObject([of]);
});
