import { findProgram, type WantedProgram } from '@flotilla/embedded/find-program.ts';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { type Browser, chromium } from 'playwright-core';

export type { Browser, BrowserContext, BrowserContextOptions, Locator, Page, Request } from 'playwright-core';

/** Timeout for a beforeAll that starts a browser: on a new machine the package manager installs the browser first. */
export const BROWSER_START_MS = 600_000;

const CHROMIUM: WantedProgram = {
  // The first is Chromium without the windows that nobody sees: a fifth less processor time.
  names: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
  aptPackage: 'chromium-headless-shell',
  missing:
    'There is no chromium on the PATH: install it (Debian: sudo apt-get install chromium-headless-shell), or name a Chromium by CHROMIUM_PATH.',
};
/**
 * In a container the browser's sandbox lacks user namespaces, and /dev/shm is small. Its microphone is one that beeps, and nobody
 * is there whom the browser could ask if a page may use it.
 */
const FLAGS = [
  ...['--no-sandbox', '--disable-dev-shm-usage'],
  ...['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
];

/** Starts a headless Chromium: the one at CHROMIUM_PATH, else the system's, which findProgram installs if missing. */
export async function startBrowser(): Promise<Browser> {
  const named = inheritedEnv().CHROMIUM_PATH;
  const executablePath = named || (await findProgram(CHROMIUM, (line) => process.stderr.write(`${line}\n`)));
  return chromium.launch({ executablePath, args: FLAGS });
}
