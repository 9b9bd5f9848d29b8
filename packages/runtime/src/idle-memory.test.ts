import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';

const RETURNS = `(await import('${new URL('./idle-memory.ts', import.meta.url).href}')).returnIdleMemory(500);`;

/** Ends with 0 when the memory that a burst of short-lived objects took has fallen by a third, with 1 if it has not in time. */
async function givesBack(start: string, withinMs: number): Promise<boolean> {
  const program = `
    const burst = [];
    for (let at = 0; at < 2e6; at += 1) burst.push({ at });
    burst.length = 0;
    const taken = process.memoryUsage.rss();
    ${start}
    setTimeout(() => process.exit(1), ${withinMs});
    setInterval(() => process.memoryUsage.rss() < taken * 0.67 && process.exit(0), 100);`;
  const child = spawn(process.execPath, ['--max-semi-space-size=16', '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  return code === 0;
}

test('A process that has nothing to do gives back what a burst took, and would keep it otherwise', async () => {
  expect(await Promise.all([givesBack(RETURNS, 20_000), givesBack('', 3_000)])).toEqual([true, false]);
});
