import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Fleet, FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';

const AGENT = fileURLToPath(new URL('./agent.ts', import.meta.url));
const READERS = ['agent: refunds', 'agent: repairs', 'a flow, by webhook', 'Grace, in the console'] as const;
const BEAT_MS = 700;
/** After so many messages one agent is killed, and after so many it is back. */
const KILLED_AFTER = 6;
const BACK_AFTER = 12;
const MESSAGES = 18;
/** Whose question is next, by its place in READERS. */
const ORDER = [0, 1, 2, 0, 3, 1, 0, 2] as const;

export type Played = { reader: number; text: string; writtenMs: number; answeredMs: number };
export type Scene = { readers: readonly string[]; played: Played[]; killedMs: number; backMs: number };

type Room = { bot: FleetBot; ada: number; forum: number; topics: number[] };

/** Two agents, a flow and a person answer what Ada asks of one bot; one agent is killed with -9 and comes back. */
export async function play(fleet: Fleet, parts: AsyncDisposableStack): Promise<Scene> {
  const room = await furnish(fleet);
  const tokens = [await readTopic(fleet, room, 0), await readTopic(fleet, room, 1)];
  await startFlow(fleet, room, parts);
  const start = (token: string) => parts.adopt(startAgent(fleet, token), (child) => void child.kill('SIGKILL'));
  const agents = tokens.map(start);
  const answers = new Map<string, number[]>();
  const began = performance.now();
  const now = () => Math.round(performance.now() - began);
  const watching = watchAnswers(fleet, room, (text) => answers.set(text, [...(answers.get(text) ?? []), now()]));
  // A person who answers slowly does not hold the next question up.
  const asked: Promise<void>[] = [];
  const scene = { readers: READERS, played: [] as Played[], killedMs: 0, backMs: 0 };
  for (let index = 0; index < MESSAGES; index += 1) {
    if (index === KILLED_AFTER) {
      agents[0]!.kill('SIGKILL');
      scene.killedMs = now();
    }
    if (index === BACK_AFTER) {
      start(tokens[0]!);
      scene.backMs = now();
    }
    const reader = ORDER[index % ORDER.length]!;
    const text = `question ${index + 1}`;
    scene.played.push({ reader, text, writtenMs: now(), answeredMs: 0 });
    asked.push(ask(fleet, room, reader, text));
    await delay(BEAT_MS);
  }
  await Promise.all(asked);
  await waitFor(async () => answers.size === MESSAGES, { timeoutMs: 60_000 });
  // A second answer would come within the time of a turn.
  await delay(2 * BEAT_MS);
  watching.stop();
  for (const one of scene.played) {
    const [first, ...more] = answers.get(`re: ${one.text}`) ?? [];
    if (first === undefined || more.length > 0) throw new Error(`${one.text} was answered ${more.length + 1} times`);
    one.answeredMs = first;
  }
  return scene;
}

async function furnish(fleet: Fleet): Promise<Room> {
  const bot = await fleet.addBot({ long_poll_enabled: true });
  const ada = (await fleet.control.createPerson({ firstName: 'Ada' })).id;
  const admins = [{ bot: bot.platformId }];
  const forum = (
    await fleet.control.createChat({ type: 'supergroup', title: 'Shop', forum: true, creator: ada, admins })
  ).id;
  const topics: number[] = [];
  for (const name of READERS) topics.push((await fleet.control.createTopic({ person: ada, chat: forum, name })).topic);
  return { bot, ada, forum, topics };
}

function filterOf({ forum, topics }: Room, reader: number) {
  return { exclusive: true, filter: { chat_ids: [forum], thread_ids: [topics[reader]!] } };
}

/** A program that alone gets a topic, and its token. */
async function readTopic(fleet: Fleet, room: Room, reader: number): Promise<string> {
  const added = { bot_id: room.bot.id, name: `agent ${reader}`, ...filterOf(room, reader) };
  const { id } = await fleet.rest<{ id: number }>('/api/programs/add', added);
  const reach = { chats: [room.forum], threads: [room.topics[reader]!] };
  const limits = { program_id: id, name: 'agent', methods: ['read', 'send'], ...reach };
  return (await fleet.rest<{ token: string }>('/api/programs/tokens/add', limits)).token;
}

function startAgent(fleet: Fleet, token: string): ChildProcess {
  const settings = JSON.stringify({ apiRoot: `${fleet.url}/tgapi`, token });
  return spawn(process.execPath, [AGENT, settings], { stdio: ['ignore', 'ignore', 'ignore'] });
}

/** A backend that answers each message in its reply to the webhook, as a flow does. */
async function startFlow(fleet: Fleet, room: Room, parts: AsyncDisposableStack): Promise<void> {
  const server = parts.adopt(
    createServer(async (request, response) => {
      const { message } = JSON.parse((await request.toArray()).join('')) as { message?: { text?: string } };
      if (message?.text === undefined) return response.end();
      const there = { chat_id: room.forum, message_thread_id: room.topics[2] };
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify({ method: 'sendMessage', ...there, text: `re: ${message.text}` }));
    }),
    (one) => void one.close(),
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const backend_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const added = { bot_id: room.bot.id, name: 'flow', mode: 'push', backend_url, ...filterOf(room, 2) };
  await fleet.rest('/api/programs/add', added);
}

async function ask(fleet: Fleet, room: Room, reader: number, text: string): Promise<void> {
  await fleet.control.sendMessage({ person: room.ada, chat: room.forum, topic: room.topics[reader]!, text });
  if (reader !== 3) return;
  const seen = `/api/messages?bot_id=${room.bot.id}&chat_id=${room.forum}&thread_id=${room.topics[reader]!}`;
  await waitFor(async () => (await fleet.rest<{ text?: string }[]>(seen)).some((one) => one.text === text));
  const there = { bot_id: room.bot.id, chat_id: room.forum, thread_id: room.topics[reader]! };
  await fleet.rest('/api/messages/send', { ...there, text: `re: ${text}` });
}

/** Tells of each message of the bot as Ada sees it, once. */
function watchAnswers(fleet: Fleet, { bot, forum }: Room, tell: (text: string) => void): { stop: () => void } {
  const told = new Set<number>();
  let isOver = false;
  const look = async () => {
    while (!isOver) {
      const { messages } = await fleet.control.readChat({ chat: forum });
      for (const { message_id, from, text } of messages) {
        if ((from as { id: number } | undefined)?.id !== bot.platformId || told.has(message_id)) continue;
        told.add(message_id);
        if (typeof text === 'string') tell(text);
      }
      await delay(50);
    }
  };
  void look();
  return { stop: () => (isOver = true) };
}
