import { rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from './free-port.ts';
import { startRedis } from './start-redis.ts';

describe('The embedded Redis', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await throwAwayDir();
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  test('keeps its data over an orderly stop, and every answered write over a kill -9', async () => {
    const first = await startRedis({ dataDir });
    await command(first.url, 'SET one 1');
    await first.stop();

    const second = await startRedis({ dataDir });
    await command(second.url, 'SET two 2');
    second.kill();
    await second.exited;

    const third = await startRedis({ dataDir });
    expect(await command(third.url, 'MGET one two')).toBe('*2\r\n$1\r\n1\r\n$1\r\n2\r\n');
    await third.stop();
    await expect(command(third.url, 'PING')).rejects.toThrow();
  });

  test('is set up for keeping: append-only, synced always, never evicting', async () => {
    const redis = await startRedis({ dataDir });
    for (const [name, value] of [
      ['appendonly', 'yes'],
      ['appendfsync', 'always'],
      ['maxmemory-policy', 'noeviction'],
      ['bind', '127.0.0.1'],
    ]) {
      expect(await command(redis.url, `CONFIG GET ${name}`)).toContain(`\r\n${value}\r\n`);
    }
    await redis.stop();
  });

  test('lets nobody in without the password, which only the owner of the files can read', async () => {
    const redis = await startRedis({ dataDir });
    expect(await command(`redis://127.0.0.1:${redis.port}`, 'PING')).toContain('NOAUTH');
    expect((await stat(join(dataDir, 'redis/redis.conf'))).mode & 0o077).toBe(0);
    await redis.stop();
  });

  test('says in its own words why it cannot start', async () => {
    const port = await freePort();
    const first = await startRedis({ dataDir, port });
    const otherDir = await throwAwayDir();
    await expect(startRedis({ dataDir: otherDir, port })).rejects.toThrow(/Redis did not start.*in use/is);
    await first.stop();
    await rm(otherDir, { recursive: true, force: true });
  });
});

/** Sends one inline command over a bare socket and returns the reply. */
async function command(url: string, line: string): Promise<string> {
  const { hostname, port, password } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  socket.end(`${password ? `AUTH ${password}\r\n` : ''}${line}\r\nQUIT\r\n`);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer.replace(/^\+OK\r\n/, '').replace(/\+OK\r\n$/, '');
}
