import { readFileSync } from 'node:fs';
import type { BotResource } from '@flotilla/contract/bots.ts';
import { operations } from '@flotilla/contract/operations.ts';
import type { ProgramTokenResource } from '@flotilla/contract/program-tokens.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const HOOK = 'https://93.184.216.34/hook?key=a-key';
const api = testApi();
let bot: BotResource;
let user: RestClient;
let stranger: RestClient;
let expiring: RestClient;
let made = 0;

beforeAll(async () => {
  bot = await api.addBot({ long_poll_enabled: true });
  const account = async (username: string, bots: number[]) =>
    restClient(api.url, (await insertAccount(api.database.db, { username, bots })).key);
  [user, stranger] = [await account('member', [bot.id]), await account('stranger', [])];
  const body = { name: 'expires', expires_at: '2099-01-01T00:00:00Z' };
  const { key } = (await api.admin('POST', '/api/auth/api-keys', { body })).json as { key: string };
  expiring = restClient(api.url, key);
});

/** The rights are the same for programs of every kind. */
const KINDS = {
  plain: {},
  exclusive: { exclusive: true },
  'with a backend': { mode: 'push', backend_url: HOOK },
} as const;
type Kind = keyof typeof KINDS;

const done = (answer: RestAnswer): RestAnswer => {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return answer;
};
const post = async <T>(path: string, body: object): Promise<T> =>
  done(await api.admin('POST', path, { body })).json as T;
const named = () => {
  made += 1;
  return `program ${made}`;
};
const newProgram = async (kind: Kind): Promise<ProgramResource> => {
  // A bot has a limited number of them.
  await api.database.db.deleteFrom('programs').execute();
  return post('/api/programs/add', { bot_id: bot.id, name: named(), ...KINDS[kind] });
};
const newToken = async ({ id }: ProgramResource) =>
  post<ProgramTokenResource & { token: string }>('/api/programs/tokens/add', { program_id: id, name: 'own' });
const signed = async (program: ProgramResource) => {
  await post('/api/programs/rotate-signing', { program_id: program.id });
  return { program_id: program.id };
};
const ofProgram = ({ id }: ProgramResource) => ({ id });
const ofBot = () => ({ bot_id: bot.id });
const signedBot = async () => {
  await post('/api/bots/rotate-signing', ofBot());
  return ofBot();
};

type Input = (program: ProgramResource, kind: Kind) => object | Promise<object>;
const INPUTS: Record<string, Input> = {
  listPrograms: () => ({ bot_id: bot.id }),
  showProgram: ofProgram,
  listProgramReaders: () => ({ bot_id: bot.id }),
  listProgramRefusals: ofProgram,
  listProgramTokens: ({ id }) => ({ program_id: id }),
  addProgram: (_program, kind) => ({ bot_id: bot.id, name: named(), ...KINDS[kind] }),
  updateProgram: ({ id }) => ({ id, name: named(), filter: {} }),
  toggleProgram: ({ id }) => ({ id, enabled: false }),
  deleteProgram: ofProgram,
  pollUpdates: ({ id }) => ({ bot_id: bot.id, program_id: id, timeout: 0 }),
  addProgramToken: ({ id }) => ({ program_id: id, name: 'mine' }),
  addProgramLink: ({ id }) => ({ program_id: id }),
  revokeProgramLinks: ({ id }) => ({ program_id: id }),
  listProgramChats: ({ id }) => ({ program_id: id }),
  unbindProgramChat: async ({ id, bot_id }) => {
    const values = { program_id: id, chat_id: 5, bot_id, user_id: null, revision: 1 };
    await api.database.db.insertInto('program_chats').values(values).execute();
    return { program_id: id, chat_id: 5 };
  },
  deleteProgramToken: async (program) => ({ id: (await newToken(program)).id }),
  resumeProgramBackend: ofProgram,
  testProgramDelivery: ofProgram,
  checkProgramHealth: ofProgram,
  rotateProgramSigning: signed,
  removeProgramSigning: signed,
  rotateBotSigning: ofBot,
  removeBotSigning: signedBot,
};

/** A program that pulls has no backend: with the right to call them, they say so. */
const OF_BACKENDS = new Set(['resumeProgramBackend', 'testProgramDelivery', 'checkProgramHealth']);

const PAGE = readFileSync(new URL('../../../../docs/SECURITY-MODEL.md', import.meta.url), 'utf8');
const SECTION = /## Who may do what with programs\n([\s\S]*?)\n## /.exec(PAGE)?.[1] ?? '';
const ROWS = SECTION.split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => {
    const [, names = '', member, admin, expires] = line.split('|').map((cell) => cell.trim());
    const rights = { member, admin, expires };
    return [...names.matchAll(/`([a-z]+[A-Z]\w+)`/g)].map(([, name]) => ({ name: name!, ...rights }));
  });

async function statusOf(client: RestClient, name: string, kind: Kind): Promise<number> {
  const { method, paths } = operations[name as keyof typeof operations];
  const input = await INPUTS[name]!(await newProgram(kind), kind);
  const call = method === 'GET' ? { query: input as Record<string, string | number> } : { body: input };
  return (await client(method, paths[0], call)).status;
}

test('the table has every operation of programs, their tokens and signing, and polling', () => {
  const concerned = Object.entries(operations)
    .filter(([, { paths }]) => paths.some((path) => path.startsWith('/api/programs') || path.endsWith('-signing')))
    .map(([name]) => name);
  expect(ROWS.map(({ name }) => name).toSorted()).toEqual([...concerned, 'pollUpdates'].toSorted());
  for (const row of ROWS) for (const cell of Object.values(row).slice(1)) expect(cell).toMatch(/^(yes|no)$/);
});

describe.each(ROWS)('$name', ({ name, member, admin, expires }) => {
  const status = (cell: string | undefined) => (cell === 'yes' ? (OF_BACKENDS.has(name) ? 400 : 200) : 403);

  test(`by a user who has the bot: ${member}`, async () => {
    expect(await statusOf(user, name, 'plain')).toBe(status(member));
    expect(await statusOf(user, name, 'exclusive')).toBe(status(member));
    const ofBackend = await statusOf(user, name, 'with a backend');
    if (member === 'no') expect(ofBackend).toBe(403);
    else expect(ofBackend).not.toBe(403);
  });

  test(`by an admin: ${admin}; by a key that expires: ${expires}; by a user without the bot: no`, async () => {
    for (const kind of ['plain', 'exclusive'] as const) {
      expect(await statusOf(api.admin, name, kind)).toBe(status(admin));
      expect(await statusOf(expiring, name, kind)).toBe(status(expires));
      expect(await statusOf(stranger, name, kind)).toBe(403);
    }
  });
});

describe('a user', () => {
  test('gives a program a backend whose answers act as users may, until an admin gives it another one', async () => {
    const program = await newProgram('with a backend');
    const role = async () => {
      const row = api.database.db.selectFrom('programs').select('backend_role').where('id', '=', program.id);
      return (await row.executeTakeFirstOrThrow()).backend_role;
    };
    const change = async (client: RestClient, fields: object) =>
      done(await client('POST', '/api/programs/update', { body: { id: program.id, ...fields } }));
    expect(await role()).toBe('admin');
    await change(user, { name: named(), exclusive: true });
    expect(await role()).toBe('admin');
    await change(user, { backend_url: `${HOOK}&of=a-user` });
    expect(await role()).toBe('user');
    await change(api.admin, { kinds: ['message'] });
    expect(await role()).toBe('user');
    await change(api.admin, { backend_url: HOOK });
    expect(await role()).toBe('admin');
  });

  test('does not learn the secret of a program by giving it a backend', async () => {
    const program = await newProgram('plain');
    const change = (client: RestClient, fields: object) =>
      client('POST', '/api/programs/update', { body: { id: program.id, ...fields } });
    done(await change(api.admin, { backend_url: HOOK, secret_token: 'of-the-admin' }));
    const own = { backend_url: `${HOOK}&of=a-user` };
    for (const secret of [{}, { secret_token: '****' }]) {
      const refused = await change(user, { ...own, ...secret });
      expect(refused).toMatchObject({ status: 400, json: { details: [{ path: 'secret_token' }] } });
    }
    done(await change(user, { name: named() }));
    done(await change(user, { ...own, secret_token: 'of-the-user' }));
  });

  test('keeps the webhook that a token set, also when the program is sent back as it was listed', async () => {
    const program = await newProgram('plain');
    const { token } = await newToken(program);
    const set = await fetch(`${api.url}/tgapi/bot${token}/setWebhook?url=${encodeURIComponent(HOOK)}`);
    expect(set.status).toBe(200);
    const listed = (await user('GET', '/api/programs/show', { query: { id: program.id } })).json as ProgramResource;
    expect(listed).toMatchObject({ mode: 'push', backend_url: HOOK.replace('a-key', '****') });
    expect((await user('POST', '/api/programs/update', { body: { ...listed, name: 'renamed' } })).status).toBe(200);
    const shown = done(await api.admin('GET', '/api/programs/show', { query: { id: program.id } }))
      .json as ProgramResource;
    await post('/api/programs/update', { ...shown, name: 'renamed again' });
    const row = api.database.db.selectFrom('programs').select('webhook_token_id').where('id', '=', program.id);
    expect((await row.executeTakeFirstOrThrow()).webhook_token_id).not.toBeNull();
  });

  test.each([
    [['payments']],
    [['send', 'refundStarPayment']],
    [['setMyDescription']],
    [['SETMYNAME']],
    [['transferBusinessAccountStars']],
    [['getManagedBotToken']],
  ])('lets no token call %p', async (methods) => {
    const body = { program_id: (await newProgram('plain')).id, name: 'more', methods };
    expect((await user('POST', '/api/programs/tokens/add', { body })).status).toBe(403);
    expect((await api.admin('POST', '/api/programs/tokens/add', { body })).status).toBe(200);
  });

  test('makes a token without a list that acts in chats, and may not change the bot', async () => {
    const body = { program_id: (await newProgram('plain')).id, name: 'all' };
    const answer = done(await user('POST', '/api/programs/tokens/add', { body }));
    const { token, methods } = answer.json as { token: string; methods?: string[] };
    expect(methods).toEqual(['read', 'send', 'edit', 'moderate', 'files', 'setWebhook', 'deleteWebhook']);
    const status = async (method: string) => (await fetch(`${api.url}/tgapi/bot${token}/${method}`)).status;
    expect(await status('setMyName?name=Mine')).toBe(403);
    expect(await status('setMyCommands?commands=[]')).toBe(200);
    expect(await status('refundStarPayment?user_id=5')).toBe(403);
    expect(await status('getMe')).toBe(200);
    const listed = { program_id: body.program_id, name: 'some', methods: ['Send', 'banchatmember', 'setWebhook'] };
    expect((await user('POST', '/api/programs/tokens/add', { body: listed })).status).toBe(400);
    listed.methods[0] = 'send';
    expect((await user('POST', '/api/programs/tokens/add', { body: listed })).status).toBe(200);
  });
});

test('the settings of all programs of a bot have a limit together, and can be made smaller beyond it', async () => {
  const program = await newProgram('plain');
  const chats = Array.from({ length: 1000 }, (_, at) => -1_002_000_000_000 - at);
  const add = () =>
    api.admin('POST', '/api/programs/tokens/add', { body: { program_id: program.id, name: 'many', chats } });
  let last = await add();
  for (let count = 1; last.status === 200 && count < 100; count += 1) last = await add();
  expect(last.status).toBe(400);
  expect(last.text).toContain('1 MiB is the most');
  expect((await api.admin('POST', '/api/programs/toggle', { body: { id: program.id, enabled: false } })).status).toBe(
    200,
  );
  const tokens = api.database.db.selectFrom('program_tokens').select('id').where('program_id', '=', program.id);
  const { id } = await tokens.executeTakeFirstOrThrow();
  const larger = { chats: JSON.stringify(Array.from({ length: 3000 }, () => 1_000_000_000)) };
  await api.database.db.updateTable('program_tokens').set(larger).where('id', '=', id).execute();
  const pause = { id: program.id, enabled: true };
  expect((await api.admin('POST', '/api/programs/toggle', { body: pause })).status).toBe(200);
  const filter = { id: program.id, filter: { chat_ids: [5] } };
  expect((await api.admin('POST', '/api/programs/update', { body: filter })).status).toBe(400);
  await api.admin('POST', '/api/programs/delete', { body: { id: program.id } });
});
