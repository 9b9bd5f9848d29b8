import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import type { Page, Request } from '@flotilla/testing/browser.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { consoleSuite, speak, TEST_MS } from './console-suite.ts';
import { everyScreen, REDIRECTED, routesOf, shownRoute } from './every-screen.ts';
import { focusFaults } from './focus-faults.ts';
import { HOSTILE } from './hostile-names.ts';
import { type HostileScene, playHostile } from './hostile-scene.ts';
import { layoutFaults, shiftsOf, watchShifts } from './layout-faults.ts';
import { type OpenConsole, picture } from './open-console.ts';

/**
 * The widest, a narrow window beside another one, a tablet, a phone, and 400 % of the widest, in CSS pixels, mostly in the language with the
 * longer words. Axe looks once in each theme.
 */
const LOOKS = [
  [1280, 800, 'dark', 'ru', 'axe'],
  [912, 800, 'light', 'ru', ''],
  [768, 1024, 'light', 'en', ''],
  [390, 844, 'light', 'ru', 'axe'],
  [320, 256, 'dark', 'ru', ''],
] as const;
const ALL_SCREENS_MS = 6 * TEST_MS;

const suite = consoleSuite({ apis: 1, workers: 1 });

let backend: TestBackend;
let scene: HostileScene;

beforeAll(async () => {
  backend = await startBackend((_request, response) => void response.writeHead(500).end(HOSTILE.word.repeat(9)));
  scene = await playHostile(suite.fleet, suite.database, backend);
}, 4 * TEST_MS);
afterAll(async () => {
  await backend?.stop();
});

test(
  'every route of the console has a place in the walk below',
  async () => {
    const { page } = await suite.openAsAdmin();
    expect(Object.keys(everyScreen(scene)).toSorted()).toEqual((await routesOf(page)).toSorted());
  },
  TEST_MS,
);

test.each(LOOKS)(
  'with hostile names and figures every screen fits %i × %i (%s, %s), is full, accessible, and does not jump',
  async (width, height, colorScheme, language, axe) => {
    const one = await suite.openAsAdmin('', { viewport: { width, height }, colorScheme });
    const { page, complaints } = one;
    await speak(page, language);
    await watchShifts(page);
    const visit = visitor(page);
    const found = new Set<string>();
    const screens = Object.entries(everyScreen(scene)).flatMap(([route, paths]) => paths.map((path) => [path, route]));
    for (const [path = '', route = ''] of [...screens, ['nothing/here', '']]) {
      // A bot whose state changes while the page loads moves, too: what is a fault of the page moves each time.
      let shifts = await visit(path);
      for (let more = 0; more < 2 && shifts.length > 0; more += 1) shifts = await visit(path);
      await picture(page, `long-${width}-${path.replace(/\W+/g, '-')}`);
      const faults = [...(await faultsOf(one, route)), ...(axe ? await one.faults() : []), ...shifts];
      const shown: number = await page.evaluate('document.documentElement.scrollWidth');
      if (shown > width) faults.push(`is ${shown} px wide`);
      for (const fault of faults) found.add(`${path}: ${fault}`);
    }
    expect([...found]).toEqual([]);
    expect(complaints).toEqual([]);
  },
  ALL_SCREENS_MS,
);

async function faultsOf({ page }: OpenConsole, route: string): Promise<string[]> {
  const faults = [...(await layoutFaults(page)), ...(await focusFaults(page))];
  if (route === '') return faults;
  const shown = await shownRoute(page);
  if (shown !== (REDIRECTED[route] ?? route)) faults.push(`shows ${shown}`);
  if ((await page.locator('.welcome').count()) > 0) faults.push('asks to sign in');
  // Beside the list of chats, or below the readers, a part may have nothing yet.
  if ((await page.locator('main .empty:not(.chat > .empty, .panel > .empty)').count()) > 0) faults.push('is empty');
  const cut = await page
    .locator('.username')
    .evaluateAll((names) => names.some((one) => one.scrollWidth > one.clientWidth));
  // No other browser window than that of a phone at 400 % is so narrow.
  if (cut && page.viewportSize()!.width > 320) faults.push('cuts a username, by which bots are told apart');
  return faults;
}

/** Opens a path and waits until nothing more is asked for; answers what moved by itself meanwhile. */
function visitor(page: Page): (path: string) => Promise<string[]> {
  const open = new Set<Request>();
  const isAwaited = (request: Request) => !request.url().includes('/api/live?') && open.add(request);
  page.on('request', isAwaited);
  const isOver = (request: Request) => open.delete(request);
  page.on('requestfinished', isOver).on('requestfailed', isOver);
  let calm = 0;
  const isSettled = async () => {
    const awaits = await page.evaluate<boolean>("document.querySelector('.shape, [aria-busy=true]') !== null");
    calm = open.size > 0 || awaits ? 0 : calm + 1;
    // An answer may lead to the next question.
    return calm === 4;
  };
  return async (path) => {
    calm = 0;
    await page.goto(`${suite.fleet.url}/console/${path}`);
    await page.getByRole('main').waitFor();
    await waitFor(isSettled, { pauseMs: 100, timeoutMs: TEST_MS });
    return shiftsOf(page);
  };
}
