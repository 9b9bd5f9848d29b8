import { startBackend } from '@flotilla/testing/backend.ts';
import { startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { expect, test } from '@jest/globals';

test('a program that was just added is sent its first update without the help of upkeep', async () => {
  const fleet = await startFleet({ apis: 1, workers: 0 });
  const backend = await startBackend();
  try {
    await fleet.start('worker', { WORKER_ROLES: 'polling,push' });
    const [bot, person] = [await fleet.addBot(), await fleet.control.createPerson({})];
    const program = { bot_id: bot.id, name: 'new', mode: 'push', backend_url: backend.url };
    await fleet.rest('/api/programs/add', program);
    await fleet.control.sendMessage({ person: person.id, bot: bot.platformId, text: 'the first' });
    const [request] = await backend.waitForRequests(1, 30_000);
    expect(request!.text).toContain('the first');
  } finally {
    await backend.stop();
    await fleet.stop();
  }
}, 90_000);
