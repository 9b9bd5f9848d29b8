import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import type { Request } from '@flotilla/testing/browser.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { consoleSuite, TEST_MS } from './console-suite.ts';
import { addDeadLetters } from './delivery-scene.ts';
import { HOSTILE } from './hostile-names.ts';
import { layoutFaults, shiftsOf, watchShifts } from './layout-faults.ts';
import { picture } from './open-console.ts';

/** The widest, 200 % of it, a phone, and 400 % of the widest, in CSS pixels. */
const SIZES = [
  [1280, 800],
  [640, 400],
  [390, 844],
  [320, 256],
] as const;
/** The largest ids that the platform may give. */
const PEOPLE = [4_503_599_627_370_401, 4_503_599_627_370_402, 4_503_599_627_370_403] as const;
const CROWD = 60;
const ALL_SCREENS_MS = 4 * TEST_MS;

const suite = consoleSuite({ apis: 1, workers: 1 });

let backend: TestBackend;
let bots: FleetBot[];
let group: number;
let program: number;
let entry: number;
let broadcast: number;
let key: number;

beforeAll(async () => {
  const { fleet, database } = suite;
  const { control } = fleet;
  backend = await startBackend((_request, response) => void response.writeHead(500).end(HOSTILE.word.repeat(9)));
  const names = Object.values(HOSTILE);
  bots = [];
  for (const [at, name] of names.entries()) {
    // Only the first one fails: a breaker opens and closes, and its line in the fleet then moves.
    const proxied = { proxy_enabled: at === 0, backend_url: `${backend.url}/${HOSTILE.word}/${at}` };
    const polled = { long_poll_enabled: true, silent_after_s: 1 };
    const username = `${'a_rather_long_username_of'.slice(0, 26)}_${at}_bot`;
    bots.push(await fleet.addBot({ ...(at % 2 === 0 ? proxied : polled) }, { name, username }));
  }
  const [first] = bots as [FleetBot, ...FleetBot[]];
  for (const [at, id] of PEOPLE.entries()) {
    const [firstName, lastName] = [names[at]!, names[at + 1]!];
    await control.createPerson({ id, firstName, lastName, username: `${'long_username_'.repeat(2)}${at}` });
    for (const bot of bots) await control.startBot({ person: id, bot: bot.platformId });
  }
  const crowd: number[] = [];
  for (let at = 0; at < CROWD; at += 1) crowd.push((await control.createPerson({ firstName: names[at % 5]! })).id);
  const admins = [{ bot: first.platformId, title: HOSTILE.word.slice(0, 16) }];
  const title = `${HOSTILE.word}${HOSTILE.arabic}`;
  const members = [...PEOPLE.slice(1), ...crowd];
  group = (await control.createChat({ type: 'supergroup', title, members, admins, creator: PEOPLE[0] })).id;
  for (const [at, person] of [...PEOPLE, ...crowd].entries()) {
    await control.sendMessage({ person, chat: group, text: `${names[at % 5]} ${HOSTILE.word.repeat(1 + (at % 3))}` });
  }
  await addDeadLetters(database, first.id, 30, 900_000_000_000, 502);
  const { id } = await fleet.rest<{ id: number }>('/api/programs/add', {
    ...{ bot_id: first.id, name: HOSTILE.word, mode: 'push', backend_url: `${backend.url}/${HOSTILE.digits}` },
  });
  program = id;
  await fleet.rest('/api/programs/add', { bot_id: first.id, name: HOSTILE.arabic });
  const tomorrow = { send_at: new Date(Date.now() + 86_400_000).toISOString() };
  const said = { bot_id: first.id, method: 'sendMessage', ...tomorrow };
  const params = { chat_id: group, text: HOSTILE.word.repeat(5) };
  entry = (await fleet.rest<{ id: number }>('/api/outbox/add', { ...said, params })).id;
  const audience = { chat_types: ['private'], tags: [HOSTILE.arabic] };
  const news = { ...said, name: HOSTILE.word, audience, params: { text: HOSTILE.arabic.repeat(5) } };
  broadcast = (await fleet.rest<{ id: number }>('/api/broadcasts/add', news)).id;
  const rule = { source_bot_id: first.id, condition_type: 'keyword', condition_value: HOSTILE.word, action: 'forward' };
  await fleet.rest('/api/routes/add', {
    ...rule,
    ...{ target_bot_id: bots[1]!.id, target_chat_id: PEOPLE[0], description: HOSTILE.cyrillic },
  });
  await fleet.rest('/api/event-sinks/add', { name: HOSTILE.word, url: `${backend.url}/${HOSTILE.word.repeat(3)}` });
  await fleet.rest('/api/event-sinks/add', { name: HOSTILE.arabic, bot_id: first.id, chat_id: PEOPLE[0] });
  await fleet.rest('/api/auth/users/add', {
    ...{ username: HOSTILE.word.slice(0, 32).toLowerCase(), password: 'a password of somebody' },
    ...{ display_name: HOSTILE.cyrillic, role: 'user', bot_ids: bots.map((bot) => bot.id) },
  });
  await fleet.rest('/api/auth/api-keys/create', { name: HOSTILE.chinese, bot_ids: bots.map((bot) => bot.id) });
  const chats = bots.flatMap((bot) => PEOPLE.map((id) => ({ bot_id: bot.id, chat_id: id })));
  const agent = { name: HOSTILE.word, mcp: 'write', mcp_chats: chats };
  key = (await fleet.rest<{ id: number }>('/api/auth/api-keys/create', agent)).id;
  await waitFor(
    async () => {
      const rows = await fleet.rest<{ chat_id: number }[]>(`/api/messages?bot_id=${first.id}&chat_id=${group}`);
      return rows.length >= 50;
    },
    { timeoutMs: TEST_MS },
  );
}, 3 * TEST_MS);
afterAll(async () => {
  await backend?.stop();
});

/** Every screen, by its path. */
function paths(): string[] {
  const { id } = bots[0]!;
  const chat = `bots/${id}/chats/${group}`;
  return [
    ...[
      '',
      '?sort=pending',
      'inbox',
      `inbox/${id}/${group}`,
      `inbox/${id}/${PEOPLE[0]}`,
      'live',
      'deliveries',
      'deliveries?state=retrying',
    ],
    ...['outbox', `outbox/${entry}`, 'broadcasts', `broadcasts/${broadcast}`, `broadcasts/add?bot=${id}`],
    ...['events', `search?q=${HOSTILE.cyrillic.slice(0, 5)}&bot=${id}&chat=${group}`, 'audit', 'access', 'system'],
    ...['access?view=keys', `access?view=keys&open=${key}`, 'access?view=sessions', 'bots/add', 'nothing/here'],
    ...[
      '',
      '/chats',
      '/live',
      '/outbox',
      `/outbox/${entry}`,
      '/deliveries',
      '/deliveries?state=attempts',
      '/programs',
      `/programs?open=${program}`,
      '/rules',
      '/statistics',
      '/questions',
    ].map((view) => `bots/${id}${view}`),
    ...[`bots/${id}/settings`, `bots/${bots[1]!.id}`, `${chat}/people`, `${chat}/people?user=${PEOPLE[0]}`],
    ...[`${chat}/statistics`, `${chat}/audit`],
  ];
}

test.each(SIZES)(
  'however long names are, every screen fits %i × %i, keeps its facts in sight and does not jump',
  async (width, height) => {
    const { page, complaints } = await suite.openAsAdmin('', { viewport: { width, height } });
    await watchShifts(page);
    const found = new Set<string>();
    const open = new Set<Request>();
    const isAwaited = (request: Request) => !request.url().includes('/api/live?') && open.add(request);
    page.on('request', isAwaited);
    const isOver = (request: Request) => open.delete(request);
    page.on('requestfinished', isOver).on('requestfailed', isOver);
    let calm = 0;
    const isSettled = async () => {
      const awaits = await page.evaluate<boolean>("document.querySelector('.shape, [aria-busy=true]') !== null");
      calm = open.size > 0 || awaits ? 0 : calm + 1;
      // An answer may lead to the next question.
      return calm === 4;
    };
    const visit = async (path: string) => {
      calm = 0;
      await page.goto(`${suite.fleet.url}/console/${path}`);
      await page.getByRole('navigation', { name: 'Screens' }).waitFor();
      await waitFor(isSettled, { pauseMs: 100, timeoutMs: TEST_MS });
      return shiftsOf(page);
    };
    for (const path of paths()) {
      // A bot whose state changes while the page loads moves, too: what is a fault of the page moves each time.
      let shifts = await visit(path);
      for (let more = 0; more < 2 && shifts.length > 0; more += 1) shifts = await visit(path);
      await picture(page, `long-${width}-${path.replace(/\W+/g, '-')}`);
      const faults = [...(await layoutFaults(page)), ...shifts];
      const shown: number = await page.evaluate('document.documentElement.scrollWidth');
      if (shown > width) faults.push(`is ${shown} px wide`);
      for (const fault of faults) found.add(`${path}: ${fault}`);
    }
    expect([...found]).toEqual([]);
    expect(complaints).toEqual([]);
  },
  ALL_SCREENS_MS,
);
