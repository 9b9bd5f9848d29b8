import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

let fleet: Fleet;
let bot: FleetBot;
let ada: number;

type Message = { id: number; user_id?: number; first_name?: string; username?: string; text?: string };

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 2 });
  bot = await fleet.addBot({ long_poll_enabled: true });
  ada = (await fleet.control.createPerson({ firstName: 'Ada' })).id;
}, 120_000);
afterAll(async () => {
  await fleet?.stop();
}, 60_000);

const messagesIn = (chatId: number, query = '') =>
  fleet.rest<Message[]>(`/api/messages?bot_id=${bot.id}&chat_id=${chatId}${query}`);
const stored = (chatId: number, count: number) =>
  waitFor(async () => (await messagesIn(chatId)).length >= count, { timeoutMs: 20_000 });

describe('the author of a message', () => {
  test('is the chat in whose name it was written, and no user', async () => {
    const { id: channel } = await fleet.control.createChat({ type: 'channel', title: 'News' });
    const { id: group } = await fleet.control.createChat({
      ...{ type: 'supergroup', title: 'Harbour', creator: ada },
      admins: [{ bot: bot.platformId }],
    });
    const program = await fleet.rest<{ id: number; token: string }>('/api/programs/add', {
      ...{ bot_id: bot.id, name: 'of-the-group', mode: 'pull', filter: { user_ids: [group] } },
    });
    const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', {
      ...{ program_id: program.id, name: 'test' },
    });
    await fleet.control.sendMessage({ person: ada, chat: group, text: 'as Ada' });
    await fleet.control.sendMessage({ person: ada, chat: group, text: 'as the group', inNameOf: group });
    await fleet.control.sendMessage({ person: ada, chat: group, text: 'as News', inNameOf: channel });
    await stored(group, 3);

    const names = (await messagesIn(group)).map(({ first_name, user_id }) => [first_name, user_id]).reverse();
    expect(names).toEqual([
      ['Ada', ada],
      ['Harbour', group],
      ['News', channel],
    ]);
    expect(await messagesIn(group, `&user_id=${channel}`)).toMatchObject([{ text: 'as News' }]);
    const inGroup = `bot_id=${bot.id}&chat_id=${group}`;
    expect(await fleet.rest(`/api/users/list?${inGroup}`)).toMatchObject([{ id: ada }]);
    expect(await fleet.rest(`/api/stats?${inGroup}`)).toMatchObject({ active_users: 1, top_users: [{ id: ada }] });
    expect(await fleet.rest(`/api/messages/search?${inGroup}&q=as&user_id=${group}`)).toMatchObject([
      { text: 'as the group' },
    ]);
    const chats = await fleet.rest<{ last_message: Message }[]>(`/api/chats?bot_id=${bot.id}&order=recent`);
    expect(chats[0]?.last_message).toMatchObject({ first_name: 'News' });

    const got = await fetch(`${fleet.url}/bot${token}/getUpdates?timeout=5`);
    const { result } = (await got.json()) as { result: { message: Message }[] };
    expect(result.map(({ message }) => message.text)).toEqual(['as the group']);
  }, 60_000);
});
