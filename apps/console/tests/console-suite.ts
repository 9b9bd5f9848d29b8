import { BROWSER_START_MS, type Browser, type Page, startBrowser } from '@flotilla/testing/browser.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import type { TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { layoutFaults } from './layout-faults.ts';
import { type OpenConsole, openConsole, picture } from './open-console.ts';

/** The account that every fleet of the tests has. */
export const ADMIN = ['admin', 'a password for tests'] as const;
/** Deadline of one test: a busy machine needs several seconds for one page. */
export const TEST_MS = 90_000;

/** The look that is also taken in Russian, whose words are longer: in the narrowest window that shows all of a screen. */
const IN_RUSSIAN = 'light-narrow';
const FROM_RIGHT_TO_LEFT = "document.documentElement.dir = 'rtl'";

/** The name, theme and size of each look. */
export const LOOKS = [
  ['light', 'light', 1280, 800],
  ['dark', 'dark', 1280, 800],
  ['light-narrow', 'light', 390, 844],
  ['dark-narrow', 'dark', 390, 844],
  ['zoomed', 'light', 320, 256],
  ['right-to-left', 'dark', 1280, 800],
] as const;

type Suite = {
  readonly browser: Browser;
  readonly database: TestDatabase;
  readonly fleet: Fleet;
  /** Opens a path below /console/ in a browser context of its own, closed after the test. */
  open(path?: string, options?: Parameters<typeof openConsole>[3]): Promise<OpenConsole>;
  openAsAdmin(path?: string, options?: Parameters<typeof openConsole>[3]): Promise<OpenConsole>;
};

/** The stores of the fleet of a file; without a Redis it starts its own. */
type Stores = { database: TestDatabase; redis?: TestRedis };

/** One browser and one fleet for all tests of a file, on the stores that `openStores` has prepared. */
export function consoleSuite(
  size: Parameters<typeof startFleet>[0],
  settings: Parameters<typeof startFleet>[1] = {},
  openStores: () => Promise<Stores> = async () => ({ database: await testDatabase() }),
): Suite {
  const opened: OpenConsole[] = [];
  const started = {} as { browser: Browser; stores: Stores; fleet: Fleet };

  beforeAll(async () => {
    started.browser = await startBrowser();
  }, BROWSER_START_MS);
  beforeAll(async () => {
    started.stores = await openStores();
    started.fleet = await startFleet(size, settings, started.stores.database, started.stores.redis);
  }, TEST_MS);
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(({ context }) => context.close()));
  });
  afterAll(async () => {
    await started.browser?.close();
    await started.fleet?.stop();
    await started.stores?.database.drop();
    await started.stores?.redis?.stop();
  }, TEST_MS);

  const open: Suite['open'] = async (path, options) => {
    const one = await openConsole(started.browser, started.fleet.url, path, options);
    opened.push(one);
    return one;
  };
  return {
    get browser() {
      return started.browser;
    },
    get database() {
      return started.stores.database;
    },
    get fleet() {
      return started.fleet;
    },
    open,
    async openAsAdmin(path, options) {
      const one = await open(path, options);
      await one.signIn(...ADMIN);
      await one.page.getByRole('navigation', { name: 'Screens' }).waitFor();
      return one;
    },
  };
}

/**
 * Says that what is on the page now fits the window, and takes its picture; in each theme and size also that it is
 * accessible. Another language or direction changes nothing that axe looks at.
 */
export type LookAt = (name: string) => Promise<void>;

/**
 * A test for each look of the screens that `visit` opens: both themes, a phone's width, a zoom of 400 %, from right to
 * left, and in Russian.
 */
export function testLooks(
  title: string,
  suite: Suite,
  visit: (one: OpenConsole, lookAt: LookAt) => Promise<void>,
): void {
  test.each(LOOKS)(
    `${title}: %s`,
    async (look, colorScheme, width, height) => {
      const one = await suite.open('', { colorScheme, viewport: { width, height } });
      const { page } = one;
      const lookAt = async (name: string, isSeenByAxe: boolean) => {
        const shown = { screen: name, width: await page.evaluate('document.documentElement.scrollWidth') };
        expect(shown).toEqual({ screen: name, width });
        await picture(page, name);
        expect({ screen: name, faults: await layoutFaults(page) }).toEqual({ screen: name, faults: [] });
        if (isSeenByAxe) expect({ screen: name, faults: await one.faults() }).toEqual({ screen: name, faults: [] });
      };
      if (look === 'right-to-left') {
        await page.evaluate(FROM_RIGHT_TO_LEFT);
        await page.addInitScript(`addEventListener('DOMContentLoaded', () => { ${FROM_RIGHT_TO_LEFT}; })`);
      }
      await visit(one, async (name) => {
        await lookAt(`${name}-${look}`, look !== 'right-to-left');
        if (look !== IN_RUSSIAN) return;
        await speak(page, 'ru');
        await lookAt(`${name}-russian`, false);
        await speak(page, 'en');
      });
      expect(one.complaints).toEqual([]);
    },
    TEST_MS,
  );
}

/** Changes the language as another tab does: what is open on the page stays so. */
export async function speak(page: Page, language: 'en' | 'ru'): Promise<void> {
  await page.evaluate(`((key) => {
    const known = JSON.parse(localStorage.getItem(key) ?? '{}');
    localStorage.setItem(key, JSON.stringify({ ...known, language: '${language}' }));
    window.dispatchEvent(new StorageEvent('storage', { key }));
  })('flotilla-preferences')`);
  await waitFor(() => page.evaluate<boolean>(`document.documentElement.lang === '${language}'`));
}

/** On a phone, the tools below the field are closed at first. */
export async function showTools(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: 'Add to the message' });
  if (await more.isVisible()) await more.click();
}
