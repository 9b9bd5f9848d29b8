import { BROWSER_START_MS, type Browser, startBrowser } from '@flotilla/testing/browser.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type OpenConsole, openConsole, picture } from './open-console.ts';

/** The account that every fleet of the tests has. */
export const ADMIN = ['admin', 'a password for tests'] as const;
/** Deadline of one test: a busy machine needs several seconds for one page. */
export const TEST_MS = 90_000;

/** The name, theme and size of each look. */
export const LOOKS = [
  ['light', 'light', 1280, 800],
  ['dark', 'dark', 1280, 800],
  ['light-narrow', 'light', 390, 844],
  ['dark-narrow', 'dark', 390, 844],
  ['zoomed', 'light', 320, 256],
] as const;

type Suite = {
  readonly browser: Browser;
  readonly database: TestDatabase;
  readonly fleet: Fleet;
  /** Opens a path below /console/ in a browser context of its own, closed after the test. */
  open(path?: string, options?: Parameters<typeof openConsole>[3]): Promise<OpenConsole>;
  openAsAdmin(path?: string, options?: Parameters<typeof openConsole>[3]): Promise<OpenConsole>;
};

/** One browser, one database and one fleet for all tests of a file; `prepare` runs before the fleet starts. */
export function consoleSuite(
  size: Parameters<typeof startFleet>[0],
  settings: Parameters<typeof startFleet>[1] = {},
  prepare: (database: TestDatabase) => Promise<void> = async () => {},
): Suite {
  const opened: OpenConsole[] = [];
  const started = {} as { browser: Browser; database: TestDatabase; fleet: Fleet };

  beforeAll(async () => {
    started.browser = await startBrowser();
  }, BROWSER_START_MS);
  beforeAll(async () => {
    started.database = await testDatabase();
    await prepare(started.database);
    started.fleet = await startFleet(size, settings, started.database);
  }, TEST_MS);
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(({ context }) => context.close()));
  });
  afterAll(async () => {
    await started.browser?.close();
    await started.fleet?.stop();
    await started.database?.drop();
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
      return started.database;
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

/** Says that what is on the page now is accessible and fits the window, and takes its picture. */
export type LookAt = (name: string) => Promise<void>;

/** A test for each look of the screens that `visit` opens: both themes, a phone's width, and a zoom of 400 %. */
export function testLooks(
  title: string,
  suite: Suite,
  visit: (one: OpenConsole, lookAt: LookAt) => Promise<void>,
): void {
  test.each(LOOKS)(
    `${title}: %s`,
    async (look, colorScheme, width, height) => {
      const one = await suite.open('', { colorScheme, viewport: { width, height } });
      await visit(one, async (name) => {
        expect(await one.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        expect({ screen: name, faults: await one.faults() }).toEqual({ screen: name, faults: [] });
        await picture(one.page, `${name}-${look}`);
      });
      expect(one.complaints).toEqual([]);
    },
    TEST_MS,
  );
}
