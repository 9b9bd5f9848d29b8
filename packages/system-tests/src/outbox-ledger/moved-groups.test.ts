import { setTimeout as delay } from 'node:timers/promises';
import type { OutboxEntryResource } from '@flotilla/contract/outbox.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const ENTRIES = 5;
const SLOW_MS = 1_500;
const MOVES = ['before', 'while', 'while', 'after'] as const;
type Move = (typeof MOVES)[number];
type Group = { bot: FleetBot; id: number; name: string; move: Move };

let fleet: Fleet;
let ada: number;

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 2 });
  ada = (await fleet.control.createPerson({ firstName: 'Ada' })).id;
}, 60_000);
afterAll(() => fleet?.stop(), 60_000);

async function groupsOf(bot: FleetBot): Promise<Group[]> {
  const made = MOVES.map(async (move, at) => {
    const name = `${bot.id}-${at}-${move}`;
    const admins = [{ bot: bot.platformId }];
    const { id } = await fleet.control.createChat({ type: 'group', title: name, creator: ada, admins });
    return { bot, id, name, move };
  });
  return Promise.all(made);
}
const calls = async ({ name, bot }: Group) => {
  const made = await fleet.control.readCalls({ bot: bot.platformId, method: 'sendMessage' });
  return made.calls.filter(({ params }) => params.text?.startsWith(`${name}:`));
};
const add = (group: Group, at: number) =>
  fleet.rest<OutboxEntryResource>('/api/outbox/add', {
    ...{ bot_id: group.bot.id, method: 'sendMessage', params: { chat_id: group.id, text: `${group.name}:${at}` } },
  });

async function moveAndSend(group: Group): Promise<OutboxEntryResource[]> {
  const migrate = async () => {
    await fleet.control.migrateGroup({ chat: group.id, person: ada });
  };
  if (group.move === 'before') await migrate();
  const entries: OutboxEntryResource[] = [];
  for (let at = 0; at < ENTRIES; at += 1) entries.push(await add(group, at));
  if (group.move === 'while') {
    // Its first request hangs at the platform.
    await delay(SLOW_MS / 3);
    await migrate();
  }
  if (group.move === 'after') {
    await waitFor(async () => (await calls(group)).some(({ status }) => status === 200), { timeoutMs: 30_000 });
    await migrate();
  }
  return entries;
}

test('of eight groups that become supergroups before, while and after the first send, each gets its messages in order', async () => {
  const heard = await fleet.addBot({ long_poll_enabled: true });
  const unheard = await fleet.addBot();
  for (const { platformId: bot } of [heard, unheard]) {
    const slow = { kind: 'delay', delayMs: SLOW_MS } as const;
    await fleet.control.setFault({ bot, method: 'sendMessage', count: MOVES.length, effect: slow });
  }
  const groups = [...(await groupsOf(heard)), ...(await groupsOf(unheard))];
  const entries = (await Promise.all(groups.map(moveAndSend))).flat();
  const shown = await waitFor(
    async () => {
      const now = await Promise.all(
        entries.map(({ id }) => fleet.rest<OutboxEntryResource>(`/api/outbox/show?id=${id}`)),
      );
      return now.every(({ state }) => !['scheduled', 'queued', 'sending'].includes(state)) && now;
    },
    { timeoutMs: 90_000, message: 'every entry having ended' },
  );
  expect((shown as OutboxEntryResource[]).filter(({ state }) => state !== 'sent')).toEqual([]);
  for (const group of groups) {
    const taken = (await calls(group)).filter(({ status }) => status === 200).map(({ params }) => params.text);
    expect(taken).toEqual(Array.from({ length: ENTRIES }, (_, at) => `${group.name}:${at}`));
  }
}, 180_000);
