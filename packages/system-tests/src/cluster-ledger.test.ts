import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { ADMIN_KEY, type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const PROGRAM = join(import.meta.dirname, 'cluster-ledger.ts');

let fleet: Fleet;

beforeEach(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 });
}, 60_000);
afterEach(() => fleet.stop());

/** Runs the program of the workflow that tries the chart. */
function followUpdates(): Promise<{ exitCode: number | null; output: string }> {
  const env = {
    PATH: inheritedEnv().PATH,
    API_URL: fleet.url,
    SIMULATOR_URL: fleet.simulator.url,
    ADMIN_API_KEY: ADMIN_KEY,
  };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, '2'], { env }, (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode, output: stdout + stderr }),
    );
  });
}

test('the ledger of the cluster is content when every update arrives once and in order', async () => {
  expect(await followUpdates()).toEqual({
    exitCode: 0,
    output: '40 of 40 updates arrived, 0 twice; 0 polls failed\n',
  });
}, 60_000);
