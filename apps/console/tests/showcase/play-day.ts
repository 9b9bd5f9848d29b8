import type { Database } from '@flotilla/database/connect.ts';
import { connectRedis, type RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { type BackendHandler, startBackend } from '@flotilla/testing/backend.ts';
import type { Browser } from '@flotilla/testing/browser.ts';
import type { Fleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { addBots, callAsBot, type ShownBot } from './bots.ts';
import { ADA, playChats, playForum, playQueues, playSupport, spreadSupport } from './conversations.ts';
import { ILL_FOR_MINUTES, storeDay } from './day-of-traffic.ts';
import { draw } from './drawings.ts';
import { addRules, storeBroadcasts, storeDeadLetters, storeEvents, storeOutbox } from './sending.ts';

/** The data for the screens of the pictures. */
export type Shown = {
  botOf(key: string): ShownBot;
  broadcast: number;
  /** The update of which the waterfall is shown. */
  update: number;
  timezoneId: string;
};

const MINUTE_MS = 60_000;
/** On the pictures it is afternoon, whenever they are taken. */
const SHOWN_HOUR = 15;
const MOST_EAST = 14;
const DAY_HOURS = 24;

/** A fleet of thirty bots and their last day, through the real processes where that takes no day. */
export async function playDay(
  fleet: Fleet,
  db: Database,
  browser: Browser,
  parts: AsyncDisposableStack,
): Promise<Shown> {
  const well = parts.adopt(await startBackend(answerWell), (one) => one.stop());
  const ill = parts.adopt(await startBackend(answerIll), (one) => one.stop());
  const redis = parts.adopt(await connectRedis({ url: fleet.redis.url, log: { warn: () => {} } }), (one) =>
    one.close(),
  );
  const at = (host: string, url: string) => `http://${host}:${new URL(url).port}`;
  const backends = { well: at('bots.north-store.example', well.url), ill: at('couriers.example', ill.url) };
  const drawings = await draw(browser);
  const bots = await addBots(fleet, backends);
  const botOf = (key: string) => bots.find((bot) => bot.key === key)!;
  const scene = { fleet, bots, drawings };
  await addPrograms(fleet, botOf, { well: well.url, ill: ill.url });
  await addRules(fleet, botOf);
  await addSink(fleet, botOf('dezhurstvo'));
  const update = await playOrder(
    fleet,
    botOf('north_store'),
    ['north_store', 'north_support', 'north_billing'].map(botOf),
  );
  await playChats(scene);
  await playQueues(scene);
  await playForum(scene);
  await playSupport(scene);
  await makeTrouble(fleet, redis, botOf);
  const offset = offsetOf(new Date());
  const localHourOf = (atMs: number) => (((atMs / (60 * MINUTE_MS) + offset) % DAY_HOURS) + DAY_HOURS) % DAY_HOURS;
  await storeDay(db, redis, bots, localHourOf);
  await storeDeadLetters(db, ['north_couriers', 'north_store', 'sever_shop', 'tickets'].map(botOf));
  await storeOutbox(db, botOf('north_support'));
  await storeEvents(db, botOf);
  await spreadSupport(db, botOf('north_support'));
  const broadcast = await storeBroadcasts(db, botOf('north_store'), botOf('news_ru'));
  await datedUpdates(redis, bots);
  const timezoneId = `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
  return { botOf, broadcast, update, timezoneId };
}

/** Hours between UTC and the zone in which it is afternoon now. */
function offsetOf(now: Date): number {
  const east = SHOWN_HOUR - now.getUTCHours();
  return east > MOST_EAST ? east - DAY_HOURS : east;
}

/** The programs of the healthy bots: quick, and one of them answers what it is asked. */
const answerWell: BackendHandler = async (request, response) => {
  await new Promise((resolve) => setTimeout(resolve, 18 + ((request.body.length * 7) % 60)));
  const text = request.text.includes('4402') ? '' : answerOf(request.text);
  if (text === '') return void response.writeHead(200).end();
  const { message } = JSON.parse(request.text) as { message: { chat: { id: number } } };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ method: 'sendMessage', chat_id: message.chat.id, text }));
};

function answerOf(update: string): string {
  return update.includes('Where is my order') ? 'Order 4388 left this morning, and comes between 15 and 17.' : '';
}

const answerIll: BackendHandler = (_request, response) => {
  response.writeHead(502, { 'content-type': 'text/html' });
  response.end(
    '<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>',
  );
};

async function addPrograms(fleet: Fleet, botOf: Shown['botOf'], urls: { well: string; ill: string }): Promise<void> {
  const add = (fields: object) => fleet.rest('/api/programs/add', { bot_id: botOf('north_store').id, ...fields });
  await add({ name: 'analytics', backend_url: `${urls.well}/analytics` });
  await add({ name: 'crm', backend_url: `${urls.ill}/crm` });
  await add({ name: 'archive', kinds: ['message', 'edited_message'] });
}

/** Texts for the router; the first one is the update of the waterfall. */
const ASKED = [
  ['Elif', 'Demir', 'Where is my order? It should be here today'],
  ['Maya', 'Stone', 'My card was charged twice'],
  ['Leo', 'Martin', 'Do you deliver to the islands, and is there a parcel shop?'],
  ['Ирина', 'Власова', 'Где можно примерить?'],
] as const;

type Update = { update_id: number };

/** One update that many read: the backend answers, a program fails, the router sends it on. */
async function playOrder(fleet: Fleet, bot: ShownBot, desks: readonly ShownBot[]): Promise<number> {
  const { control } = fleet;
  for (const [at, [firstName, lastName, text]] of ASKED.entries()) {
    const { id } = await control.createPerson({ id: 9_110 + at, firstName, lastName });
    for (const one of desks) await control.startBot({ person: id, bot: one.platformId, quietly: true });
    await control.sendMessage({ person: id, bot: bot.platformId, text });
  }
  const found = await waitFor(
    async () => {
      const attempts = await fleet.rest<(Update & { reader: string })[]>(
        `/api/deliveries/attempts?bot_id=${bot.id}&limit=100`,
      );
      const first = Math.min(...attempts.map(({ update_id }) => update_id));
      const readers = new Set(attempts.filter(({ update_id }) => update_id === first).map(({ reader }) => reader));
      const asked = new Set(attempts.map(({ update_id }) => update_id));
      return asked.size >= ASKED.length && readers.size >= 3 && first;
    },
    { timeoutMs: 120_000, message: 'the attempts of an update' },
  );
  return found as number;
}

/** Who is on call learns of what is wrong, in the chat with a bot. */
async function addSink(fleet: Fleet, bot: ShownBot): Promise<void> {
  const { id } = await fleet.control.createPerson({ firstName: 'Anna', lastName: 'Holm' });
  await fleet.control.startBot({ person: id, bot: bot.platformId, quietly: true });
  await fleet.rest('/api/event-sinks/add', { name: 'On call', bot_id: bot.id, chat_id: id });
}

/** Somebody sends too fast, nobody polls, and a backend is down for a while already. */
async function makeTrouble(fleet: Fleet, redis: RedisHandles, botOf: Shown['botOf']): Promise<void> {
  const { control } = fleet;
  const loud = botOf('news_en');
  await control.startBot({ person: ADA, bot: loud.platformId, quietly: true });
  await control.setFloodWait({ bot: loud.platformId, family: 'send', seconds: 900 });
  await callAsBot(fleet, loud, 'sendMessage', { chat_id: ADA, text: 'News' });
  const down = botKeys(botOf('north_couriers').id).state;
  await waitFor(async () => Number(await redis.commands.hget(down, 'openUntil')) > 0, {
    timeoutMs: 120_000,
    message: 'the breaker of the ill backend to open',
  });
  await redis.commands.hset(down, 'failingSince', Date.now() - ILL_FOR_MINUTES * MINUTE_MS);
  const attention = async () => (await fleet.rest<{ kind: string }[]>('/api/attention')).map(({ kind }) => kind);
  await waitFor(
    async () => {
      const kinds = await attention();
      return ['backend_open', 'poller_silent', 'flood'].every((kind) => kinds.includes(kind));
    },
    { timeoutMs: 120_000, message: 'all that is wrong' },
  );
}

/** The bots heard something at different times. */
async function datedUpdates(redis: RedisHandles, bots: readonly ShownBot[]): Promise<void> {
  for (const [at, bot] of bots.entries()) {
    const ago = bot.perHour > 500 ? 3 + at * 2 : Math.round(3_600 / bot.perHour) * 1 + at * 3;
    await redis.commands.hset(botKeys(bot.id).state, 'updateAt', Date.now() - ago * 1_000);
  }
}
