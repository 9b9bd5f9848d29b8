import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { MessageResource } from '@flotilla/contract/messages.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const PROGRAM = fileURLToPath(new URL('./topic-program.ts', import.meta.url));
const ADA = 9_101;
const NAMES = ['refunds', 'repairs', 'deliveries'] as const;
const PATIENCE = { timeoutMs: 60_000 };

type Running = { child: ChildProcess; output(): string };
type Seat = { name: string; topic: number; programId: number; token: string; running: Running };

let fleet: Fleet;
let bot: FleetBot;
let forum: number;
const seats: Seat[] = [];

beforeAll(async () => {
  fleet = await startFleet();
  bot = await fleet.addBot({ long_poll_enabled: true });
  await fleet.control.createPerson({ id: ADA, firstName: 'Ada' });
  const admins = [{ bot: bot.platformId }];
  const wanted = { type: 'supergroup', title: 'Office', forum: true, creator: ADA, admins } as const;
  forum = (await fleet.control.createChat(wanted)).id;
  for (const name of NAMES) seats.push(await seat(name));
}, 180_000);
afterAll(async () => {
  await Promise.all(seats.map(({ running }) => kill(running)));
  await fleet.stop();
}, 60_000);

/** A topic, and a program that alone gets it, with a token for it. */
async function seat(name: string): Promise<Seat> {
  const { topic } = await fleet.control.createTopic({ person: ADA, chat: forum, name });
  const filter = { chat_ids: [forum], thread_ids: [topic] };
  const added = { bot_id: bot.id, name, exclusive: true, filter };
  const { id: programId } = await fleet.rest<ProgramResource>('/api/programs/add', added);
  const limits = { program_id: programId, name, methods: ['read', 'send', 'edit'], chats: [forum], threads: [topic] };
  const { token } = await fleet.rest<{ token: string }>('/api/programs/tokens/add', limits);
  return { name, topic, programId, token, running: await start(token) };
}

async function start(token: string): Promise<Running> {
  const settings = JSON.stringify({ apiRoot: `${fleet.url}/tgapi`, token });
  const child = spawn(process.execPath, [PROGRAM, settings], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  await waitFor(async () => output.includes('ready'), PATIENCE);
  return { child, output: () => output };
}

async function kill({ child }: Running): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}

const say = (topic: number | undefined, text: string) =>
  fleet.control.sendMessage({ person: ADA, chat: forum, ...(topic === undefined ? {} : { topic }), text });
const pending = async ({ programId }: Seat) =>
  (await fleet.rest<{ pending_update_count: number }>(`/api/programs/show?id=${programId}`)).pending_update_count;

async function answersIn({ topic }: Seat): Promise<MessageResource[]> {
  const query = `bot_id=${bot.id}&chat_id=${forum}&thread_id=${topic}&limit=200`;
  const messages = await fleet.rest<MessageResource[]>(`/api/messages?${query}`);
  return messages.filter(({ outgoing }) => outgoing).toReversed();
}

async function expectAnswers(said: readonly string[]): Promise<void> {
  for (const one of seats) {
    const expected = said.map((text) => `re: ${one.name} ${text}`);
    await waitFor(async () => {
      const answers = await answersIn(one);
      return answers.length >= expected.length && answers.every(({ text }) => text?.startsWith('re: '));
    }, PATIENCE);
    const answers = await answersIn(one);
    expect(answers.map(({ text }) => text)).toEqual(expected);
    expect(new Set(answers.map(({ program_id }) => program_id))).toEqual(new Set([one.programId]));
  }
}

test('three programs of one bot each answer in their topic, and one that is killed loses and doubles nothing', async () => {
  const said = Array.from({ length: 12 }, (_, at) => `number ${at}`);
  const [first, second, third] = [said.slice(0, 4), said.slice(4, 8), said.slice(8)];
  const sayInAll = async (texts: readonly string[]) => {
    for (const text of texts) for (const { topic, name } of seats) await say(topic, `${name} ${text}`);
  };
  await sayInAll(first);
  await say(undefined, 'to nobody of them');
  await expectAnswers(first);

  const [killed] = seats as [Seat];
  // Its last answer is confirmed by its next poll.
  await waitFor(async () => (await pending(killed)) === 0, PATIENCE);
  await kill(killed.running);
  await sayInAll(second);
  for (const one of seats.slice(1)) await waitFor(async () => (await pending(one)) === 0, PATIENCE);
  expect(await answersIn(killed)).toHaveLength(first.length);
  killed.running = await start(killed.token);
  await sayInAll(third);
  await expectAnswers(said);

  // What is in no topic is left to the readers of the bot itself.
  const polled = await fetch(`${fleet.url}/tgapi/bot${bot.token}/getUpdates`);
  const { result } = (await polled.json()) as { result: { message?: { text?: string } }[] };
  expect(result.flatMap(({ message }) => message?.text ?? [])).toEqual(['to nobody of them']);
}, 240_000);

test('a token of one topic reaches no other one, however it tries', async () => {
  const [mine, other] = seats as [Seat, Seat];
  const [theirs] = await answersIn(other);
  const call = async (method: string, params: object) => {
    const response = await fetch(`${fleet.url}/tgapi/bot${mine.token}/${method}`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ chat_id: forum, ...params }),
    });
    return [response.status, ((await response.json()) as { description?: string }).description];
  };
  const before = (await fleet.control.readChat({ chat: forum })).messages.length;
  const there = { message_thread_id: mine.topic };
  const message = { message_id: theirs!.id };
  const tries: [string, object][] = [
    ['sendMessage', { text: 'x', message_thread_id: other.topic }],
    ['sendMessage', { text: 'x' }],
    ['sendMessage', { text: 'x', reply_parameters: message }],
    ['sendMessage', { ...there, text: 'x', reply_parameters: message }],
    ['forwardMessage', { ...there, ...message, from_chat_id: forum }],
    ['copyMessage', { ...there, ...message, from_chat_id: forum }],
    ['editMessageText', { ...message, text: 'x' }],
    ['deleteMessage', message],
    ['setMessageReaction', message],
    ['getChat', {}],
  ];
  for (const [method, params] of tries) {
    const refused = expect.stringMatching(new RegExp(`^Forbidden: this token may not call ${method}: `));
    expect([method, ...(await call(method, params))]).toEqual([method, 403, refused]);
  }
  expect((await fleet.control.readChat({ chat: forum })).messages).toHaveLength(before);
}, 60_000);
