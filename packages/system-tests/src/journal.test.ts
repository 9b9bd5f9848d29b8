import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import { ADMIN_KEY, type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

type Attempt = {
  bot_id: number;
  id: string;
  at: string;
  reader: string;
  program_id?: number;
  update_id: number;
  chat_id?: number;
  ok: boolean;
  status: number;
  duration_ms: number;
  attempt: number;
  destination?: string;
  error?: string;
};
type ReaderOfUpdate = { reader: string; outcome: string; filtered_by?: string; attempts: Attempt[] };
type ShownUpdate = {
  update?: { update_id: number };
  message?: { id: number; text?: string };
  accepted_at: string;
  via: string;
  kind: string;
  chat_id: number;
  readers: ReaderOfUpdate[];
  calls: { how: string; method?: string; error?: string; message?: { text?: string } }[];
};
type Figures = { reader: string; success_ratio?: number; p95_ms?: number };

const PATIENCE = { timeoutMs: 40_000 };

let fleet: Fleet;
let db: Database;
let backend: TestBackend;
/** What the backend answers, by the path and the text of the message. */
let answer: (url: string, text: string, updateId: number) => { status?: number; body?: object };

beforeAll(async () => {
  answer = () => ({});
  fleet = await startFleet({ apis: 1, workers: 1 });
  db = connectDatabase({ url: fleet.database.url, maxConnections: 1 });
  backend = await startBackend((request, response) => {
    const update = JSON.parse(request.text) as { update_id: number; message?: { text?: string } };
    const { status = 200, body } = answer(request.url, update.message?.text ?? '', update.update_id);
    response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body));
  });
}, 60_000);
afterAll(async () => {
  await db.destroy();
  await backend.stop();
  await fleet.stop();
}, 60_000);

const attemptsOf = (bot: FleetBot, query = '') =>
  fleet.rest<Attempt[]>(`/api/deliveries/attempts?bot_id=${bot.id}${query}`);
const show = (bot: FleetBot, updateId: number) =>
  fleet.rest<ShownUpdate>(`/api/updates/show?bot_id=${bot.id}&update_id=${updateId}`);
const outcomes = ({ readers }: ShownUpdate) =>
  Object.fromEntries(
    readers.map(({ reader, outcome, filtered_by: by }) => [reader, by ? `${outcome} ${by}` : outcome]),
  );

const allAttempts = (bot: FleetBot, query: string) => everyPage(`bot_id=${bot.id}${query}`);

/** All attempts that match, page by page. */
async function everyPage(query: string, key = ADMIN_KEY): Promise<Attempt[]> {
  const found: Attempt[] = [];
  let next: string | undefined = `/api/deliveries/attempts?${query}`;
  while (next !== undefined) {
    const response: Response = await fetch(`${fleet.url}${next}`, { headers: { authorization: `Bearer ${key}` } });
    expect(response.status).toBe(200);
    found.push(...((await response.json()) as Attempt[]));
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1];
  }
  return found;
}

describe('every attempt is kept', () => {
  const UPDATES = 1250;
  let bot: FleetBot;
  beforeAll(async () => {
    const seen = new Set<number>();
    // Of every twentieth update, the first attempt fails.
    answer = (_url, _text, id) => {
      if (id % 20 !== 0 || seen.has(id)) return {};
      seen.add(id);
      return { status: 500 };
    };
    bot = await fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}/many` });
    await fleet.control.generate({ bots: [bot.platformId], chats: 50, count: UPDATES });
    // The oldest lines are in Postgres, where a page takes up to two seconds.
    await waitFor(async () => (await allAttempts(bot, '&limit=500&ok=1')).length === UPDATES, {
      ...PATIENCE,
      pauseMs: 1000,
    });
  }, 120_000);

  test('a thousand of a reader and more are listed, newest first, and each once', async () => {
    const listed = await allAttempts(bot, '&limit=199');
    expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
    expect(listed.map(({ at }) => at)).toEqual(
      listed
        .map(({ at }) => at)
        .sort()
        .reverse(),
    );
    expect(new Set(listed.filter(({ ok }) => ok).map((one) => one.update_id)).size).toBe(UPDATES);
    expect(
      Number(
        (
          await db
            .selectFrom('journal_pages')
            .select(({ fn }) => fn.countAll().as('n'))
            .executeTakeFirstOrThrow()
        ).n,
      ),
    ).toBeGreaterThanOrEqual(20);
  });

  test('and are narrowed by what they were about, and how they ended', async () => {
    const failed = await allAttempts(bot, '&ok=0&limit=500');
    expect(failed.length).toBeGreaterThan(0);
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set([500]));
    expect(await allAttempts(bot, '&status=5xx&limit=500')).toEqual(failed);
    expect(await attemptsOf(bot, '&status=0')).toEqual([]);
    const oldest = failed.at(-1)!;
    const ofUpdate = await attemptsOf(bot, `&update_id=${oldest.update_id}`);
    expect(ofUpdate.at(-1)).toEqual(oldest);
    expect(ofUpdate.map(({ attempt }) => attempt)).toEqual(ofUpdate.map((_, at) => ofUpdate.length - at));
    expect(ofUpdate[0]).toMatchObject({ ok: true, status: 200, reader: 'push' });
    const ofChat = await allAttempts(bot, `&chat_id=${oldest.chat_id}&limit=10`);
    expect(new Set(ofChat.map(({ chat_id: chat }) => chat))).toEqual(new Set([oldest.chat_id]));
    expect(ofChat.filter(({ ok }) => ok)).toHaveLength(UPDATES / 50);
    const until = await attemptsOf(bot, `&until=${Math.floor(Date.parse(oldest.at) / 1000)}&ok=0`);
    expect(until).toEqual([]);
    expect(await attemptsOf(bot, '&reader=rules')).toEqual([]);
  });

  test('its readers and its activity say how they went', async () => {
    const readers = await fleet.rest<Figures[]>(`/api/bots/readers?bot_id=${bot.id}`);
    const push = readers.find(({ reader }) => reader === 'push')!;
    const all = await allAttempts(bot, '&limit=500');
    expect(push.success_ratio).toBeCloseTo(UPDATES / all.length, 3);
    expect(push.p95_ms).toBeGreaterThan(0);
    const points = await fleet.rest<{ delivered: number; retried: number; success_ratio?: number; p50_ms?: number }[]>(
      `/api/activity?bot_id=${bot.id}&reader=push`,
    );
    expect(points.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(UPDATES);
    expect(points.reduce((sum, { retried }) => sum + retried, 0)).toBe(all.length - UPDATES);
    expect(points.some(({ success_ratio: ratio, p50_ms: p50 }) => ratio !== undefined && p50 !== undefined)).toBe(true);
  });
});

describe('over all bots', () => {
  const MESSAGES = 12;
  const failedOf = (rows: Attempt[], ...bots: FleetBot[]) =>
    rows.filter(({ bot_id }) => bots.some(({ id }) => id === bot_id));

  test('the attempts that failed are listed, newest first, each once, to those who see their bots', async () => {
    const seen = new Map<string, number>();
    // Each first attempt fails, so that each bot fails as often as it gets messages.
    answer = (url, text) => {
      const tries = (seen.get(`${url} ${text}`) ?? 0) + 1;
      seen.set(`${url} ${text}`, tries);
      return url !== '/well' && tries === 1 ? { status: 502 } : {};
    };
    const person = await fleet.control.createPerson({});
    const add = (path: string) => fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}${path}` });
    const [one, other, well] = [await add('/one'), await add('/other'), await add('/well')];
    for (let at = 0; at < MESSAGES; at += 1) {
      for (const bot of [one, other, well]) {
        await fleet.control.sendMessage({ person: person.id, bot: bot.platformId, text: `message ${at}` });
      }
    }
    const isOver = async (bot: FleetBot) => (await attemptsOf(bot, '&ok=1')).length === MESSAGES;
    for (const bot of [one, other, well]) await waitFor(() => isOver(bot), PATIENCE);

    const listed = await everyPage('limit=7');
    expect(new Set(listed.map(({ bot_id, id }) => `${bot_id} ${id}`)).size).toBe(listed.length);
    const times = listed.map(({ at }) => at);
    expect(times).toEqual(times.toSorted().reverse());
    expect(failedOf(listed, one)).toEqual(await allAttempts(one, '&ok=0'));
    expect(failedOf(listed, other)).toEqual(await allAttempts(other, '&ok=0'));
    expect(failedOf(listed, one, other)).toHaveLength(2 * MESSAGES);
    expect(failedOf(listed, well)).toEqual([]);
    expect(listed.every(({ ok }) => !ok)).toBe(true);
    expect(failedOf(await everyPage('status=5xx&limit=500'), one, other)).toHaveLength(2 * MESSAGES);
    expect(await everyPage('status=404')).toEqual([]);

    const made = { name: 'one of two', role: 'user', bot_ids: [other.id] };
    const { key } = await fleet.rest<{ key: string }>('/api/auth/api-keys', made);
    expect(await everyPage('limit=7', key)).toEqual(failedOf(listed, other));
    const delivered = await fetch(`${fleet.url}/api/deliveries/attempts?ok=1`, {
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
    });
    expect(delivered.status).toBe(400);
    await fleet.rest('/api/bots/delete', { id: other.id });
    expect(failedOf(await everyPage('limit=500'), other)).toEqual([]);
  }, 120_000);
});

describe('an update is shown with what became of it', () => {
  test('at each reader, with its attempts, and the call in the answer', async () => {
    const person = await fleet.control.createPerson({});
    let isDown = true;
    answer = (url, text) => {
      if (url === '/program') return { status: isDown ? 503 : 200 };
      return text === 'hello' ? { body: { method: 'sendMessage', chat_id: person.id, text: 'by answer' } } : {};
    };
    const bot = await fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}/own` });
    const add = (fields: object) => fleet.rest<{ id: number }>('/api/programs/add', { bot_id: bot.id, ...fields });
    const relay = await add({ name: 'relay', backend_url: `${backend.url}/program` });
    const polls = await add({ name: 'polls', kinds: ['poll'] });
    const commands = await add({ name: 'commands', filter: { commands: ['start'] } });
    const reader = ({ id }: { id: number }) => `program:${id}`;
    await fleet.control.sendMessage({ person: person.id, bot: bot.platformId, text: 'hello' });
    const [delivered] = (await waitFor(async () => {
      const found = await attemptsOf(bot, '&reader=push');
      return found.length > 0 && found;
    }, PATIENCE)) as Attempt[];
    const id = delivered!.update_id;
    await waitFor(async () => (await attemptsOf(bot, `&program_id=${relay.id}`)).length >= 2, PATIENCE);
    const waiting = await show(bot, id);
    expect(outcomes(waiting)).toMatchObject({
      ...{ push: 'delivered', [reader(relay)]: 'waiting' },
      ...{ [reader(polls)]: 'filtered kinds', [reader(commands)]: 'filtered filter' },
    });
    expect(waiting).toMatchObject({ update: { update_id: id }, via: 'polling', kind: 'message', chat_id: person.id });
    isDown = false;
    await fleet.rest('/api/programs/resume-backend', { id: relay.id });
    await waitFor(async () => outcomes(await show(bot, id))[reader(relay)] === 'delivered', PATIENCE);
    const shown = (await waitFor(async () => {
      const now = await show(bot, id);
      return now.calls.some(({ message }) => message !== undefined) && now;
    }, PATIENCE)) as ShownUpdate;
    expect(shown.calls).toMatchObject([{ how: 'answer', method: 'sendMessage', message: { text: 'by answer' } }]);
    const tried = shown.readers.find((one) => one.reader === reader(relay))!.attempts;
    expect(tried.map(({ ok }) => ok)).toEqual([...tried.slice(1).map(() => false), true]);
    expect(tried[0]).toMatchObject({ reader: 'program', program_id: relay.id, attempt: 1, status: 503 });
    expect(shown.message).toMatchObject({ text: 'hello' });
    expect(Date.parse(shown.accepted_at)).toBeLessThanOrEqual(Date.parse(tried[0]!.at));
  }, 120_000);

  test('a rule that drops it, one that sends it on, and one that cannot', async () => {
    answer = () => ({});
    const [person, other] = [await fleet.control.createPerson({}), await fleet.control.createPerson({})];
    const bot = await fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}/dropped` });
    await fleet.control.sendMessage({ person: other.id, bot: bot.platformId, text: 'here I am' });
    const [first] = (await waitFor(async () => {
      const found = await attemptsOf(bot);
      return found.length === 1 && found;
    }, PATIENCE)) as [Attempt];
    let id = first.update_id;
    const report = async () => {
      await fleet.control.sendMessage({ person: person.id, bot: bot.platformId, text: 'a report' });
      id += 1;
    };
    const becomesOf = (reader: string) =>
      waitFor(async () => outcomes(await show(bot, id).catch(() => ({ readers: [] }) as never))[reader], PATIENCE);
    const ended = async (reader: string) =>
      waitFor(async () => {
        const outcome = await becomesOf(reader);
        return outcome !== 'waiting' && outcome;
      }, PATIENCE);
    const rule = (fields: object) =>
      fleet.rest<{ id: number }>('/api/routes/add', {
        ...{ source_bot_id: bot.id, target_bot_id: bot.id, condition_type: 'keyword', condition_value: 'report' },
        ...fields,
      });
    const sends = await rule({ action: 'copy', target_chat_id: other.id });
    const fails = await rule({ action: 'copy', target_chat_id: 999_999_999 });
    await rule({ action: 'drop' });
    // The turn of push learns of the rule a moment later.
    await waitFor(async () => {
      await report();
      return (await ended('push')) === 'dropped rules';
    }, PATIENCE);
    const attempts = (await waitFor(async () => {
      const found = await attemptsOf(bot, `&reader=rules&update_id=${id}`);
      return found.length === 2 && found;
    }, PATIENCE)) as Attempt[];
    expect(attempts).toContainEqual(
      expect.objectContaining({ destination: `rule ${sends.id}`, ok: true, status: 200, chat_id: person.id }),
    );
    expect(attempts).toContainEqual(
      expect.objectContaining({ destination: `rule ${fails.id}`, ok: false, error: expect.any(String) }),
    );
    await waitFor(async () => outcomes(await show(bot, id)).rules === 'dead', PATIENCE);
    expect(await ended('push')).toBe('dropped rules');
    const counted = await fleet.rest<{ failed: number }[]>(`/api/activity?bot_id=${bot.id}&reader=rules`);
    expect(counted.reduce((sum, { failed }) => sum + failed, 0)).toBe(id - first.update_id);
    const [letter] = await fleet.rest<{ id: number }[]>(`/api/deliveries?bot_id=${bot.id}&state=dead`);
    await fleet.rest('/api/deliveries/redrive', { bot_id: bot.id, ids: [letter!.id], dry_run: false });
    await waitFor(async () => (await show(bot, id)).via === 'redrive', PATIENCE);
  }, 120_000);

  test('one that nobody knows any more is 404, and a stranger to the bot learns nothing', async () => {
    const bot = await fleet.addBot({ long_poll_enabled: true });
    await expect(show(bot, 1)).rejects.toThrow(/404.*nothing is known/);
    const key = await fleet.rest<{ key: string }>('/api/auth/api-keys', { name: 'other', role: 'user', bot_ids: [] });
    const response = await fetch(`${fleet.url}/api/updates/show?bot_id=${bot.id}&update_id=1`, {
      headers: { authorization: `Bearer ${key.key}` },
    });
    expect(response.status).toBe(403);
    const person = await fleet.control.createPerson({});
    await fleet.control.sendMessage({ person: person.id, bot: bot.platformId, text: 'for a poller' });
    const polled = await fleet.rest<{ result: { update_id: number }[] }>(
      `/api/updates/poll?bot_id=${bot.id}&timeout=20`,
    );
    const id = polled.result[0]!.update_id;
    expect(outcomes(await show(bot, id))).toEqual({ pull: 'waiting' });
    await fleet.rest(`/api/updates/poll?bot_id=${bot.id}&timeout=0&offset=${id + 1}`);
    expect(outcomes(await show(bot, id))).toEqual({ pull: 'delivered' });
  }, 120_000);
});
