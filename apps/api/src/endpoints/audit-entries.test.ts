import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import type { RestAnswer } from '@flotilla/testing/rest-client.ts';
import { testApi } from '@flotilla/testing/test-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';

const CHAT = -1_005_000_000_005;

const api = testApi();
let bot: BotResource;

beforeAll(async () => {
  bot = await api.addBot();
});

const entry = (at: number, more: object = {}) => ({
  bot_id: bot.id,
  chat_id: CHAT,
  action: at % 2 === 0 ? ('ban' as const) : ('pin' as const),
  actor_kind: 'bot' as const,
  actor_id: bot.id,
  details: `number ${at}`,
  // Groups of three entries have the same second.
  date: 1_700_000_000 + Math.floor(at / 3),
  ...more,
});
const insert = (rows: ReturnType<typeof entry>[]) => api.database.db.insertInto('audit_log').values(rows).execute();
const list = (query: Record<string, string | number>) =>
  api.admin('GET', '/api/adminlog', { query: { bot_id: bot.id, chat_id: CHAT, ...query } });
const numbersOf = (answer: RestAnswer) =>
  (answer.json as AuditEntryResource[]).map(({ details }) => Number(details.slice(7)));
const nextOf = (answer: RestAnswer) => /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];

describe('the audit log of a chat', () => {
  test('is newest first, filtered by action, and pages by offset', async () => {
    await insert(Array.from({ length: 10 }, (_, at) => entry(at)));
    const all = await list({});
    expect(numbersOf(all)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(all.headers.get('x-total-count')).toBe('10');
    const bans = await list({ action: 'ban', limit: 2, offset: 1 });
    expect([numbersOf(bans), bans.headers.get('x-total-count')]).toEqual([[6, 4], '5']);
    expect(numbersOf(await list({ action: 'leave' }))).toEqual([]);
  });

  test('leaves out what an entry does not have', async () => {
    const [newest] = (await list({ limit: 1 })).json as AuditEntryResource[];
    expect(newest).toEqual({ ...entry(9), id: expect.any(Number) });
  });

  test('pages by the cursor of its Link while entries are added', async () => {
    const chat_id = CHAT - 1;
    await insert(Array.from({ length: 8 }, (_, at) => entry(at, { chat_id })));
    let page = await list({ chat_id, limit: 3 });
    const seen = numbersOf(page);
    for (let at = 8; nextOf(page) !== undefined; at += 1) {
      await insert([entry(at, { chat_id })]);
      page = await api.admin('GET', nextOf(page) ?? '');
      seen.push(...numbersOf(page));
    }
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1, 0]);
  });

  test('lowers a limit above 200', async () => {
    const chat_id = CHAT - 2;
    await insert(Array.from({ length: 210 }, (_, at) => entry(at, { chat_id })));
    expect(numbersOf(await list({ chat_id, limit: 1000 }))).toHaveLength(200);
    expect(numbersOf(await list({ chat_id }))).toHaveLength(50);
  });
});
