import { randomInt } from 'node:crypto';
import { ACCOUNT_RIGHTS } from '@flotilla/contract/account-rights.ts';
import { isPaged, type Operation } from '@flotilla/contract/operation.ts';
import { operations } from '@flotilla/contract/operations.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { type DocumentedOperation, documentedOperations } from '@flotilla/testing/documented-operations.ts';
import { columnsOfBots, fillTables, isOfBot } from '@flotilla/testing/fill-tables.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_KEY, testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import type { JsonSchema } from '@flotilla/testing/wrong-values.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { sql } from 'kysely';
import { z } from 'zod';
import { apiDocument } from '../docs/api-document.ts';
import { readTools } from '../mcp/read-tools.ts';
import { writeTools } from '../mcp/write-tools.ts';

/**
 * Callers of another bot give every operation and tool random filters, misspelt ones and none: an account, a key, the token of a
 * program, and an agent over MCP. They are answered the same before our bot has anything and after, and change nothing of ours.
 * They never name their own bot, so that they make nothing themselves.
 */

const RUNS = 3;
const SEED = randomInt(2 ** 31);
const ROWS = 3;
const CHAT = -1_001_000_000_001;
const PERSON = 424_242;
const DOCUMENTED = documentedOperations(apiDocument());
const SCHEMAS = apiDocument().components.schemas as Record<string, JsonSchema>;

/** They change what the caller itself has, so that its next answers differ. */
const OF_CALLER = [
  ...[
    'login',
    'logout',
    'changePassword',
    'beginTotp',
    'confirmTotp',
    'removeTotp',
    'removePasskey',
    'askForPasskey',
    'createApiKey',
    'listApiKeys',
    'addChatList',
    'addSavedView',
    'listSavedViews',
  ],
];
/** Their rows are not in tables of bots: they are there from the beginning, in Redis or at the platform. A new list needs rows here. */
const NOT_FILLED = [
  ...[
    'listSessions',
    'listAccounts',
    'listBots',
    'listAttention',
    'listReaders',
    'listProgramReaders',
    'listProgramChats',
  ],
  ...['listUpdates', 'listDeliveryAttempts', 'listChatAdmins', 'listChatLists'],
];
const ASKED = DOCUMENTED.filter(({ name }) => !OF_CALLER.includes(name));

type Input = Record<string, unknown>;
type Asked = { operation: DocumentedOperation; caller: string; input: Input };
type AskedOfTool = { tool: string; input: Input };

const inChat = { chat_id: CHAT };
const asOurs = { text: 'ours', first_name: 'ours', user_id: PERSON };
const isSent = { ...inChat, method: 'sendMessage', params: '{}', created_by: '{"username":"ours"}' };
const nowS = Math.floor(Date.now() / 1000);

/** Where a value of its type is not enough. */
const FILLED: Parameters<typeof fillTables>[3] = {
  audit_log: () => ({ ...inChat, actor_kind: 'account', actor_id: 1, actor_username: 'admin', action: 'tag_add' }),
  bot_moves: () => ({ finished_at: new Date() }),
  broadcasts: () => ({ state: 'paused', audience: '{}', method: 'sendMessage', params: '{}', created_by: '{}' }),
  chats: (row) => ({ id: CHAT - row + 1, type: 'private', title: 'ours', last_date: nowS, last_incoming_date: nowS }),
  chat_users: (row) => ({ ...inChat, first_name: 'ours', user_id: PERSON + row - 1 }),
  dead_letters: () => ({ reader: 'push', reason_code: 'refused', payload: '{}' }),
  event_sinks: () => ({ ...inChat, name: 'ours' }),
  events: () => ({ kind: 'poller.silent' }),
  messages: () => ({ ...inChat, ...asOurs, date: nowS }),
  outbox: (row) => ({
    ...isSent,
    ...[{ state: 'queued' }, { state: 'held' }, { state: 'failed', settled_at: new Date() }][row - 1],
  }),
  outbox_claims: (row) => ({ bot_id: row }),
  programs: () => ({ mode: 'pull' }),
  questions: () => ({ ...inChat, options: '["a"]', state: 'open' }),
  routes: () => ({ condition_type: 'all', condition_value: '', action: 'copy', target_chat_id: CHAT }),
  tags: () => ({ ...inChat, user_id: PERSON }),
  topics: () => inChat,
};

const api = testApi({ MCP_WRITES_PER_MINUTE: '1000' });
let redis: RedisHandles;
let ours: number;
const callers: Record<string, RestClient> = {};
const before = new Map<Asked, string>();
const beforeByTool = new Map<AskedOfTool, string>();
let agent: Client;

const TOOLS = [...readTools, ...writeTools].map(({ name, input }) => ({
  name,
  input: z.toJSONSchema(input, { io: 'input' }),
}));

const WORDS: Record<string, unknown[]> = {
  q: ['ours', 'o', `${CHAT}`],
  timeout: [0],
  timeout_s: [0],
  chat_id: [CHAT],
  user_id: [PERSON],
  created_by: ['ours', 'admin'],
  actor: ['admin'],
  since: [1, '2020-01-01T00:00:00Z'],
  from: [1],
  until: [4_100_000_000, '2099-01-01T00:00:00Z'],
  to: [4_100_000_000, '2099-01-01T00:00:00Z'],
  limit: [10],
  offset: [0, 1],
};

function exampleOf(name: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  if (typeof schema.$ref === 'string') return exampleOf(name, SCHEMAS[schema.$ref.split('/').at(-1)!]!);
  if (WORDS[name] !== undefined) return fc.constantFrom(...WORDS[name]);
  if (/bot_id$/.test(name)) return fc.constant(ours);
  if (/(^|_)bot_ids$/.test(name)) return fc.constant([ours]);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as unknown[]));
  const [kind] = ((schema.anyOf ?? []) as JsonSchema[]).filter(({ type }) => type !== 'null');
  if (kind !== undefined) return exampleOf(name, kind);
  switch (schema.type) {
    case 'integer':
      return fc.integer({ min: 1, max: ROWS });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(exampleOf('', schema.items as JsonSchema), { minLength: 1, maxLength: ROWS });
    case 'object':
      return objectOf(schema);
    default:
      return fc.constant('ours');
  }
}

function objectOf({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<Input> {
  const fields = Object.entries(properties as Record<string, JsonSchema>);
  const values = Object.fromEntries(fields.map(([name, schema]) => [name, exampleOf(name, schema)]));
  return fc.record(values, { requiredKeys: required as string[] }) as fc.Arbitrary<Input>;
}

/** A name in the form in which people type it. */
function misspelt(name: string): string[] {
  const camel = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return [camel, `${name}s`, name.toUpperCase(), name.replaceAll('_', '')].filter((other) => other !== name);
}

/** Nothing but what is required, each filter alone, some together, and some under another name. */
function inputsOf({ inputs, name }: DocumentedOperation): Input[] {
  const required = Object.keys(inputs).filter((field) => inputs[field]!.required || field === 'timeout');
  const optional = Object.keys(inputs).filter((field) => !required.includes(field));
  const given = (fields: string[]) => {
    const known = fields.map((field) => {
      const isBot = OPERATIONS[name]!.botInputs?.includes(field);
      return [field, isBot ? fc.constant(ours) : exampleOf(field, inputs[field]!.schema)] as const;
    });
    return fc.record(Object.fromEntries(known)) as fc.Arbitrary<Input>;
  };
  const some = fc.subarray(optional).chain((fields) => given([...required, ...fields]));
  const renamed = fc.subarray(optional).chain((fields) => given([...required, ...fields]).chain(withOtherName));
  const one = (arbitrary: fc.Arbitrary<Input>, numRuns = 1) => fc.sample(arbitrary, { numRuns, seed: SEED });
  return [
    ...one(given(required)),
    ...optional.flatMap((field) => one(given([...required, field]))),
    ...one(some, RUNS),
    ...one(renamed, RUNS),
  ];
}

/** Each input as the model may give it; a wait ends at once. */
function inputsOfTool({ input }: (typeof TOOLS)[number]): Input[] {
  const { properties = {}, required = [] } = input as JsonSchema & { properties?: object; required?: string[] };
  const always = [...required, ...Object.keys(properties).filter((name) => name === 'timeout_s')];
  const whole = objectOf({ ...(input as JsonSchema), required: always });
  return [
    ...fc.sample(whole, { numRuns: RUNS, seed: SEED }),
    ...fc.sample(whole.chain(withOtherName), { numRuns: RUNS, seed: SEED }),
  ];
}

async function askTool({ tool, input }: AskedOfTool): Promise<string> {
  return JSON.stringify(await agent.callTool({ name: tool, arguments: input }));
}

function withOtherName(input: Input): fc.Arbitrary<Input> {
  const names = Object.keys(input);
  if (names.length === 0) return fc.constant(input);
  return fc.constantFrom(...names).chain((field) => {
    const { [field]: value, ...rest } = input;
    return fc.constantFrom(...misspelt(field)).map((other) => ({ ...rest, [other]: value }));
  });
}

const OPERATIONS: Record<string, Operation> = operations;

function ask({ operation, caller, input }: Asked): Promise<RestAnswer> {
  const { method, path } = operation;
  if (method === 'POST') return callers[caller]!('POST', path, { body: input });
  const texts = Object.entries(input).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return callers[caller]!('GET', path, { query: Object.fromEntries(texts) });
}

function isList({ name }: DocumentedOperation): boolean {
  return isPaged(OPERATIONS[name]!);
}

/** Without what differs between two calls in any case. */
function shownBy({ status, text, headers }: RestAnswer): string {
  const steady = text
    .replace(/"job_id":\d+/g, 'job')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replace(/\b1[789]\d{8}(\d{3})?\b/g, 'time');
  return JSON.stringify([status, headers.get('x-total-count'), steady]);
}

/** Everything of our bot that a call could change. */
async function stateOfOurs(): Promise<string> {
  const tables = [...(await columnsOfBots(api.database.db))].map(([table, columns]) => {
    const isOurs = columns.filter(isOfBot).map(({ name }) => sql`${sql.ref(name)} = ${ours}`);
    return sql`select ${table}::text as name, md5(string_agg(t::text, ' ' order by t::text)) as rows
      from ${sql.table(table)} t where ${sql.join(isOurs, sql` or `)}`;
  });
  const bot = sql`select 'bots', md5(string_agg(t::text, ' ')) from bots t where id = ${ours}`;
  const { rows } = await sql`${sql.join([...tables, bot], sql` union all `)} order by 1`.execute(api.database.db);
  const keys = Object.values(botKeys(ours)).filter((key) => typeof key === 'string');
  const stored = await Promise.all(keys.map((key) => redis.commands.dumpBuffer(key)));
  return JSON.stringify([rows, stored.map((value) => value?.toString('base64'))]);
}

beforeAll(async () => {
  const { db } = api.database;
  redis = await connectRedis({ url: api.redis.url, log: { warn: () => {} } });
  api.endBefore(() => redis.close());
  // Small ids are those of our rows.
  for (const name of ['accounts', 'api_keys', 'programs', 'program_tokens']) {
    await sql`alter sequence ${sql.ref(`${name}_id_seq`)} restart 1000`.execute(db);
  }
  const labels = ['shared'];
  ours = (await api.addBot({ name: 'ours', manage_enabled: true, long_poll_enabled: true, labels })).id;
  const theirs = (await api.addBot({ name: 'theirs', labels: ['theirs'] })).id;
  // No worker polls them, which would be told of a slow run.
  for (const id of [ours, theirs]) await redis.commands.hset(botKeys(id).state, 'pollOkAt', Date.now() + 3_600_000);
  const rights = [...ACCOUNT_RIGHTS];
  callers.admin = restClient(api.url, ADMIN_KEY);
  callers.user = restClient(
    api.url,
    (await insertAccount(db, { username: 'user', bots: [theirs], labels, rights })).key,
  );
  const body = { name: 'theirs', role: 'admin', bot_labels: ['theirs'] };
  const made = (await callers.admin('POST', '/api/auth/api-keys', { body })).json as { key: string };
  callers.key = restClient(api.url, made.key);
  // The user saw our bot by a label that it loses.
  expect(await callers.user('GET', '/api/bots/show', { query: { id: ours } })).toMatchObject({ status: 200 });
  await callers.admin('POST', '/api/bots/update', { body: { id: ours, labels: [] } });
  const mayShow = async () => (await callers.user!('GET', '/api/bots/show', { query: { id: ours } })).status;
  await waitFor(async () => (await mayShow()) === 403, { timeoutMs: 5000 });
  const program = (await callers.admin('POST', '/api/programs/add', { body: { bot_id: theirs, name: 'theirs' } })).json;
  const tokenOf = { body: { program_id: (program as { id: number }).id, name: 'theirs' } };
  const token = (await callers.admin('POST', '/api/programs/tokens/add', tokenOf)).json as { token: string };
  callers.token = restClient(api.url, token.token);
  const ofAgent = { name: 'agent', mcp: 'write', mcp_chats: [{ bot_id: theirs, chat_id: CHAT }] };
  const { key } = (await callers.admin('POST', '/api/auth/api-keys', { body: ofAgent })).json as { key: string };
  const headers = { authorization: `Bearer ${key}` };
  agent = new Client({ name: 'agent', version: '1.0.0' });
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { requestInit: { headers } }));
  api.endBefore(() => agent.close());
  const toAsk = TOOLS.flatMap((tool) => inputsOfTool(tool).map((input) => ({ tool: tool.name, input })));
  for (const one of toAsk) beforeByTool.set(one, await askTool(one));
  for (const operation of ASKED) {
    const inputs = inputsOf(operation);
    const accounts = isList(operation) ? ['user', 'key', 'admin'] : ['user', 'key'];
    const asked = [...accounts, 'token'].flatMap((caller) =>
      // Other operations refuse every token before they look at the input.
      inputs
        .slice(0, caller === 'token' && !OPERATIONS[operation.name]!.alsoPrograms ? 1 : undefined)
        .map((input) => ({ operation, caller, input })),
    );
    for (const one of asked) before.set(one, shownBy(await ask(one)));
  }
  await sql`alter sequence programs_id_seq restart 1`.execute(db);
  await fillTables(db, ours, ROWS, FILLED);
  await callers.admin('POST', '/api/replies/add', { body: { name: 'ours', text: 'ours', bot_ids: [ours] } });
}, 240_000);

test.each(ASKED.map((operation) => [operation.name, operation] as const))(
  '%s shows and changes nothing of a bot that the caller does not see',
  async (_name, operation) => {
    const state = await stateOfOurs();
    const asked = [...before].filter(([one]) => one.operation === operation && one.caller !== 'admin');
    for (const [one, answer] of asked) {
      const { caller, input } = one;
      expect({ caller, input, answer: shownBy(await ask(one)) }).toEqual({ caller, input, answer });
    }
    expect(await stateOfOurs()).toEqual(state);
  },
);

test.each(TOOLS.map(({ name }) => name))('the tool %s shows and changes nothing of a bot of others', async (name) => {
  const state = await stateOfOurs();
  for (const [one, answer] of beforeByTool) {
    if (one.tool === name) expect({ ...one, answer: await askTool(one) }).toEqual({ ...one, answer });
  }
  expect(await stateOfOurs()).toEqual(state);
});

test('whoever sees the bot is shown it by the same calls, so that they ask for what is there', async () => {
  const shown = new Set<string>();
  const asked = [...before].filter(([{ caller }]) => caller === 'admin');
  await Promise.all(
    asked.map(async ([one, answer]) => {
      if (shownBy(await ask(one)) !== answer) shown.add(one.operation.name);
    }),
  );
  const lists = ASKED.filter(isList).map(({ name }) => name);
  expect(lists.filter((name) => !shown.has(name) && !NOT_FILLED.includes(name))).toEqual([]);
});
