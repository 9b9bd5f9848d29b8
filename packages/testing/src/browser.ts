import { findProgram, type WantedProgram } from '@flotilla/embedded/find-program.ts';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { type Browser, chromium } from 'playwright-core';

export type { Browser, BrowserContext } from 'playwright-core';

/** For a beforeAll that starts a browser: on a new machine the system's package manager installs it first. */
export const BROWSER_START_MS = 600_000;

const CHROMIUM: WantedProgram = {
  names: ['chromium', 'chromium-browser', 'google-chrome'],
  aptPackage: 'chromium',
  missing:
    'There is no chromium on the PATH: install it (Debian: sudo apt-get install chromium), or name a Chromium by CHROMIUM_PATH.',
};
/** Containers give no user namespaces to the sandbox, and little of /dev/shm. */
const FLAGS = ['--no-sandbox', '--disable-dev-shm-usage'];

/** A Chromium without a window: the one that CHROMIUM_PATH names, or the system's, installed as findProgram does. */
export async function startBrowser(): Promise<Browser> {
  const named = inheritedEnv().CHROMIUM_PATH;
  const executablePath = named || (await findProgram(CHROMIUM, (line) => process.stderr.write(`${line}\n`)));
  return chromium.launch({ executablePath, args: FLAGS });
}
