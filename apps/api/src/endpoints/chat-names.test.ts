import type { BotResource } from '@flotilla/contract/bots.ts';
import type { MessageResource } from '@flotilla/contract/messages.ts';
import { restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const api = testApi();
let bot: BotResource;
let group: number;

beforeAll(async () => {
  bot = await api.addBot();
  group = await newGroup('LibraryTalk');
});

const platformIdOf = ({ token }: BotResource) => Number(token.split(':')[0]);

async function newGroup(username: string): Promise<number> {
  const { id: creator } = await api.platform.createPerson({});
  const admins = [{ bot: platformIdOf(bot) }];
  return (await api.platform.createChat({ type: 'supergroup', username, creator, admins })).id;
}

const send = (chat: string | number, text: string) =>
  api.admin('POST', '/api/messages/send', { body: { bot_id: bot.id, chat_id: chat, text } });
const texts = (answer: { json: unknown }) => (answer.json as MessageResource[]).map(({ text }) => text);

describe('a chat that is named instead of numbered', () => {
  test('is written to, moderated, read and searched, in any case of its letters', async () => {
    const sent = await send('@librarytalk', 'hello by name');
    expect(sent).toMatchObject({ status: 200, json: { chat_id: group, text: 'hello by name' } });
    const { id } = sent.json as MessageResource;
    const pin = { bot_id: bot.id, chat_id: '@LibraryTalk', message_id: id };
    expect((await api.admin('POST', '/api/messages/pin', { body: pin })).json).toEqual({ ok: true });
    const query = { bot_id: bot.id, chat_id: '@LIBRARYTALK' };
    expect(texts(await api.admin('GET', '/api/messages', { query }))).toEqual(['hello by name']);
    expect(
      texts(await api.admin('GET', '/api/messages/search', { query: { chat_id: '@librarytalk', q: 'by na' } })),
    ).toEqual(['hello by name']);
    const refreshed = await api.admin('GET', '/api/chats/refresh', { query });
    expect(refreshed.json).toMatchObject({ id: group, username: 'LibraryTalk' });
  });

  test('is the one that has the name now, where something is done in it', async () => {
    const before = await newGroup('MovingName');
    await send('@MovingName', 'one');
    await api.database.db.updateTable('chats').set({ username: 'MovingName' }).where('id', '=', before).execute();
    // At the platform the name now belongs to another chat, but our records still have the old one.
    const now = await newGroup('movedname');
    await api.database.db.updateTable('chats').set({ username: 'movedname' }).where('id', '=', before).execute();
    expect(await send('@movedname', 'two')).toMatchObject({ status: 200, json: { chat_id: now } });
  });

  test('that nobody has is said in the words of the platform, and one without a bot asks for the bot', async () => {
    expect(await send('@nobody_has_this', 'x')).toMatchObject({
      status: 400,
      json: { code: 'platform_refused', error: 'Bad Request: chat not found' },
    });
    const unknown = await api.admin('GET', '/api/messages/search', { query: { chat_id: '@nobody_has_this', q: 'x' } });
    expect(unknown).toMatchObject({ status: 400, json: { details: [{ path: 'bot_id' }] } });
  });

  test('that is no name at all is refused, saying both ways to name a chat', async () => {
    for (const chat of ['@', '@1abc', '@has space', 'name', '@abc']) {
      expect(await send(chat, 'x')).toMatchObject({
        status: 400,
        json: {
          details: [
            {
              path: 'chat_id',
              reason: 'must be the id of a chat, an integer within ±(2^53-1), or its @username',
            },
          ],
        },
      });
    }
  });

  test('tells a user nothing of the bots of others', async () => {
    const stranger = await insertAccount(api.database.db, { username: 'stranger' });
    const client = restClient(api.url, stranger.key);
    const query = { chat_id: '@librarytalk', q: 'hello' };
    expect((await client('GET', '/api/messages/search', { query })).json).toMatchObject({
      details: [{ path: 'bot_id', reason: 'is required: none of your bots tracks this chat' }],
    });
    expect((await client('GET', '/api/messages', { query: { bot_id: bot.id, chat_id: '@librarytalk' } })).status).toBe(
      403,
    );
  });
});
