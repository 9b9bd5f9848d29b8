import { ADMIN_KEY, type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { startTcpRelay, type TcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EventSource } from 'eventsource';

const PATIENCE = { timeoutMs: 60_000 };

let fleet: Fleet;
let relay: TcpRelay;
let source: EventSource | undefined;

beforeAll(async () => {
  fleet = await startFleet();
  relay = await startTcpRelay(() => Number(new URL(fleet.url).port));
}, 60_000);
afterAll(async () => {
  source?.close();
  await relay.stop();
  await fleet.stop();
}, 60_000);

test.each([
  ['is cut, and the service cannot be reached for a while', () => relay.cut()],
  ['is reset', async () => relay.reset()],
])(
  'live events come once and in order in an EventSource whose connection %s',
  async (_how, breakConnection) => {
    const bot = await fleet.addBot();
    const person = (await fleet.control.createPerson({ firstName: 'Ann' })).id;
    const say = (text: string) => fleet.control.sendMessage({ person, bot: bot.platformId, text });
    const seen: string[] = [];
    let [opened, gaps] = [0, 0];
    /** The id that each connection goes on from. */
    const resumed: (string | undefined)[] = [];
    source = new EventSource(`http://127.0.0.1:${relay.port}/api/live?topics=bot:${bot.id}`, {
      fetch: (url, init) => {
        resumed.push((init.headers as Record<string, string>)['Last-Event-ID']);
        return fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${ADMIN_KEY}` } });
      },
    });
    source.addEventListener('open', () => {
      opened += 1;
    });
    source.addEventListener('gap', () => {
      gaps += 1;
    });
    source.addEventListener('update', ({ data }) => {
      seen.push((JSON.parse(data) as { update: { message: { text: string } } }).update.message.text);
    });
    const has = (count: number) => waitFor(() => seen.length >= count, PATIENCE);

    await waitFor(() => opened === 1, PATIENCE);
    for (const text of ['one', 'two']) await say(text);
    await has(2);
    await breakConnection();
    // These come while nobody is connected.
    for (const text of ['three', 'four']) await say(text);
    await waitFor(async () => (await historyOf(bot.id, person)) === 4, PATIENCE);
    await relay.restore();
    await has(4);
    await say('five');
    await has(5);
    expect(seen).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect([opened > 1, gaps]).toEqual([true, 0]);
    expect(resumed[0]).toBeUndefined();
    expect(resumed.at(-1)).toEqual(expect.any(String));
    source.close();
  },
  120_000,
);

async function historyOf(bot: number, chat: number): Promise<number> {
  return (await fleet.rest<unknown[]>(`/api/messages?bot_id=${bot}&chat_id=${chat}`)).length;
}
