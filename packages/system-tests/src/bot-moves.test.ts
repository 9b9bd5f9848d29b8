import type { OutboxEntryResource } from '@flotilla/contract/outbox.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MOVED_WITHIN_MS, movingBots } from './moving-bots.ts';
import { type SideBySide, startSideBySide } from './servers-side-by-side.ts';

let servers: SideBySide;
let bots: ReturnType<typeof movingBots>;

beforeAll(async () => {
  servers = await startSideBySide({ apis: 1, workers: 1 });
  bots = movingBots(servers);
}, 60_000);
afterAll(() => servers?.stop(), 60_000);

test('a bot moves to a local server and back: the dry run says how, sends wait, calls get 503, ids rise', async () => {
  const { bot, person, say } = await bots.botWithPerson();
  const read = bots.reader(bot);
  await say('at the cloud');
  await read.until('at the cloud');

  const { plan, moving } = await bots.move(bot, 'local', { dry_run: true });
  expect(moving).toBeUndefined();
  expect(plan).toMatchObject({
    ...{
      from: 'default',
      to: 'local',
      pending_update_count: expect.any(Number),
      target_answers: true,
      refused_for_s: 0,
      obstacles: [],
    },
  });
  expect(plan.steps.map(({ step }) => step)).toEqual(['drain', 'log_out', 'log_in', 'start']);
  await expect(servers.fleet.rest('/api/bots/update', { id: bot.id, upstream: 'local' })).rejects.toThrow('bots/move');

  expect((await bots.move(bot, 'local')).moving).toMatchObject({ to: 'local' });
  await bots.reaches(bot, 'log_out');
  const call = () => fetch(`${servers.fleet.url}/tgapi/bot${bot.token}/sendMessage?chat_id=${person}&text=refused`);
  const refused = await call();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await refused.json()).toMatchObject({
    description: expect.stringContaining('moves to another Bot API server'),
  });
  const queued = await servers.fleet.rest<OutboxEntryResource>('/api/outbox/add', {
    ...{ bot_id: bot.id, method: 'sendMessage', params: { chat_id: person, text: 'queued' } },
  });
  await say('on the way');
  await bots.arrives(bot, 'local');
  await read.until('on the way');
  await waitFor(
    async () => (await servers.fleet.rest<OutboxEntryResource>(`/api/outbox/show?id=${queued.id}`)).state === 'sent',
    { message: 'the entry being sent', timeoutMs: MOVED_WITHIN_MS },
  );
  expect((await call()).status).toBe(200);

  await bots.move(bot, 'default');
  await bots.reaches(bot, 'log_in');
  await waitFor(async () => (await bots.shown(bot)).moving?.waits_until !== undefined, {
    message: 'until when it waits',
  });
  expect((await bots.shown(bot)).moving?.reason).toContain('ten minutes');
  await say('between');
  await servers.cloud.setLogOutWait({ seconds: 0 });
  await bots.arrives(bot, 'default');
  await say('back');
  await read.until('back');
  expect(read.got.map(({ message }) => message?.text)).toEqual(['at the cloud', 'on the way', 'between', 'back']);
  const ids = read.got.map(({ update_id: id }) => id);
  expect(ids).toEqual(ids.toSorted((one, other) => one - other));
  const { calls } = await servers.cloud.readCalls({ bot: bot.platformId, method: 'sendMessage' });
  expect(calls.map(({ server, params }) => [server, params.text])).toEqual([
    ['local', 'queued'],
    ['local', 'refused'],
  ]);
  const events = await servers.fleet.rest<{ text: string }[]>(`/api/events?bot_id=${bot.id}&kinds=bot.moved`);
  expect(events.map(({ text }) => text)).toEqual(['moved from local to default', 'moved from default to local']);
  await servers.cloud.setLogOutWait({ seconds: 600 });
}, 120_000);

test('a move that was not logged out yet is cancelled by the name of the present server, and the webhook is set again', async () => {
  const { bot, say } = await bots.botWithPerson({ webhook_mode: true });
  await servers.cloud.setFault({ bot: bot.platformId, method: 'getWebhookInfo', effect: { kind: 'reset' } });
  await bots.move(bot, 'local');
  await waitFor(async () => (await bots.shown(bot)).moving?.reason?.includes('does not answer'), {
    message: 'the reason',
  });
  await expect(bots.move(bot, 'local')).rejects.toThrow('409');
  await servers.cloud.clearFaults({});
  const { plan } = await bots.move(bot, 'default');
  expect(plan.steps.map(({ step }) => step)).toEqual(['start']);
  await bots.arrives(bot, 'default');
  expect((await servers.cloud.readWebhook({ bot: bot.platformId })).url).toContain(`/telegram/${bot.id}`);
  await say('pushed');
  await bots.reader(bot).until('pushed');
  const { byMethod } = await servers.cloud.readCalls({ bot: bot.platformId });
  expect(byMethod.logout).toBeUndefined();
}, 60_000);

test('what is in the way is said before, a dead server holds no other bot up, and a bot can be deleted while it moves', async () => {
  const { bot, say } = await bots.botWithPerson();
  await expect(bots.move(bot, 'default')).rejects.toThrow('400');
  await expect(bots.move(bot, 'nowhere')).rejects.toThrow('400');
  await servers.fleet.rest('/api/bots/toggle-disabled', { id: bot.id });
  await waitFor(async () => (await servers.cloud.readCalls({ bot: bot.platformId })).pollsNow === 0);
  await say('waits');
  expect((await bots.move(bot, 'local', { dry_run: true })).plan.obstacles.join()).toContain('disabled');
  await expect(bots.move(bot, 'local')).rejects.toThrow('409');
  await servers.fleet.rest('/api/bots/toggle-disabled', { id: bot.id });

  await servers.cloud.setFault({ bot: bot.platformId, method: 'getMe', effect: { kind: 'hang' } });
  await bots.move(bot, 'local');
  await bots.reaches(bot, 'log_in');
  // A move whose server does not answer holds no other one up.
  const { bot: other } = await bots.botWithPerson();
  await bots.move(other, 'local');
  await bots.arrives(other, 'local');
  const { moving } = await bots.move(bot, 'default');
  expect(moving?.to).toBe('default');
  // The server that it gave up may have logged it in.
  const loggedOutOf = async () =>
    (await servers.cloud.readCalls({ bot: bot.platformId, method: 'logOut' })).calls.map(({ server }) => server);
  await waitFor(async () => (await loggedOutOf()).includes('local'), { message: 'the logOut at the local server' });
  await servers.fleet.rest('/api/bots/delete', { id: bot.id });
  await servers.cloud.clearFaults({});
  const all = await servers.fleet.rest<{ id: number }[]>('/api/bots');
  expect(all.map(({ id }) => id)).not.toContain(bot.id);
}, 60_000);
