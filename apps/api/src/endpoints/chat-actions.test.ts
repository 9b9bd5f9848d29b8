import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { ChatAdminResource } from '@flotilla/contract/chat-admins.ts';
import type { ChatResource } from '@flotilla/contract/chats.ts';
import type { MessageResource } from '@flotilla/contract/messages.ts';
import type { Operation } from '@flotilla/contract/operation.ts';
import { operations } from '@flotilla/contract/operations.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { startTcpRelay, type TcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { insertAccount, type TestAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { readWorkerConfig } from '@flotilla/worker/config.ts';
import { startWorker } from '@flotilla/worker/start.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

const api = testApi();
let bot: BotResource;
let platformId: number;
let group: number;
let moderator: TestAccount;
let asModerator: RestClient;

const platformIdOf = ({ token }: BotResource) => Number(token.split(':')[0]);

async function newMember(names: { username?: string; firstName?: string } = {}): Promise<number> {
  const { id } = await api.platform.createPerson(names);
  await api.platform.setMember({ chat: group, person: id, status: 'member' });
  return id;
}

beforeAll(async () => {
  bot = await api.addBot();
  platformId = platformIdOf(bot);
  const creator = await api.platform.createPerson({ firstName: 'Cleo' });
  const admins = [{ bot: platformId }];
  group = (await api.platform.createChat({ type: 'supergroup', title: 'Library', creator: creator.id, admins })).id;
  moderator = await insertAccount(api.database.db, { username: 'moderator', bots: [bot.id] });
  asModerator = restClient(api.url, moderator.key);
});

afterEach(async () => {
  await api.platform.clearFaults({});
});

const act = (path: string, body: object, client = asModerator) =>
  client('POST', path, { body: { bot_id: bot.id, chat_id: group, ...body } });
const auditLog = async (query: Record<string, string | number> = {}, client = asModerator) =>
  (await client('GET', '/api/adminlog', { query: { bot_id: bot.id, chat_id: group, ...query } }))
    .json as AuditEntryResource[];
const statusOf = async (user: number) =>
  (await api.platform.readChat({ chat: group })).members.find(({ id }) => id === user)?.status;
const say = async (text: string) => (await act('/api/messages/send', { text })).json as MessageResource;
const callsOf = async (method: string) => (await api.platform.readCalls({ bot: platformId, method })).calls;

/** Expects this newest entry; the entry exists as soon as the action is answered. */
async function expectRecorded(action: string, entry: object): Promise<void> {
  const [newest] = await auditLog({ limit: 1 });
  expect(newest).toEqual({
    id: expect.any(Number),
    chat_id: group,
    bot_id: bot.id,
    action,
    actor_kind: 'key',
    actor_id: moderator.id,
    actor_username: 'moderator',
    request_id: expect.any(String),
    details: '',
    date: expect.any(Number),
    ...entry,
  });
}

function expectDone(answer: RestAnswer): void {
  expect(answer).toMatchObject({ status: 200, json: { ok: true } });
}

test('a message that an account sent names it, in the answer, in lists of the chat and as the last one of the chat', async () => {
  const sent = await say('By a person');
  expect(sent).toMatchObject({ account: 'moderator', account_id: moderator.id });
  const listed = await asModerator('GET', '/api/messages', { query: { bot_id: bot.id, chat_id: group, limit: 5 } });
  const around = await asModerator('GET', '/api/messages', {
    query: { bot_id: bot.id, chat_id: group, around: sent.id, limit: 1 },
  });
  for (const answer of [listed, around]) {
    expect((answer.json as MessageResource[]).find(({ id }) => id === sent.id)).toEqual(sent);
  }
  const chats = await asModerator('GET', '/api/chats', { query: { bot_id: bot.id, order: 'recent' } });
  const { last_message } = (chats.json as ChatResource[]).find(({ id }) => id === group)!;
  expect(last_message).toMatchObject({ id: sent.id, account: 'moderator', account_id: moderator.id });
});

describe('users', () => {
  test('are banned, for a while or for ever, and the ban is lifted again', async () => {
    const user = await newMember({ username: 'rowdy' });
    await api.database.db
      .insertInto('chat_users')
      .values({ bot_id: bot.id, chat_id: group, user_id: user, username: 'rowdy', first_name: 'R', last_name: null })
      .execute();
    expectDone(await act('/api/users/ban', { user_id: user, until_date: 4_000_000 * 500, revoke_messages: true }));
    expect(await statusOf(user)).toBe('kicked');
    await expectRecorded('ban', {
      target_id: user,
      target_username: 'rowdy',
      details: 'until 2033-05-18T03:33:20.000Z, messages removed',
    });
    expectDone(await act('/api/users/unban', { user_id: user }));
    expect(await statusOf(user)).toBe('left');
    await expectRecorded('unban', { target_id: user, target_username: 'rowdy' });
  });

  test('who are not banned stay in the chat when a ban is lifted', async () => {
    const user = await newMember();
    expectDone(await act('/api/users/unban', { user_id: user, until_date: 5, revoke_messages: false }));
    expect(await statusOf(user)).toBe('member');
  });
});

describe('messages', () => {
  test('are pinned and unpinned', async () => {
    const { id } = await say('The rules');
    expectDone(await act('/api/messages/pin', { message_id: id }));
    expect((await api.platform.readChat({ chat: group })).pinned).toContain(id);
    await expectRecorded('pin', { target_id: id, details: `message ${id}` });
    expectDone(await act('/api/messages/unpin', { message_id: String(id) }));
    expect((await api.platform.readChat({ chat: group })).pinned).not.toContain(id);
    await expectRecorded('unpin', { target_id: id, details: `message ${id}` });
  });

  test('are deleted there and marked here, at once', async () => {
    const { id } = await say('A slip');
    const chatOf = async () => (await api.admin('GET', '/api/chats', { query: { bot_id: bot.id } })).json;
    const [{ message_count: before }] = (await chatOf()) as [{ message_count: number }];
    expectDone(await act('/api/messages/delete', { message_id: id }));
    const shown = await api.platform.readChat({ chat: group });
    expect(shown.messages.map(({ message_id }) => message_id)).not.toContain(id);
    await expectRecorded('delete', { target_id: id, details: `message ${id}` });
    const list = async (query: object) =>
      (await asModerator('GET', '/api/messages', { query: { bot_id: bot.id, chat_id: group, ...query } }))
        .json as MessageResource[];
    expect((await list({})).map((message) => message.id)).not.toContain(id);
    const kept = (await list({ include_deleted: 1 })).find((message) => message.id === id);
    expect(kept).toMatchObject({ text: 'A slip', deleted_at: expect.stringMatching(/Z$/) });
    expect(await chatOf()).toEqual([expect.objectContaining({ message_count: before - 1 })]);
  });
});

describe('chat-admins', () => {
  const listAdmins = async (query: object = {}) =>
    asModerator('GET', '/api/admins', { query: { bot_id: bot.id, chat_id: group, ...query } });
  const adminOf = async (user: number) =>
    ((await listAdmins()).json as ChatAdminResource[]).find(({ id }) => id === user);

  test('are promoted with exactly the permissions named, get a title, and are demoted', async () => {
    const user = await newMember({ username: 'helper', firstName: 'Hel' });
    const permissions = { can_pin_messages: 'true', can_delete_messages: 1, can_invite_users: false };
    expectDone(await act('/api/admins/promote', { user_id: user, permissions }));
    expect(await adminOf(user)).toEqual({
      id: user,
      username: 'helper',
      first_name: 'Hel',
      is_bot: false,
      status: 'administrator',
      can_be_edited: true,
      permissions: {
        can_change_info: false,
        can_post_messages: false,
        can_edit_messages: false,
        can_delete_messages: true,
        can_invite_users: false,
        can_restrict_members: false,
        can_pin_messages: true,
        can_promote_members: false,
        can_manage_video_chats: false,
        can_manage_chat: true,
      },
    });
    await expectRecorded('promote', { target_id: user, details: 'can_delete_messages, can_pin_messages' });

    expectDone(await act('/api/admins/title', { user_id: user, title: 'Bibliothécaire' }));
    expect(await adminOf(user)).toMatchObject({ custom_title: 'Bibliothécaire' });
    await expectRecorded('title', { target_id: user, details: 'Bibliothécaire' });

    expectDone(await act('/api/admins/demote', { user_id: user, permissions: { can_pin_messages: true } }));
    expect(await adminOf(user)).toBeUndefined();
    expect(await statusOf(user)).toBe('member');
    await expectRecorded('demote', { target_id: user });
  });

  test('without permissions get what the bot has, but not the appointing of others', async () => {
    const own = await adminOf(platformId);
    const user = await newMember();
    expectDone(await act('/api/admins/promote', { user_id: user }));
    expect((await adminOf(user))?.permissions).toEqual({ ...own?.permissions, can_promote_members: false });
    expect(own?.permissions.can_promote_members).toBe(true);
  });

  test('are listed with the creator first, who may do everything, and page by offset and cursor', async () => {
    const users = [await newMember(), await newMember()];
    for (const user of users) expectDone(await act('/api/admins/promote', { user_id: user }));
    const all = (await listAdmins()).json as ChatAdminResource[];
    expect(all[0]).toMatchObject({ status: 'creator', first_name: 'Cleo' });
    expect(Object.values(all[0]!.permissions)).toEqual(Array(10).fill(true));
    const ids = all.map(({ id }) => id);
    expect(ids.slice(1)).toEqual(ids.slice(1).toSorted((one, other) => one - other));
    const seen: number[] = [];
    let answer = await listAdmins({ limit: 1 });
    for (;;) {
      expect(answer.headers.get('x-total-count')).toBe(String(all.length));
      seen.push(...(answer.json as ChatAdminResource[]).map(({ id }) => id));
      const next = /^<([^>]+)>/.exec(answer.headers.get('link') ?? '')?.[1];
      if (next === undefined) break;
      answer = await asModerator('GET', next);
    }
    expect(seen).toEqual(ids);
    expect(((await listAdmins({ offset: 1, limit: 1 })).json as ChatAdminResource[])[0]?.id).toBe(ids[1]);
  });

  test.each([
    ['a title with an emoji', '/api/admins/title', { user_id: 1, title: 'Boss 😎' }, 'title'],
    ['a title that is too long', '/api/admins/title', { user_id: 1, title: 'x'.repeat(17) }, 'title'],
    ['a right that there is not', '/api/admins/promote', { user_id: 1, permissions: { can_fly: true } }, 'permissions'],
    ['a right that is no switch', '/api/admins/promote', { user_id: 1, permissions: { can_manage_chat: 2 } }, ''],
    ['no right at all', '/api/admins/promote', { user_id: 1, permissions: { can_manage_chat: false } }, 'permissions'],
  ])('refuse %s without asking the platform', async (_title, path, body, field) => {
    const before = (await callsOf('promoteChatMember')).length;
    const answer = await act(path, body);
    expect(answer).toMatchObject({ status: 400, json: { code: 'bad_request' } });
    expect(JSON.stringify(answer.json)).toContain(`"path":"${field}`);
    expect(await callsOf('promoteChatMember')).toHaveLength(before);
  });

  test('can be named in a query string, permissions as JSON', async () => {
    const user = await newMember();
    const permissions = JSON.stringify({ can_invite_users: true });
    const query = { bot_id: bot.id, chat_id: group, user_id: user, permissions };
    expectDone(await asModerator('POST', '/api/admins/promote', { query }));
    expect((await adminOf(user))?.permissions.can_invite_users).toBe(true);
  });
});

describe('a chat', () => {
  test('is refreshed from the platform, and the record with it', async () => {
    const query = { bot_id: bot.id, chat_id: group };
    await api.database.db.updateTable('chats').set({ title: 'Old' }).where('id', '=', group).execute();
    const answer = await asModerator('GET', '/api/chats/refresh', { query });
    expect(answer.json).toMatchObject({ id: group, bot_id: bot.id, title: 'Library', type: 'supergroup' });
    expect((await api.admin('GET', '/api/chats', { query: { bot_id: bot.id } })).json).toEqual([answer.json]);
  });
});

const ACTIONS: [string, object][] = [
  ['/api/messages/send', { text: 'Hello', reply_to_message_id: 999_999 }],
  ['/api/users/ban', { user_id: 1 }],
  ['/api/users/unban', { user_id: 1 }],
  ['/api/messages/delete', { message_id: 999_999 }],
  ['/api/messages/pin', { message_id: 999_999 }],
  ['/api/messages/unpin', { message_id: 999_999 }],
  ['/api/admins/promote', { user_id: 1 }],
  ['/api/admins/demote', { user_id: 1 }],
  ['/api/admins/title', { user_id: 1, title: 'x' }],
];
const QUESTIONS = ['/api/admins', '/api/chats/refresh'];

describe.each(ACTIONS)('%s', (path, body) => {
  test('hands on the platform’s refusal in its words, and records nothing', async () => {
    const before = await auditLog();
    const answer = await act(path, body);
    expect(answer).toMatchObject({ status: 400, json: { code: 'platform_refused', error_code: 400 } });
    expect((answer.json as { error: string }).error).toMatch(/^Bad Request: \S/);
    const gone = await act(path, { ...body, chat_id: -1_009_999_999_999 });
    expect(gone.json).toMatchObject({ code: 'platform_refused', error: 'Bad Request: chat not found' });
    expect(await auditLog()).toEqual(before);
  });

  test('tells a platform that fails, is silent or wants less, from one that refuses', async () => {
    const fail = async (effect: Parameters<typeof api.platform.setFault>[0]['effect']) => {
      await api.platform.clearFaults({});
      await api.platform.setFault({ bot: platformId, effect });
      return act(path, body);
    };
    expect((await fail({ kind: 'reset' })).json).toMatchObject({ code: 'platform_failed' });
    expect((await fail({ kind: 'status', status: 502, body: '<html>' })).status).toBe(502);
    const slower = await fail({ kind: 'status', status: 429, retryAfterS: 1 });
    expect([slower.status, slower.headers.get('retry-after')]).toEqual([429, '1']);
    const kicked = { kind: 'status', status: 403, description: 'Forbidden: bot was kicked' } as const;
    // Until its time is over, Flotilla answers in the place of the platform.
    const next = await waitFor(async () => {
      const answer = await fail(kicked);
      return answer.status !== 429 && answer;
    });
    expect((next as RestAnswer).json).toMatchObject({ error: 'Forbidden: bot was kicked', error_code: 403 });
    const revoked = await fail({ kind: 'status', status: 401, description: 'Unauthorized' });
    expect(revoked).toMatchObject({ status: 400, json: { code: 'token_refused', error_code: 401 } });
    expect(revoked.json).toMatchObject({ error: 'Telegram refused this bot token' });
  });
});

describe('a bot that is disabled, or whose chats are not managed,', () => {
  test('acts in no chat and asks about none', async () => {
    const disabled = await api.addBot();
    await api.admin('POST', '/api/bots/toggle-disabled', { body: { id: disabled.id } });
    const unmanaged = await api.addBot({ manage_enabled: false });
    for (const [{ id, token }, reason] of [
      [disabled, 'The bot is disabled'],
      [unmanaged, 'Managing chats is off for this bot (manage_enabled)'],
    ] as const) {
      for (const [path, body] of ACTIONS) {
        expect((await act(path, { ...body, bot_id: id }, api.admin)).json).toMatchObject({
          code: 'bad_request',
          error: reason,
        });
      }
      for (const path of QUESTIONS) {
        const answer = await api.admin('GET', path, { query: { bot_id: id, chat_id: group } });
        expect(answer).toMatchObject({ status: 400, json: { error: reason } });
      }
      const { byMethod } = await api.platform.readCalls({ bot: Number(token.split(':')[0]) });
      expect(Object.keys(byMethod).sort()).toEqual(['deletewebhook', 'getme']);
    }
  });
});

describe('a bot whose chats are not managed', () => {
  const OF_CHATS = /^\/api\/(chats|messages|users|admins|tags)\b/;
  const ASKING_THE_PLATFORM = ['refreshChat', 'listChatAdmins'];
  /** Reading and viewing manage nothing. */
  const OF_THE_ACCOUNT = ['markChatRead', 'notePresence'];
  const isManaging = ([name, { method }]: [string, Operation]) =>
    method === 'POST' || ASKING_THE_PLATFORM.includes(name);
  const ofChats = Object.entries<Operation>(operations).filter(
    ([name, { paths }]) => OF_CHATS.test(paths[0]) && !OF_THE_ACCOUNT.includes(name),
  );

  async function callWith(inputs: object, { method, paths: [path], input }: Operation): Promise<RestAnswer> {
    const known = Object.fromEntries(Object.entries(inputs).filter(([name]) => name in input.shape));
    return api.admin(method, path, method === 'POST' ? { body: known } : { query: known });
  }

  test('is 400 for every call that manages a chat, and lets what is kept be read', async () => {
    const unmanaged = await api.addBot();
    const chat = { bot_id: unmanaged.id, chat_id: group };
    const tagged = await api.admin('POST', '/api/tags/add', { body: { ...chat, user_id: 5, tag: 'kept' } });
    const { id } = tagged.json as { id: number };
    await api.admin('POST', '/api/bots/update', { body: { id: unmanaged.id, manage_enabled: false } });
    const before = await api.platform.readCalls({ bot: platformIdOf(unmanaged) });
    const inputs = {
      ...chat,
      id,
      user_id: 5,
      message_id: 7,
      text: 'Hello',
      title: 'x',
      tag: 'friend',
      q: 'x',
      account_id: null,
    };
    const managing = ofChats.filter(isManaging);
    expect(managing.map(([name]) => name)).toEqual(expect.arrayContaining(['sendMessage', 'addTag', 'banChatUser']));
    for (const [name, operation] of managing) {
      const { status, json } = await callWith(inputs, operation);
      expect([name, status, (json as { error: string }).error]).toEqual([
        name,
        400,
        'Managing chats is off for this bot (manage_enabled)',
      ]);
    }
    for (const [name, operation] of ofChats.filter((entry) => !isManaging(entry))) {
      // Nobody asks the platform for a photo, and the person has written nothing.
      const wanted = { showChatPhoto: 204, showChatUserPhoto: 404 }[name] ?? 200;
      expect([name, (await callWith(inputs, operation)).status]).toEqual([name, wanted]);
    }
    expect((await api.admin('GET', '/api/tags', { query: chat })).json).toMatchObject([{ tag: 'kept' }]);
    expect(await api.platform.readCalls({ bot: platformIdOf(unmanaged) })).toEqual(before);
  });
});

describe('the audit log', () => {
  test('has what the bot’s own program did through the proxy too, once each, under the bot’s name', async () => {
    const worker = await startWorker(readWorkerConfig({ ...api.env, WORKER_ROLES: 'history', LOG_LEVEL: 'warn' }));
    try {
      const user = await newMember();
      const call = (method: string, params: object) =>
        fetch(`${api.url}/tgapi/bot${bot.token}/${method}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ chat_id: group, user_id: user, ...params }),
        });
      expect((await call('promoteChatMember', { can_pin_messages: true })).status).toBe(200);
      expect((await call('banChatMember', { user_id: 1 })).status).toBe(400);
      expectDone(await act('/api/admins/demote', { user_id: user }));
      expectDone(await act('/api/users/ban', { user_id: user }));
      expect((await call('unbanChatMember', {})).status).toBe(200);
      const entries = await waitFor(async () => {
        const found = (await auditLog()).filter((entry) => entry.target_id === user);
        return found.length >= 4 && found;
      });
      const ofBot = { actor_kind: 'bot', actor_id: bot.id, actor_username: bot.username };
      const ofAccount = { actor_kind: 'key', actor_id: moderator.id, actor_username: 'moderator' };
      expect(
        (entries as AuditEntryResource[]).toSorted((one, other) => one.action.localeCompare(other.action)),
      ).toEqual([
        expect.objectContaining({ action: 'ban', ...ofAccount }),
        expect.objectContaining({ action: 'demote', ...ofAccount }),
        expect.objectContaining({ action: 'promote', ...ofBot, details: 'can_pin_messages' }),
        expect.objectContaining({ action: 'unban', ...ofBot }),
      ]);
    } finally {
      await worker.stop();
    }
  });
});

describe('while Postgres is away', () => {
  let postgres: TcpRelay;
  let client: RestClient;

  beforeAll(async () => {
    const database = new URL(api.database.url);
    postgres = await startTcpRelay(Number(database.port));
    database.port = String(postgres.port);
    client = restClient((await api.startPod({ DATABASE_URL: database.href })).url, moderator.key);
    // This call makes the api cache the credential.
    await client('GET', '/api/auth/me');
  });
  afterEach(() => postgres.restore());
  afterAll(() => postgres?.stop());

  test('nothing is done that could not be recorded', async () => {
    const user = await newMember();
    await postgres.cut();
    expect(await act('/api/users/ban', { user_id: user }, client)).toMatchObject({ status: 503 });
    expect(await statusOf(user)).toBe('member');
  });

  test('what was done as it went away is recorded later, once, under the account’s name', async () => {
    const user = await newMember();
    const began = (await callsOf('banChatMember')).length;
    await api.platform.setFault({ method: 'banChatMember', effect: { kind: 'delay', delayMs: 300 }, count: 1 });
    const banning = act('/api/users/ban', { user_id: user }, client);
    await waitFor(async () => (await callsOf('banChatMember')).length > began);
    await postgres.cut();
    expectDone(await banning);
    expect(await statusOf(user)).toBe('kicked');
    const worker = await startWorker(readWorkerConfig({ ...api.env, WORKER_ROLES: 'history', LOG_LEVEL: 'warn' }));
    try {
      const entries = await waitFor(async () => {
        const found = (await auditLog()).filter((entry) => entry.target_id === user);
        return found.length > 0 && found;
      });
      const ofAccount = { actor_kind: 'key', actor_id: moderator.id, actor_username: 'moderator' };
      expect(entries).toEqual([expect.objectContaining({ action: 'ban', ...ofAccount })]);
    } finally {
      await worker.stop();
    }
  });
});

describe('two bots in the same chat', () => {
  test('never see each other’s messages, users, tags, audit or statistics', async () => {
    const other = await api.addBot();
    await api.platform.setMember({ chat: group, bot: platformIdOf(other), status: 'administrator' });
    const user = await newMember();
    await act('/api/messages/send', { bot_id: other.id, text: 'from the other' }, api.admin);
    await act('/api/tags/add', { bot_id: other.id, user_id: user, tag: 'theirs' }, api.admin);
    await act('/api/tags/add', { user_id: user, tag: 'ours' }, api.admin);
    expectDone(await act('/api/users/ban', { bot_id: other.id, user_id: user }, api.admin));
    const read = async (path: string, id: number) =>
      (await api.admin('GET', path, { query: { bot_id: id, chat_id: group, user_id: user } })).text;
    for (const path of [
      '/api/messages',
      '/api/users/list',
      '/api/adminlog',
      '/api/stats',
      '/api/tags',
      '/api/tags/user',
    ]) {
      const [ours, theirs] = [await read(path, bot.id), await read(path, other.id)];
      expect(ours).not.toContain('from the other');
      expect(ours).not.toContain('theirs');
      expect(ours).not.toContain(`"bot_id":${other.id}`);
      expect(ours).not.toContain(other.username);
      expect(theirs).not.toContain('ours');
      expect(theirs).not.toContain(`"bot_id":${bot.id}`);
      expect(theirs).not.toContain(bot.username);
    }
    expect((await auditLog({ bot_id: other.id }, api.admin)).map(({ action }) => action)).toEqual([
      'ban',
      'tag_add',
      'send',
    ]);
  });

  test('need bot_id to be named, unless the caller sees only one of them', async () => {
    for (const path of ['/api/users/list', '/api/tags', '/api/tags/user', '/api/adminlog']) {
      const query = { chat_id: group, ...(path === '/api/tags/user' ? { user_id: 1 } : {}) };
      expect(await asModerator('GET', path, { query })).toMatchObject({ status: 200 });
      const several = await api.admin('GET', path, { query });
      expect(several).toMatchObject({ status: 400, json: { details: [{ path: 'bot_id' }] } });
      expect((several.json as { error: string }).error).toContain('several of your bots');
      const none = await asModerator('GET', path, { query: { ...query, chat_id: 5 } });
      expect(none.status).toBe(400);
      expect((none.json as { error: string }).error).toContain('none of your bots');
    }
  });
});
