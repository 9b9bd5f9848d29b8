import { activityStore } from '@flotilla/domain/records/activity/activity-store.ts';
import type { TestBackend } from '@flotilla/testing/backend.ts';
import type { Fleet, FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import type { TestDatabase } from '@flotilla/testing/postgres.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { addDeadLetters } from './delivery-scene.ts';
import { HOSTILE } from './hostile-names.ts';

/** The largest ids that the platform may give. */
const PEOPLE = [4_503_599_627_370_401, 4_503_599_627_370_402, 4_503_599_627_370_403] as const;
const CROWD = 60;
const HOUR_MS = 3_600_000;
/** In each hour, the activity of a large fleet in a year. */
const HUGE = 987_654_321;
const READY_MS = 90_000;

/** Ids of what the screens of a fleet with hostile names show. */
export type HostileScene = {
  bot: number;
  /** A bot with a username as long as the first one's, which differs from it at the end. */
  other: number;
  group: number;
  person: number;
  topic: number;
  update: number;
  program: number;
  entry: number;
  broadcast: number;
  key: number;
};

/** Five bots with long names in four scripts, and something of everything, with ids and figures as long as they come. */
export async function playHostile(
  fleet: Fleet,
  database: TestDatabase,
  { url: backend }: TestBackend,
): Promise<HostileScene> {
  const bots = await addBots(fleet, backend);
  const [bot, other] = bots as [FleetBot, FleetBot];
  const talk = await playTalk(fleet, bots);
  await addDeadLetters(database, bot.id, 30, 900_000_000_000, 502);
  await keepHugeFigures(database, bots);
  const { program, key } = await addReaders(fleet, bots, backend);
  const { entry, broadcast } = await addSending(fleet, database, bot.id, talk.group);
  await addRulesAndSinks(fleet, bot, other, backend);
  const update = await awaitTraffic(fleet, bot.id, talk.group);
  return { ...talk, bot: bot.id, other: other.id, person: PEOPLE[0], update, program, key, entry, broadcast };
}

async function addBots(fleet: Fleet, backend: string): Promise<FleetBot[]> {
  const bots: FleetBot[] = [];
  for (const [at, name] of Object.values(HOSTILE).entries()) {
    const proxied = { proxy_enabled: true, backend_url: `${backend}/${HOSTILE.word}/${at}` };
    const polled = { long_poll_enabled: true, silent_after_s: 1 };
    // The longest that the platform takes, and different at the end only.
    const username = `a_username_that_is_as_long_${at}_bot`;
    bots.push(await fleet.addBot(at % 2 === 0 ? proxied : polled, { name, username }));
  }
  return bots;
}

/** A forum with many members and hostile titles, and a private chat with each bot. */
async function playTalk(fleet: Fleet, bots: readonly FleetBot[]): Promise<{ group: number; topic: number }> {
  const { control } = fleet;
  const names = Object.values(HOSTILE);
  const [first] = bots as [FleetBot];
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
  const forum = { type: 'supergroup', title, forum: true, members, admins, creator: PEOPLE[0] } as const;
  const { id: group } = await control.createChat(forum);
  const { topic } = await control.createTopic({ person: PEOPLE[0], chat: group, name: HOSTILE.chinese });
  await control.createTopic({ person: PEOPLE[0], chat: group, name: HOSTILE.word });
  for (const [at, person] of [...PEOPLE, ...crowd].entries()) {
    const text = `${names[at % 5]} ${HOSTILE.word.repeat(1 + (at % 3))}`;
    await control.sendMessage({ person, chat: group, text, ...(at % 4 === 0 ? { topic } : {}) });
  }
  return { group, topic };
}

async function keepHugeFigures({ db }: TestDatabase, bots: readonly FleetBot[]): Promise<void> {
  const thisHourMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const counts = { in: HUGE, delivered: HUGE - 1, failed: 98_765, retried: 1_234_567, calls: HUGE * 2 };
  const hours = Array.from({ length: 48 }, (_, ago) => thisHourMs - (ago + 1) * HOUR_MS);
  await activityStore(db).keep(
    hours.flatMap((atMs) =>
      [null, ...bots.map(({ id }) => id)].map((botId) => ({ botId, atMs, counts, waiting: 123_456_789 })),
    ),
  );
}

async function addReaders(
  fleet: Fleet,
  bots: readonly FleetBot[],
  backend: string,
): Promise<{ program: number; key: number }> {
  const ids = bots.map(({ id }) => id);
  const [first] = ids as [number];
  const add = (path: string, fields: object) => fleet.rest<{ id: number }>(`/api/${path}`, fields);
  const pushed = { mode: 'push', backend_url: `${backend}/${HOSTILE.digits}` };
  const { id: program } = await add('programs/add', { bot_id: first, name: HOSTILE.word, ...pushed });
  await add('programs/add', { bot_id: first, name: HOSTILE.arabic });
  await add('auth/users/add', {
    ...{ username: HOSTILE.word.slice(0, 32).toLowerCase(), password: 'a password of somebody' },
    ...{ display_name: HOSTILE.cyrillic, role: 'user', bot_ids: ids },
  });
  await add('auth/api-keys/create', { name: HOSTILE.chinese, bot_ids: ids });
  const chats = ids.flatMap((id) => PEOPLE.map((chat) => ({ bot_id: id, chat_id: chat })));
  const { id: key } = await add('auth/api-keys/create', { name: HOSTILE.word, mcp: 'write', mcp_chats: chats });
  return { program, key };
}

/** Something for tomorrow, a broadcast to more chats than there are people, and questions. */
async function addSending(
  fleet: Fleet,
  { db }: TestDatabase,
  bot: number,
  group: number,
): Promise<{ entry: number; broadcast: number }> {
  const tomorrow = { send_at: new Date(Date.now() + 24 * HOUR_MS).toISOString() };
  const said = { bot_id: bot, method: 'sendMessage', ...tomorrow };
  const add = (path: string, fields: object) => fleet.rest<{ id: number }>(`/api/${path}/add`, fields);
  const { id: entry } = await add('outbox', { ...said, params: { chat_id: group, text: HOSTILE.word.repeat(5) } });
  const audience = { chat_types: ['private'], tags: [HOSTILE.arabic] };
  const news = { ...said, name: HOSTILE.word, audience, params: { text: HOSTILE.arabic.repeat(5) } };
  const { id: broadcast } = await add('broadcasts', news);
  const huge = { total: HUGE, sent: HUGE - 3_000_000, failed: 1_234_567, blocked: 1_234_567 };
  await db.updateTable('broadcasts').set(huge).where('id', '=', broadcast).execute();
  for (const text of [HOSTILE.word, HOSTILE.arabic]) {
    await add('questions', { bot_id: bot, chat_id: PEOPLE[0], text: text.repeat(3), options: [text, HOSTILE.chinese] });
    await add('replies', { name: text, text: HOSTILE.cyrillic });
  }
  return { entry, broadcast };
}

async function addRulesAndSinks(fleet: Fleet, bot: FleetBot, other: FleetBot, backend: string): Promise<void> {
  const rule = { source_bot_id: bot.id, condition_type: 'keyword', condition_value: HOSTILE.word, action: 'forward' };
  const to = { target_bot_id: other.id, target_chat_id: PEOPLE[0], description: HOSTILE.cyrillic };
  await fleet.rest('/api/routes/add', { ...rule, ...to });
  await fleet.rest('/api/event-sinks/add', { name: HOSTILE.word, url: `${backend}/${HOSTILE.word.repeat(3)}` });
  await fleet.rest('/api/event-sinks/add', { name: HOSTILE.arabic, bot_id: bot.id, chat_id: PEOPLE[0] });
}

/** Waits until there is something of all that the processes do by themselves; answers an update that they tried to deliver. */
async function awaitTraffic(fleet: Fleet, bot: number, group: number): Promise<number> {
  const has = (path: string) => async () => (await fleet.rest<unknown[]>(path)).length > 0;
  const messages = `/api/messages?bot_id=${bot}&chat_id=${group}`;
  await waitFor(async () => (await fleet.rest<unknown[]>(messages)).length >= 50, { timeoutMs: READY_MS });
  for (const path of ['/api/events', `/api/deliveries?bot_id=${bot}&state=retrying`]) {
    await waitFor(has(path), { timeoutMs: READY_MS, message: path });
  }
  const attempts = `/api/deliveries/attempts?bot_id=${bot}`;
  await waitFor(has(attempts), { timeoutMs: READY_MS, message: attempts });
  return (await fleet.rest<{ update_id: number }[]>(attempts))[0]!.update_id;
}
