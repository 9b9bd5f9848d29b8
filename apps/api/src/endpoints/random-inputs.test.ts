import { documentedOperations } from '@flotilla/testing/documented-operations.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { insertAccount } from '@flotilla/testing/test-account.ts';
import { ADMIN_KEY, testApi } from '@flotilla/testing/test-api.ts';
import { type JsonSchema, wrongTexts, wrongValues } from '@flotilla/testing/wrong-values.ts';
import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { apiDocument } from '../docs/api-document.ts';

/**
 * Random right and wrong inputs on every operation of the API document, as several callers and in every form: each
 * answer has a documented status and follows its schema, in which no other field may be; nothing is ever 500.
 */

const RUNS = 30;
const CHAT = 424_242;
const OPERATIONS = documentedOperations(apiDocument());
const SCHEMAS = apiDocument().components.schemas as Record<string, JsonSchema>;

const api = testApi();
let callers: Record<'admin' | 'user' | 'nobody', RestClient>;
/** These take what they name away from the other operations, so they get bots, keys and accounts that nobody needs. */
const TAKES_AWAY = ['deleteBot', 'toggleBotDisabled', 'deleteChat'];
const ok = new Map<string, number>();

beforeAll(async () => {
  const admin = restClient(api.url, ADMIN_KEY);
  const person = await api.platform.createPerson({ id: CHAT });
  for (let made = 0; made < 4; made += 1) {
    const bot = await api.platform.createBot({});
    const added = await admin('POST', '/api/bots/add', { body: { token: bot.token, long_poll_enabled: true } });
    expect(added.json).toMatchObject({ id: made + 1 });
    await api.platform.startBot({ person: person.id, bot: bot.id });
  }
  const rule = { source_bot_id: 1, target_bot_id: 2, condition_type: 'all', action: 'copy', target_chat_id: CHAT };
  const inChat = { bot_id: 1, chat_id: CHAT };
  // The things that the random ids name.
  for (let made = 1; made <= 12; made += 1) {
    const added = [
      ['/api/programs/add', { bot_id: 1, name: `program ${made}` }],
      ['/api/programs/tokens/add', { program_id: made, name: 'token' }],
      ['/api/routes/add', { ...rule, condition_value: '' }],
      ['/api/tags/add', { ...inChat, user_id: CHAT, username: 'ann', tag: `tag ${made}`, color: '#00aa00' }],
      ['/api/auth/users/add', { username: `account-${made}`, password: 'a long password', role: 'user', bot_ids: [] }],
      ['/api/auth/api-keys', { name: `key ${made}` }],
      ['/api/messages/send', { ...inChat, text: 'Hello' }],
    ] as const;
    for (const [path, body] of added) {
      const { status, text } = await admin('POST', path, { body });
      expect([path, status, text]).toEqual([path, 200, expect.anything()]);
    }
  }
  const { key } = await insertAccount(api.database.db, { username: 'owner', bots: [1, 2] });
  callers = { admin, user: restClient(api.url, key), nobody: restClient(api.url) };
}, 60_000);

type Value = { value: unknown; isWrong: boolean };
type Form = 'json' | 'urlencoded' | 'query';
type Call = { caller: keyof typeof callers; form: Form; input: Record<string, Value> };

function rightValue(name: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  if (name === 'timeout') return fc.constantFrom(0, 1);
  if (name === 'bot_id') return fc.constantFrom(1, 2, 3, 999_999);
  // While it is true, all changes are refused.
  if (name === 'read_only') return fc.constant(false);
  // The first account, key and bot are those of this test.
  if (name === 'id' && schema.type === 'integer') return fc.integer({ min: 3, max: 12 });
  if (name === 'program_id') return fc.integer({ min: 1, max: 12 });
  if (name === 'chat_id') return fc.constantFrom(CHAT, `${CHAT}`, -1_001_234_567_890);
  if (typeof schema.$ref === 'string') return rightValue(name, SCHEMAS[schema.$ref.split('/').at(-1)!]!);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as unknown[]));
  const kinds = schema.anyOf as JsonSchema[] | undefined;
  if (kinds !== undefined) return fc.oneof(...kinds.map((kind) => rightValue(name, { ...kind })));
  switch (schema.type) {
    case 'integer': {
      const { minimum: min = Number.MIN_SAFE_INTEGER, maximum: max = Number.MAX_SAFE_INTEGER } = schema;
      const any = fc.maxSafeInteger().map((value) => Math.min(Math.max(value, min as number), max as number));
      const few = fc
        .integer({ min: 0, max: 20 })
        .map((value) => Math.min(Math.max(value, min as number), max as number));
      return fc.oneof(few, any, few.map(String));
    }
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(rightValue('', schema.items as JsonSchema), { maxLength: 3 });
    case 'object':
      return rightObject(schema);
    case 'string':
      return rightText(schema);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function rightObject({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties as Record<string, JsonSchema>).filter(([, { readOnly }]) => !readOnly);
  if (fields.length === 0) return fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
  const values = Object.fromEntries(fields.map(([name, schema]) => [name, rightValue(name, schema)]));
  return fc.record(values, { requiredKeys: required as string[] });
}

function rightText({ pattern, format, maxLength = 60 }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.constantFrom('2099-01-01T00:00:00Z', '2020-01-01T00:00:00+02:00');
  const any = fc.string({ maxLength: Math.min(maxLength as number, 60), unit: 'grapheme' });
  if (pattern === undefined) return any;
  const fits = fc.stringMatching(new RegExp(pattern as string, 'u'));
  return fits.filter(({ length }) => length <= (maxLength as number));
}

const right = (arbitrary: fc.Arbitrary<unknown>) => arbitrary.map((value): Value => ({ value, isWrong: false }));

function anyCall({ name, method, inputs }: (typeof OPERATIONS)[number]): fc.Arbitrary<Call> {
  const forms: Form[] = method === 'GET' ? ['query'] : ['json', 'urlencoded', 'query'];
  return fc.constantFrom(...forms).chain((form) => {
    const values = Object.entries(inputs).map(([field, { schema }]) => {
      const wrong = form === 'json' ? wrongValues(schema) : wrongTexts(schema);
      const isTaken = TAKES_AWAY.includes(name) && field === 'bot_id';
      const known = isTaken ? fc.integer({ min: 3, max: 12 }) : rightValue(field, schema);
      const kinds: fc.WeightedArbitrary<Value>[] = [
        { weight: 20, arbitrary: right(known) },
        { weight: 1, arbitrary: right(fc.jsonValue({ maxDepth: 2 })) },
      ];
      if (wrong.length > 0) {
        kinds.push({
          weight: 1,
          arbitrary: fc.constantFrom(...wrong).map((value): Value => ({ value, isWrong: true })),
        });
      }
      return [field, fc.oneof(...kinds)] as const;
    });
    // Without a timeout, a poll waits for 30 s.
    const timeout = Object.keys(inputs).filter((field) => field === 'timeout');
    const required = Object.keys(inputs).filter((field) => inputs[field]!.required || field === 'timeout');
    const record = fc.oneof(
      { weight: 9, arbitrary: fc.record(Object.fromEntries(values), { requiredKeys: required }) },
      { weight: 1, arbitrary: fc.record(Object.fromEntries(values), { requiredKeys: timeout }) },
    );
    const callers = { weight: 5, arbitrary: fc.constant('admin' as const) };
    return fc.record({
      form: fc.constant(form),
      caller: fc.oneof(callers, fc.constantFrom('user' as const, 'nobody' as const)),
      input: record as fc.Arbitrary<Record<string, Value>>,
    });
  });
}

async function make({ method, path }: (typeof OPERATIONS)[number], { caller, form, input }: Call): Promise<RestAnswer> {
  const values = Object.entries(input).map(([name, { value }]) => [name, value] as const);
  if (form === 'json') return callers[caller](method, path, { body: Object.fromEntries(values) });
  const texts = values.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
  if (form === 'query') return callers[caller](method, path, { query: Object.fromEntries(texts) });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return callers[caller](method, path, { body: `${new URLSearchParams(texts as [string, string][])}`, headers });
}

test.each(OPERATIONS.map((operation) => [operation.name, operation] as const))(
  '%s answers any input as the document says',
  async (name, operation) => {
    const property = fc.asyncProperty(anyCall(operation), async (call) => {
      const answer = await make(operation, call);
      expect(operation.contradictions(answer)).toEqual([]);
      expect([answer.status, answer.text]).not.toEqual([500, expect.anything()]);
      const isWrong = Object.values(call.input).some((value) => value.isWrong);
      if (isWrong) expect(answer.status).toBeGreaterThanOrEqual(400);
      if (answer.status === 200) ok.set(name, (ok.get(name) ?? 0) + 1);
    });
    await fc.assert(property, { numRuns: RUNS });
  },
  60_000,
);

test('most operations did what they were asked, so that right inputs were among the random ones', async () => {
  expect(ok.size).toBeGreaterThan(OPERATIONS.length * 0.25);
  expect((await callers.admin('GET', '/api/bots/show', { query: { id: 1 } })).json).toMatchObject({ disabled: false });
});
