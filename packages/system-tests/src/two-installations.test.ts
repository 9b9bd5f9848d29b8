import { connectRedis } from '@flotilla/redis/connect.ts';
import { installationKey } from '@flotilla/redis/keys.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { expect, test } from '@jest/globals';

test('of two installations on one Redis, the one that it knows works, until the other one takes over by force', async () => {
  const own = await startFleet({ apis: 1, workers: 1 });
  const { redis } = own;
  const other = await startFleet({ apis: 1, workers: 1 }, {}, undefined, redis);
  try {
    const system = (one: Fleet) => one.rest<{ quarantined: boolean; quarantine_reason?: string }>('/api/system');
    expect(await system(own)).toMatchObject({ quarantined: false });
    const reason = 'Redis belongs to another installation';
    expect(await system(other)).toMatchObject({ quarantined: true, quarantine_reason: reason });
    await expect(other.rest('/api/replies/add', { name: 'a', text: 'b' })).rejects.toThrow('503');
    // A wrong REDIS_URL is a fault of one process, so neither the others nor events know of it.
    expect(await other.rest('/api/events?kinds=installation.quarantined')).toEqual([]);
    await expect(own.rest('/api/system/adopt', {})).rejects.toThrow('409');
    await expect(other.rest('/api/system/adopt', {})).rejects.toThrow(/409.*belongs to an installation that runs/);
    expect(await system(own)).toMatchObject({ quarantined: false });
    await other.rest('/api/system/adopt', { force: true });
    await waitFor(async () => (await system(own)).quarantined, { timeoutMs: 20_000 });
    const { installation_id: former } = await own.rest<{ installation_id: string }>('/api/system');
    await own.rest('/api/system/adopt', { force: true });
    await waitFor(async () => (await system(other)).quarantined, { timeoutMs: 20_000 });

    // The state after a failover that lost the newest writes.
    const { commands, close } = await connectRedis({ url: redis.url, log: { warn: () => undefined } });
    await commands.set(installationKey, former);
    await waitFor(async () => (await commands.get(installationKey)) !== former, { timeoutMs: 20_000 });
    await close();
    expect(await system(own)).toMatchObject({ quarantined: false });
  } finally {
    await other.stop();
    await own.stop();
  }
}, 120_000);
