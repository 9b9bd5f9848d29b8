import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { METHOD_GROUPS } from '@flotilla/contract/bot-api/methods.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import { rateKeys } from '@flotilla/redis/call-keys.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { groupOfMethod, isOfManagedBots } from '@flotilla/telegram/method-groups.ts';
import { spendsStars } from '@flotilla/telegram/method-parameters.ts';
import { documentedChats, documentedMethods } from '@flotilla/testing/documented-methods.ts';
import { httpCall, textOf } from '@flotilla/testing/http-call.ts';
import { startTestApi, type TestApi } from '@flotilla/testing/test-api.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

/** Each call of these tests carries a mark of its own in its parameters, by which the platform counts what arrives. */
const arrived = new Map<string, number>();
// A busy machine may pause for so long that a connection is closed at the moment of the next call; such a call fails.
const platform = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const mark = /mark-\d+/.exec(`${req.url}${Buffer.concat(chunks)}`)?.[0];
    if (mark !== undefined) arrived.set(mark, (arrived.get(mark) ?? 0) + 1);
    const id = Number(/\/bot(\d+)/.exec(req.url ?? '')?.[1]);
    res.end(JSON.stringify({ ok: true, result: { id, is_bot: true, first_name: 'Bot', username: 'a_bot' } }));
  });
});

const MINE = -1001;
const OTHER = -1002;
const AT_ONCE = 24;
const LONG = 300_000;
const UNKNOWN = ['sendSomethingNew', 'getSomethingNew', 'somethingNew'].map((name) => ({
  name,
  parameters: ['chat_id'],
}));
const DOCUMENTED = documentedMethods();
const METHODS = [...DOCUMENTED, ...UNKNOWN];
/** Answered for the program alone, whatever the token may do. They never reach the platform. */
const ANSWERED_ALWAYS = ['getWebhookInfo', 'setWebhook', 'deleteWebhook', 'logOut', 'close'];
const ANSWERED = [...ANSWERED_ALWAYS, 'getUpdates'];

let api: TestApi;
let bot: BotResource;
let programId: number;
/** Those who poll other chats need a program each. */
let ofChatsId: number;
let redis: RedisHandles;
let marks = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  api = await startTestApi({ TELEGRAM_API_URL: `http://127.0.0.1:${(platform.address() as AddressInfo).port}` });
  redis = await connectRedis({ url: api.redis.url, log: { warn: () => undefined } });
  api.endBefore(() => redis.close());
  bot = await api.addBot();
  const newProgram = async (name: string) => {
    const { json } = await api.admin('POST', '/api/programs/add', { body: { bot_id: bot.id, name } });
    return (json as { id: number }).id;
  };
  [programId, ofChatsId] = [await newProgram('one'), await newProgram('of chats')];
}, 60_000);
afterAll(async () => {
  await api?.stop();
  platform.closeAllConnections();
  await new Promise((resolve) => platform.close(resolve));
});
beforeEach(() => {
  arrived.clear();
});

async function newToken(limits: object): Promise<string> {
  return (await newTokenRow(limits)).token;
}

async function newTokenRow(limits: object): Promise<{ id: number; token: string }> {
  const made = await api.admin('POST', '/api/programs/tokens/add', {
    body: { program_id: 'chats' in limits ? ofChatsId : programId, name: 'a', ...limits },
  });
  expect(made.status).toBe(200);
  return made.json as { id: number; token: string };
}

/** Parameters as pairs, since a name may come twice. */
type Pairs = [name: string, value: string][];
type Form = (pairs: Pairs) => { query?: string; type?: string; body?: string };

const encoded = (pairs: Pairs) => pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
const inQuery: Form = (pairs) => ({ query: encoded(pairs) });
const urlencoded: Form = (pairs) => ({ type: 'application/x-www-form-urlencoded', body: encoded(pairs) });
const inJson: Form = (pairs) => ({
  type: 'application/json',
  body: `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`,
});
const multipart: Form = (pairs) => ({
  type: 'multipart/form-data; boundary=b',
  body: `${pairs.map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--b--\r\n`,
});
const FORMS: [string, Form][] = [
  ['query', inQuery],
  ['urlencoded', urlencoded],
  ['JSON', inJson],
  ['multipart', multipart],
];

type Case = { token: string; name: string; form: Form; pairs: Pairs; reaches: boolean; refusedWith?: number };
/** Everything that a call did and should not have done. */
type Outcome = { call: string; reached: boolean; status: number };

/** Makes the calls and returns those that did anything else than they should: reach the platform, or be refused. */
async function faultsOf(cases: Case[]): Promise<Outcome[]> {
  const faults: Outcome[] = [];
  const waiting = cases.map((one) => ({ ...one, mark: `mark-${++marks}` }));
  const take = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { token, name, form, pairs, reaches, refusedWith = 403, mark } = next;
      // `file_id` is the one parameter that getFile passes on.
      const { query, type, body } = form([...pairs, ['file_id', mark]]);
      const init =
        body === undefined ? { method: 'GET' } : { method: 'POST', body, headers: { 'content-type': type! } };
      const answer = await httpCall(`${api.url}/tgapi/bot${token}/${name}${query ? `?${query}` : ''}`, init);
      const status = answer.statusCode!;
      const json: { ok: boolean; error_code?: number } = JSON.parse(await textOf(answer));
      const isRefused = status === refusedWith && !json.ok && json.error_code === refusedWith;
      // A form that the platform could not read is 400.
      const isAnswered = refusedWith === 403 && ANSWERED_ALWAYS.includes(name) && [200, 400].includes(status);
      const reached = arrived.get(mark) ?? 0;
      const isRight = reaches ? reached === 1 && status === 200 : reached === 0 && (isRefused || isAnswered);
      if (!isRight) faults.push({ call: `${name} ${JSON.stringify(form(pairs))}`, reached: reached > 0, status });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  return faults;
}

const isAllowed = (name: string) => !isOfManagedBots(name.toLowerCase()) && !spendsStars(name.toLowerCase());
const isPassed = (name: string) => !ANSWERED.includes(name);

describe.each(FORMS)('each method of the platform, its parameters in the form %s,', (formName, form) => {
  test.each(METHOD_GROUPS)(
    'reaches it by a token of the group %s only if it is of this group',
    async (group) => {
      const token = await newToken({ methods: [group] });
      // A poll that is allowed is answered here.
      const tried = METHODS.filter(({ name }) => name !== 'getUpdates' || group !== 'read');
      const cases = tried.map(({ name }): Case => {
        const reaches = name === 'getMe' || (groupOfMethod(name.toLowerCase()) === group && isPassed(name));
        return { token, name, form, pairs: [['chat_id', `${MINE}`]], reaches };
      });
      expect(cases.filter(({ reaches }) => reaches).length).toBeGreaterThan(5);
      expect(await faultsOf(cases)).toEqual([]);
    },
    LONG,
  );

  test.each([0, 1])(
    'reaches it by a token of half of the methods only if it is named (%i)',
    async (half) => {
      // The halves differ, so that any two methods are told apart by one of them.
      const bit = 2 * FORMS.findIndex(([name]) => name === formName) + half;
      const isNamed = (at: number) => ((at >> bit) & 1) === 1;
      const named = DOCUMENTED.filter(({ name }) => isPassed(name) && name !== 'getMe');
      const token = await newToken({ methods: named.filter((_, at) => isNamed(at)).map(({ name }) => name) });
      const cases = named.map(({ name }, at): Case => {
        const other = named.find((_, another) => isNamed(another))!.name;
        return { token, name, form, pairs: [['method', other]], reaches: isNamed(at) };
      });
      expect(await faultsOf(cases)).toEqual([]);
    },
    LONG,
  );

  test(
    'reaches it by a token with chats only for these chats, however often and in whatever order they are named',
    async () => {
      const token = await newToken({ chats: [MINE, 7] });
      const cases = METHODS.filter(({ name }) => !['getUpdates', 'setWebhook'].includes(name)).flatMap((method) => {
        const { name } = method;
        const chats = UNKNOWN.includes(method) ? null : documentedChats(method);
        const of = (pairs: Pairs, isWithin: boolean): Case => {
          const reaches = name === 'getMe' || (isPassed(name) && isWithin && chats !== null);
          return { token, name, form, pairs, reaches };
        };
        const from: Pairs = chats?.includes('from_chat_id') ? [['from_chat_id', '7']] : [];
        const [mine, other]: [Pairs, Pairs] = [[['chat_id', `${MINE}`]], [['chat_id', `${OTHER}`]]];
        return [
          of([...mine, ...from], true),
          of([...mine, ...from, ['chat_id', '7']], true),
          of([...from], false),
          of([...other, ...from], false),
          of([...mine, ...from, ...other], false),
          of([...other, ...from, ...mine], false),
          of([...mine, ...from, ['business_connection_id', 'x']], false),
          of([...mine, ...from, ['inline_message_id', 'x']], false),
          of([...mine, ...from, ['reply_parameters', `{"message_id":1,"chat_id":${OTHER}}`]], false),
          ...['@name', '7.0'].map((odd) => of([['chat_id', odd], ...from], false)),
          ...(from.length === 0
            ? []
            : [
                of(mine, false),
                of([...mine, ['from_chat_id', `${OTHER}`]], false),
                of([...mine, ...from, ['from_chat_id', '9']], false),
              ]),
        ];
      });
      expect(cases.filter(({ reaches }) => reaches).length).toBeGreaterThan(150);
      expect(await faultsOf(cases)).toEqual([]);
    },
    LONG,
  );

  test(
    'does not reach it by a token that has used up its rate',
    async () => {
      const { id, token } = await newTokenRow({ rate: { per_minute: 5 } });
      // The calls may take several minutes.
      await redis.commands.set(rateKeys(id).ofMinute, '5', 'PX', 600_000);
      const counted = METHODS.filter(({ name }) => !['getUpdates', 'logOut', 'close'].includes(name));
      const cases = counted.map(({ name }): Case => {
        // A call that the token may not make at all is not counted.
        return { token, name, form, pairs: [], reaches: false, refusedWith: isAllowed(name) ? 429 : 403 };
      });
      expect(await faultsOf(cases)).toEqual([]);
    },
    LONG,
  );
});

test(
  'no method reaches the platform by a token with chats in a body that can be read in two ways',
  async () => {
    const token = await newToken({ chats: [MINE, 7] });
    const mine: Pairs = [
      ['chat_id', `${MINE}`],
      ['from_chat_id', '7'],
    ];
    const odd: Form[] = [
      ...[urlencoded, inJson, multipart].map((form): Form => {
        return (pairs) => ({ ...form([...pairs, ['chat_id', `${OTHER}`]]), query: encoded(mine) });
      }),
      (pairs) => ({ ...inJson(pairs), body: inJson(pairs).body!.slice(0, -1) }),
      (pairs) => ({ ...inJson(pairs), body: `[${inJson(pairs).body}]` }),
      (pairs) => ({ ...inJson(pairs), type: 'text/plain' }),
      (pairs) => ({ ...multipart(pairs), type: 'multipart/form-data; boundary=b; application/json' }),
      (pairs) => ({ ...multipart(pairs), type: 'multipart/form-data; xboundary=a; boundary=b' }),
    ];
    const named = METHODS.filter(({ name }) => !['getMe', 'getUpdates', 'setWebhook'].includes(name));
    const cases = named.flatMap(({ name }) =>
      odd.map((form): Case => ({ token, name, form, pairs: mine, reaches: false })),
    );
    expect(await faultsOf(cases)).toEqual([]);
  },
  LONG,
);
