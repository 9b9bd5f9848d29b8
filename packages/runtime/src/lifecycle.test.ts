import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';

/** Runs a program that calls runMain with the given start function (as source), on this same Node. */
function run(start: string, options = '{}') {
  const lifecycle = new URL('./lifecycle.ts', import.meta.url).href;
  const errors = [
    `import { SettingsError } from '${new URL('./env.ts', import.meta.url).href}';`,
    `import { runMain } from '${lifecycle}';`,
  ].join('\n');
  const program = `${errors}\nrunMain('program', ${start}, ${options});`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output += chunk));
  return { child, output: () => output };
}

// The event "close" does not come for a child whose channel we disconnected, so it cannot be awaited.
async function exitCode(child: ChildProcess): Promise<number | null> {
  const [[code]] = await Promise.all([once(child, 'exit'), once(child.stdout!, 'close'), once(child.stderr!, 'close')]);
  return code;
}

/** Says "up" once started, and "stopped" once stopped. */
const SERVER = `async () => {
  const timer = setInterval(() => {}, 1000);
  setTimeout(() => process.send?.('up'), 0);
  return { stop: async () => { clearInterval(timer); console.log('stopped'); } };
}`;

describe('A main program', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('stops once on several %s and exits with 0', async (signal) => {
    const { child, output } = run(SERVER);
    await once(child, 'message');
    child.kill(signal);
    child.kill(signal);
    expect(await exitCode(child)).toBe(0);
    expect(output().match(/^stopped$/gm)).toHaveLength(1);
  });

  test('that hangs while it stops ends at once with 1 when it is asked again', async () => {
    const hanging = `async () => {
      setTimeout(() => process.send?.('up'), 0);
      return { stop: () => new Promise(() => setInterval(() => {}, 1000)) };
    }`;
    const { child, output } = run(hanging);
    await once(child, 'message');
    const asking = setInterval(() => child.kill('SIGTERM'), 100);
    expect(await exitCode(child)).toBe(1);
    clearInterval(asking);
    expect(output()).toContain('asked again to stop (SIGTERM)');
  });

  test('stops when the launcher that holds its channel is gone', async () => {
    const { child, output } = run(SERVER);
    await once(child, 'message');
    child.disconnect();
    expect(await exitCode(child)).toBe(0);
    expect(output()).toContain('stopped');
  });

  test('that is asked to stop while it still starts, stops after that', async () => {
    const slow = `async () => {
      process.send('starting');
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { stop: async () => console.log('stopped') };
    }`;
    const { child, output } = run(slow);
    await once(child, 'message');
    child.kill('SIGTERM');
    expect(await exitCode(child)).toBe(0);
    expect(output()).toContain('stopped');
  });

  test('with wrong settings exits with 1 and says just what is wrong', async () => {
    const { child, output } = run(`async () => { throw new SettingsError('PORT: must be a number'); }`);
    expect(await exitCode(child)).toBe(1);
    expect(output()).toBe('program: PORT: must be a number\n');
  });

  test.each([
    ['fails to start', `async () => { throw new Error('no luck') }`],
    [
      'throws later on',
      `async () => { setTimeout(() => { throw new Error('no luck') }, 10); return { stop: async () => {} } }`,
    ],
    ['rejects later on', `async () => { Promise.reject(new Error('no luck')); return { stop: async () => {} } }`],
  ])('that %s logs the error and exits with 1', async (_, start) => {
    const { child, output } = run(start);
    expect(await exitCode(child)).toBe(1);
    expect(output()).toContain('"msg":');
    expect(output()).toContain('no luck');
  });

  test('for a person at a terminal says a sentence without a stack', async () => {
    const { child, output } = run(`async () => { throw new SettingsError('Port 80 is taken.'); }`, '{ plain: true }');
    expect(await exitCode(child)).toBe(1);
    expect(output()).toBe('Port 80 is taken.\n');
  });
});
