import { ADMIN_KEY, type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

let fleet: Fleet;
let bot: FleetBot;
let ada: number;

type Message = { id: number; user_id?: number; first_name?: string; username?: string; text?: string };

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 }, { PUBLIC_URL: 'http://127.0.0.1:1' });
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

describe('a group that becomes a supergroup', () => {
  type Bound = {
    group: number;
    target: FleetBot;
    outbox: number;
    program: { id: number; token: string; rule: number; back: number };
  };

  /** A group with everything bound to it: two rules, a program with a filter and a token, a tag. */
  async function boundGroup(source: FleetBot): Promise<Bound> {
    const target = await fleet.addBot();
    const { id: outbox } = await fleet.control.createChat({
      type: 'supergroup',
      creator: ada,
      members: [target.platformId],
    });
    const members = [source.platformId];
    const { id: group } = await fleet.control.createChat({ type: 'group', title: 'Quay', creator: ada, members });
    const { id } = await fleet.rest<{ id: number }>('/api/programs/add', {
      ...{ bot_id: source.id, name: `of-${-group}`, mode: 'pull', filter: { chat_ids: [group] } },
    });
    const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', {
      ...{ program_id: id, name: 'test', chats: [group] },
    });
    const rule = await fleet.rest<{ id: number }>('/api/routes/add', {
      ...{ source_bot_id: source.id, target_bot_id: target.id, action: 'copy', target_chat_id: outbox },
      ...{ condition_type: 'chat_id', condition_value: String(group) },
    });
    const back = await fleet.rest<{ id: number }>('/api/routes/add', {
      ...{ source_bot_id: target.id, target_bot_id: source.id, action: 'copy', target_chat_id: group },
      ...{ condition_type: 'keyword', condition_value: 'back' },
    });
    const tag = { user_id: ada, username: 'ada', tag: 'vip', color: '#ffffff' };
    await fleet.rest('/api/tags/add', { bot_id: source.id, chat_id: group, ...tag });
    return { group, target, outbox, program: { id, token, rule: rule.id, back: back.id } };
  }

  async function expectFollowed(source: FleetBot, { group, target, program }: Bound, supergroup: number) {
    await waitFor(async () => (await chatOf(source, group))?.migrated_to_chat_id === supergroup, { timeoutMs: 20_000 });
    expect(await chatOf(source, supergroup)).toMatchObject({ type: 'supergroup' });
    const rules = await fleet.rest<{ id: number }[]>(`/api/routes?bot_id=${source.id}`);
    expect(rules.find(({ id }) => id === program.rule)).toMatchObject({ condition_value: String(supergroup) });
    const ofTarget = await fleet.rest<{ id: number }[]>(`/api/routes?bot_id=${target.id}`);
    expect(ofTarget.find(({ id }) => id === program.back)).toMatchObject({ target_chat_id: supergroup });
    expect(await fleet.rest(`/api/programs/show?id=${program.id}`)).toMatchObject({
      filter: { chat_ids: [supergroup] },
    });
    expect(await fleet.rest(`/api/programs/tokens?program_id=${program.id}`)).toMatchObject([{ chats: [supergroup] }]);
    expect(await fleet.rest(`/api/tags?bot_id=${source.id}&chat_id=${supergroup}`)).toMatchObject([{ tag: 'vip' }]);
    expect(await fleet.rest(`/api/adminlog?bot_id=${source.id}&chat_id=${group}&action=migrate`)).toMatchObject([
      { actor_kind: 'bot', details: expect.stringContaining(`became ${supergroup}`) },
    ]);
  }

  const chatOf = async (source: FleetBot, chatId: number) => {
    const chats = await fleet.rest<{ id: number; migrated_to_chat_id?: number }[]>(`/api/chats?bot_id=${source.id}`);
    return chats.find(({ id }) => id === chatId);
  };
  const called = async (token: string, method: string, params: object) => {
    const body = JSON.stringify(params);
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${fleet.url}/bot${token}/${method}`, { method: 'POST', body, headers })).json();
  };
  const pulled = async (token: string) => {
    const { result } = (await called(token, 'getUpdates', { timeout: 5 })) as { result: { message: Message }[] };
    const last = result.at(-1) as { update_id?: number } | undefined;
    if (last) await called(token, 'getUpdates', { offset: (last.update_id ?? 0) + 1, timeout: 0 });
    return result.map(({ message }) => message);
  };

  test('keeps its rules, program and token without a gap, and its old id is refused with the new one', async () => {
    const bound = await boundGroup(bot);
    const { group, outbox, program } = bound;
    await fleet.control.sendMessage({ person: ada, chat: group, text: 'before' });
    const { id: supergroup } = await fleet.control.migrateGroup({ chat: group, person: ada });
    await fleet.control.sendMessage({ person: ada, chat: supergroup, text: 'after' });
    await expectFollowed(bot, bound, supergroup);

    const got: (string | undefined)[] = [];
    await waitFor(
      async () => {
        got.push(...(await pulled(program.token)).map(({ text }) => text));
        return got.includes('after');
      },
      { timeoutMs: 20_000 },
    );
    expect(got).toEqual(['before', undefined, undefined, 'after']);
    await waitFor(
      async () => {
        const { messages } = await fleet.control.readChat({ chat: outbox });
        return messages.some(({ text }) => text === 'after');
      },
      { timeoutMs: 20_000 },
    );

    expect(await called(program.token, 'sendMessage', { chat_id: supergroup, text: 'x' })).toMatchObject({ ok: true });
    expect(await called(program.token, 'sendMessage', { chat_id: group, text: 'x' })).toMatchObject({
      ...{ ok: false, error_code: 400, parameters: { migrate_to_chat_id: supergroup } },
    });
    const response = await fetch(`${fleet.url}/api/messages/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ bot_id: bot.id, chat_id: group, text: 'x' }),
    });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: 'platform_refused', error_code: 400, migrate_to_chat_id: supergroup },
    ]);
    await expectFollowed(bot, bound, supergroup);
  }, 120_000);

  /** A bot whose updates come only when the test pushes them. */
  const pushedBot = () => fleet.addBot({ webhook_mode: true });
  async function push(to: FleetBot, updateId: number, message: object): Promise<void> {
    const { secretToken } = await fleet.control.readWebhook({ bot: to.platformId });
    const response = await fetch(`${fleet.url}/telegram/${to.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secretToken },
      body: JSON.stringify({ update_id: updateId, message: { message_id: updateId, date: 1_790_000_000, ...message } }),
    });
    expect(response.status).toBe(200);
  }

  test.each([['first in the group'], ['first in the supergroup'], ['in both at once']])(
    'is followed once if it is told %s',
    async (order) => {
      const pushed = await pushedBot();
      const bound = await boundGroup(pushed);
      const { group } = bound;
      const supergroup = -1_009_000_000_000 + group;
      const from = { id: ada, is_bot: false, first_name: 'Ada' };
      const inGroup = { chat: { id: group, type: 'group', title: 'Quay' }, from, migrate_to_chat_id: supergroup };
      const inSupergroup = {
        ...{ chat: { id: supergroup, type: 'supergroup', title: 'Quay' }, from, migrate_from_chat_id: group },
      };
      const [one, other] = order === 'first in the supergroup' ? [inSupergroup, inGroup] : [inGroup, inSupergroup];
      if (order === 'in both at once') await Promise.all([push(pushed, 11, one), push(pushed, 12, other)]);
      else {
        await push(pushed, 11, one);
        await push(pushed, 12, other);
      }
      // The next update is judged by what follows at once.
      await push(pushed, 13, { ...inSupergroup, migrate_from_chat_id: undefined, text: 'after' });
      expect((await pulled(bound.program.token)).map(({ text }) => text)).toEqual([undefined, undefined, 'after']);
      await expectFollowed(pushed, bound, supergroup);
      await waitFor(
        async () => {
          const query = `bot_id=${pushed.id}&chat_id=${supergroup}`;
          return (await fleet.rest<Message[]>(`/api/messages?${query}`)).length === 2;
        },
        { timeoutMs: 20_000 },
      );
      await expectFollowed(pushed, bound, supergroup);
    },
    120_000,
  );

  test.each<[string, (of: FleetBot, group: number) => Promise<unknown>]>([
    ['a call of the proxy', (of, group) => called(of.token, 'sendMessage', { chat_id: group, text: 'x' })],
    [
      'a call with its parameters in the path',
      (of, group) => called(of.token, `sendMessage?chat_id=${group}&text=x`, {}),
    ],
    ['a captured administration', (of, group) => called(of.token, 'pinChatMessage', { chat_id: group, message_id: 1 })],
    [
      'a REST action',
      (of, group) => fleet.rest('/api/messages/send', { bot_id: of.id, chat_id: group, text: 'x' }).catch(() => null),
    ],
    [
      'a look at its names',
      (of, group) => fleet.rest(`/api/chats/refresh?bot_id=${of.id}&chat_id=${group}`).catch(() => null),
    ],
  ])(
    'is followed if %s is refused because of it',
    async (_title, refuse) => {
      const pushed = await pushedBot();
      const bound = await boundGroup(pushed);
      const { id: supergroup } = await fleet.control.migrateGroup({ chat: bound.group, person: ada });
      await Promise.all([refuse(pushed, bound.group), refuse(pushed, bound.group)]);
      await expectFollowed(pushed, bound, supergroup);
    },
    120_000,
  );
});
