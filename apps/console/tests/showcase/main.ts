import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connectDatabase } from '@flotilla/database/connect.ts';
import { migrateToLatest } from '@flotilla/database/migrate.ts';
import { startPostgres } from '@flotilla/embedded/start-postgres.ts';
import { type Browser, startBrowser } from '@flotilla/testing/browser.ts';
import { startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { createRunFolder } from '@flotilla/testing/run-folder.ts';
import { openConsole } from '../open-console.ts';
import { pngCompressor } from './compress.ts';
import { playDay, type Shown } from './play-day.ts';
import { SCREENS } from './screens.ts';

/** People look at the pictures on dense screens. */
const PIXELS_PER_PX = 2;
const ADMIN = ['admin', 'a password for tests'] as const;

/** All pictures of the page are drawn. */
const SETTLED = `(async () => {
  await document.fonts.ready;
  await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
})()`;

/** Takes the pictures of README and docs: node main.ts <folder> [names of screens]. */
async function takePictures(folder: string, only: readonly string[]): Promise<void> {
  const parts = new AsyncDisposableStack();
  try {
    await takeAll(parts, folder, only);
  } finally {
    await parts.disposeAsync();
  }
}

async function takeAll(parts: AsyncDisposableStack, folder: string, only: readonly string[]): Promise<void> {
  const report = (line: string) => void process.stderr.write(`${line}\n`);
  const dataDir = parts.adopt(createRunFolder(), (made) => rm(made, { recursive: true, force: true }));
  const postgres = parts.adopt(await startPostgres({ dataDir, throwAway: true, report }), (one) => one.stop());
  const db = parts.adopt(connectDatabase({ url: postgres.url, maxConnections: 4 }), (one) => one.destroy());
  await migrateToLatest(db);
  const settings = { LOG_LEVEL: 'error', LIVE_STREAMS_PER_ACCOUNT: '100' };
  const fleet = parts.adopt(await startFleet({ apis: 1, workers: 1 }, settings, postgres), (one) => one.stop());
  const browser = parts.adopt(await startBrowser(), (one) => one.close());
  const day = await playDay(fleet, db, browser, parts);
  report('the day is played');
  await mkdir(folder, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await takeLook({ browser, url: fleet.url, folder, only, day, colorScheme });
  }
}

type Look = {
  browser: Browser;
  url: string;
  folder: string;
  only: readonly string[];
  day: Shown;
  colorScheme: 'light' | 'dark';
};

/** Every screen in one theme. */
async function takeLook({ browser, url, folder, only, day, colorScheme }: Look): Promise<void> {
  const compress = await pngCompressor();
  const { timezoneId } = day;
  for (const [name, { path, ready, viewport }] of Object.entries(SCREENS)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const looks = { colorScheme, timezoneId, viewport, deviceScaleFactor: PIXELS_PER_PX, reducedMotion: 'reduce' };
    const { page, context, signIn } = await openConsole(browser, url, '', looks as Parameters<typeof openConsole>[3]);
    await signIn(...ADMIN);
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    await page.goto(`${url}/console/${path(day)}`);
    await ready(page);
    await page.evaluate(SETTLED);
    const file = join(folder, `${name}${colorScheme === 'dark' ? '-dark' : ''}.png`);
    await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
    await compress(file);
    process.stdout.write(`${file}\n`);
    await context.close();
  }
}

const [folder, ...only] = process.argv.slice(2);
await takePictures(folder!, only);
process.exit(0);
