import type { BotResource } from '@flotilla/contract/bots.ts';
import { CSV_COLUMNS, type MessageResource, messageResource } from '@flotilla/contract/messages.ts';
import { type RestAnswer, type RestClient, restClient } from '@flotilla/testing/rest-client.ts';
import { storeMessages } from '@flotilla/testing/stored-messages.ts';
import { startTcpRelay, type TcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { ADMIN_KEY, testApi } from '@flotilla/testing/test-api.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const CHAT = -1_007_000_000_007;
const DATE_S = 1_770_000_000;

const api = testApi();
let postgres: TcpRelay;
let podUrl: string;
let admin: RestClient;
let bot: BotResource;
let other: BotResource;

beforeAll(async () => {
  const database = new URL(api.database.url);
  postgres = await startTcpRelay(Number(database.port));
  api.endBefore(postgres.stop);
  database.port = String(postgres.port);
  podUrl = (await api.startPod({ DATABASE_URL: database.href })).url;
  admin = restClient(podUrl, ADMIN_KEY);
  [bot, other] = [await api.addBot(), await api.addBot()];
});

type Place = { botId?: number; chat?: number; firstId?: number };

/** Stores texts as messages of one chat, with ids from firstId and one second between them. */
function store(texts: (string | null)[], { botId = bot.id, chat = CHAT, firstId = 1 }: Place = {}): Promise<void> {
  const message = (text: string | null, id: number) => ({ chat_id: chat, id, text, date: DATE_S + id });
  return storeMessages(
    api.database.db,
    botId,
    texts.map((text, at) => message(text, firstId + at)),
  );
}
const idsOf = (answer: RestAnswer) => (answer.json as MessageResource[]).map(({ id }) => id);
const nextOf = (answer: RestAnswer) => /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];

describe('searching a chat', () => {
  const search = (query: Record<string, string | number>) =>
    admin('GET', '/api/messages/search', { query: { bot_id: bot.id, chat_id: CHAT, ...query } });

  test('finds all the words in any language, the last one as a prefix, newest first, of this bot and chat', async () => {
    const texts = [
      'Где мой ЗАКАЗ?',
      'Café au lait',
      '订单已发货',
      'заказ готов, где вы',
      null,
      'a 😀 smile',
      'طلب جديد',
    ];
    await store(texts);
    await store(['где заказ'], { botId: other.id });
    await store(['где заказ'], { chat: CHAT - 1 });
    expect(idsOf(await search({ q: 'где зака' }))).toEqual([4, 1]);
    expect(idsOf(await search({ q: 'cafe' }))).toEqual([2]);
    expect(idsOf(await search({ q: '发货' }))).toEqual([3]);
    expect(idsOf(await search({ q: 'طلب' }))).toEqual([7]);
    expect(idsOf(await search({ q: 'зака где' }))).toEqual([]);
    expect(idsOf(await search({ q: "' | !:*" }))).toEqual([]);
    const [found] = (await search({ q: 'lait' })).json as MessageResource[];
    expect(found).toEqual({
      id: 2,
      chat_id: CHAT,
      bot_id: bot.id,
      user_id: 77,
      username: 'ada',
      first_name: 'Ada',
      text: 'Café au lait',
      date: DATE_S + 2,
      outgoing: false,
      highlights: [{ offset: 8, length: 4 }],
    });
  });

  test('pages by offset and by cursor while matching messages are added', async () => {
    const chat_id = CHAT - 2;
    await store(
      Array.from({ length: 7 }, (_, at) => `needle ${at}`),
      { chat: chat_id },
    );
    expect(idsOf(await search({ chat_id, q: 'need', limit: 2, offset: 2 }))).toEqual([5, 4]);
    let page = await search({ chat_id, q: 'need', limit: 3 });
    expect(page.headers.get('x-total-count')).toBe('7');
    const seen = idsOf(page);
    for (let id = 8; nextOf(page) !== undefined; id += 1) {
      await store(['needle'], { chat: chat_id, firstId: id });
      page = await admin('GET', nextOf(page) ?? '');
      seen.push(...idsOf(page));
    }
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });

  test('needs bot_id only where several bots track the chat, and words', async () => {
    const chat_id = CHAT - 3;
    await admin('POST', '/api/tags/add', { body: { bot_id: bot.id, chat_id, user_id: 1, tag: 'x' } });
    await store(['alone'], { chat: chat_id });
    const find = () => admin('GET', '/api/messages/search', { query: { chat_id, q: 'alone' } });
    expect(idsOf(await find())).toEqual([1]);
    await admin('POST', '/api/tags/add', { body: { bot_id: other.id, chat_id, user_id: 1, tag: 'x' } });
    expect(await find()).toMatchObject({ status: 400, json: { details: [{ path: 'bot_id' }] } });
    expect(await search({ q: '' })).toMatchObject({ status: 400, json: { details: [{ path: 'q' }] } });
  });
});

describe('exporting a chat', () => {
  const emptyAfter = (column: (typeof CSV_COLUMNS)[number]) =>
    ','.repeat(CSV_COLUMNS.length - 1 - CSV_COLUMNS.indexOf(column));
  const exported = (query: Record<string, string | number>) =>
    admin('GET', '/api/messages/export', { query: { bot_id: bot.id, chat_id: CHAT, ...query } });

  test('gives every message as the lists do, one JSON object a line', async () => {
    const answer = await exported({});
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="chat${CHAT}.ndjson"`);
    const lines = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => messageResource.parse(JSON.parse(line)));
    const listed = await admin('GET', '/api/messages', { query: { bot_id: bot.id, chat_id: CHAT } });
    expect(lines).toEqual(listed.json);
  });

  test('gives CSV with a header line, and quotes where they are needed', async () => {
    const chat_id = CHAT - 4;
    await store(['say "hi",\nthen\r\ngo', null], { chat: chat_id });
    const answer = await exported({ chat_id, format: 'csv' });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.text).toBe(
      [
        CSV_COLUMNS.join(','),
        `2,${chat_id},${bot.id},77,ada,Ada,,,${DATE_S + 2},,,,,,false${emptyAfter('outgoing')}`,
        `1,${chat_id},${bot.id},77,ada,Ada,,"say ""hi"",\nthen\r\ngo",${DATE_S + 1},,,,,,false${emptyAfter('outgoing')}`,
        '',
      ].join('\r\n'),
    );
  });

  test('gives what a service message says, in both formats', async () => {
    const chat_id = CHAT - 60;
    const joined = { chat_id, id: 1, date: DATE_S, text: 'Joined: Ben', service: 'joined' };
    await storeMessages(api.database.db, bot.id, [joined]);
    expect(JSON.parse((await exported({ chat_id })).text)).toMatchObject({ text: 'Joined: Ben', service: 'joined' });
    const [head, line] = (await exported({ chat_id, format: 'csv' })).text.split('\r\n');
    expect(head).toMatch(/,service,thread_id,/);
    expect(line).toBe(
      `1,${chat_id},${bot.id},77,ada,Ada,,Joined: Ben,${DATE_S},,,,,,false,,joined${emptyAfter('service')}`,
    );
  });

  test('gives entities and buttons in NDJSON, and of CSV the fields with one value', async () => {
    const chat_id = CHAT - 61;
    const details = {
      ...{ thread_id: 4, file_name: '=plan.pdf', file_size: 9, entities: [{ type: 'bold', offset: 0, length: 3 }] },
      buttons: [[{ text: 'Go', callback_data: 'go' }]],
    };
    await storeMessages(api.database.db, bot.id, [{ chat_id, id: 1, date: DATE_S, text: 'sea', details }]);
    expect(messageResource.parse(JSON.parse((await exported({ chat_id })).text))).toMatchObject(details);
    const [, line] = (await exported({ chat_id, format: 'csv' })).text.split('\r\n');
    expect(line).toBe(
      `1,${chat_id},${bot.id},77,ada,Ada,,sea,${DATE_S},,,,,,false,,,4,,'=plan.pdf,,9${emptyAfter('file_size')}`,
    );
  });

  test('gives CSV whose texts no spreadsheet takes for formulas, with numbers as numbers', async () => {
    const chat_id = CHAT - 50;
    const texts = [
      '=1+1',
      '+1',
      '-1',
      '@SUM(A1)',
      '\t=1',
      '\r=1',
      '\n=1',
      '＝1',
      '＋1',
      '－1',
      '＠1',
      'a=1',
      ' =1',
      'a;=1',
    ];
    await store(texts, { chat: chat_id });
    const fields = { chat_id, id: 100, date: DATE_S + 100, text: 'x', username: '=name', first_name: '@name' };
    await storeMessages(api.database.db, bot.id, [{ ...fields, last_name: '=HYPERLINK("http://x","y")' }]);
    const answer = await exported({ chat_id, format: 'csv' });
    const begin = (id: number) => `${id},${chat_id},${bot.id},77,ada,Ada,,`;
    const end = (id: number) => `,${DATE_S + id},,,,,,false${emptyAfter('outgoing')}\r\n`;
    const cells = [
      ...["'=1+1", "'+1", "'-1", "'@SUM(A1)", `"'\t=1"`, `"'\r=1"`, `"'\n=1"`, "'＝1", "'＋1", "'－1", "'＠1"],
      ...['a=1', ' =1', '"a;=1"'],
    ];
    for (const [at, cell] of cells.entries()) expect(answer.text).toContain(`${begin(at + 1)}${cell}${end(at + 1)}`);
    const names = `'=name,'@name,"'=HYPERLINK(""http://x"",""y"")",x`;
    expect(answer.text).toContain(`100,${chat_id},${bot.id},77,${names}${end(100)}`);
    const lines = (await exported({ chat_id })).text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).text).reverse()).toEqual([...texts, 'x']);
  });

  test('of nothing is nothing, or the header line alone', async () => {
    expect(await exported({ chat_id: 404 })).toMatchObject({ status: 200, text: '' });
    expect((await exported({ chat_id: 404, format: 'csv' })).text).toBe(`${CSV_COLUMNS.join(',')}\r\n`);
    expect(await exported({ format: 'xml' })).toMatchObject({ status: 400, json: { details: [{ path: 'format' }] } });
    const head = await admin('HEAD', '/api/messages/export', { query: { bot_id: bot.id, chat_id: CHAT } });
    expect([head.status, head.text, head.headers.get('content-type')]).toEqual([
      200,
      '',
      'application/x-ndjson; charset=utf-8',
    ]);
  });

  describe('that is large', () => {
    const chat_id = CHAT - 5;
    const url = () => `/api/messages/export?bot_id=${bot.id}&chat_id=${chat_id}`;

    beforeAll(async () => {
      const text = 'lorem ipsum '.repeat(40);
      const ids = Array.from({ length: 30_000 }, (_, at) => at + 1);
      const messages = ids.map((id) => ({ chat_id, id, date: DATE_S + Math.floor(id / 7), text }));
      await storeMessages(api.database.db, bot.id, messages);
    }, 60_000);

    test('comes whole and in order', async () => {
      const ids = (await admin('GET', url())).text
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as MessageResource).id);
      expect(ids).toEqual(Array.from({ length: 30_000 }, (_, at) => 30_000 - at));
    });

    const begin = async (signal?: AbortSignal) => {
      const headers = { authorization: `Bearer ${ADMIN_KEY}` };
      const response = await fetch(`${podUrl}${url()}`, { headers, signal: signal ?? null });
      const reader = response.body!.getReader();
      expect((await reader.read()).value?.length).toBeGreaterThan(0);
      return reader;
    };

    test('is read no faster than it is taken; when Postgres goes meanwhile it breaks off instead of ending', async () => {
      const reader = await begin();
      await postgres.cut();
      try {
        const rest = async () => {
          while (!(await reader.read()).done);
        };
        await expect(rest()).rejects.toThrow('terminated');
      } finally {
        await postgres.restore();
      }
    });

    test('is given up without a fault of ours when its reader goes', async () => {
      const faults = () => api.logLines.filter((line) => line.includes('"level":50')).length;
      const before = faults();
      const lines = api.logLines.length;
      const gone = new AbortController();
      await begin(gone.signal);
      gone.abort();
      const isLogged = (line: string) => line.includes('/api/messages/export');
      await waitFor(() => api.logLines.slice(lines).some(isLogged));
      expect(faults()).toBe(before);
    });
  });

  test('that cannot begin is answered as any error', async () => {
    await postgres.cut();
    try {
      const answer = await exported({});
      expect(answer).toMatchObject({ status: 503, json: { code: 'unavailable' } });
      expect(answer.headers.has('content-disposition')).toBe(false);
    } finally {
      await postgres.restore();
    }
  });
});

describe('deleting a chat', () => {
  test('takes its messages, people, tags and statistics along, of this bot alone', async () => {
    const chat_id = CHAT - 6;
    for (const { id } of [bot, other]) {
      await admin('POST', '/api/tags/add', { body: { bot_id: id, chat_id, user_id: 1, tag: 'x' } });
      await store(['gone soon'], { chat: chat_id, botId: id });
    }
    const remove = () => admin('POST', '/api/chats/delete', { body: { bot_id: bot.id, chat_id } });
    expect((await remove()).json).toEqual({ ok: true });
    for (const [path, query] of [
      ['/api/messages', {}],
      ['/api/messages/search', { q: 'gone' }],
      ['/api/tags', {}],
      ['/api/users/list', {}],
    ] as const) {
      const read = (bot_id: number) => admin('GET', path, { query: { bot_id, chat_id, ...query } });
      expect((await read(bot.id)).json).toEqual([]);
      if (path !== '/api/users/list') expect((await read(other.id)).json).toHaveLength(1);
    }
    const stats = await admin('GET', '/api/stats', { query: { bot_id: bot.id, chat_id } });
    expect(stats.json).toMatchObject({ total_messages: 0, top_users: [] });
    expect(await remove()).toMatchObject({ status: 404, json: { error: 'Chat not found' } });
  });
});
