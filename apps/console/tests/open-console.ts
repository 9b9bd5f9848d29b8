import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from '@flotilla/testing/browser.ts';
import axe from 'axe-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** Chromium reports these answers as errors of the page; they are how the page learns that nobody is signed in. */
const EXPECTED_REFUSALS = /\/api\/auth\/(me|login|change-password)$/;
/** Of an account that has too many streams: the page polls, and tries again. Another page may just have been closed. */
const NO_STREAM_YET = { url: /\/api\/live\?/, text: /status of 429/ };

/** A page of the console, with all that the browser complained about and all that came over the network. */
export type OpenConsole = {
  page: Page;
  context: BrowserContext;
  complaints: string[];
  answers: { url: string; text: string }[];
  /** The bytes of each file as they came over the network, compressed. */
  files: Map<string, number>;
  signIn(username: string, password: string): Promise<void>;
  /** What axe finds, one line each. */
  faults(): Promise<string[]>;
};

/** Opens a path below /console/ in a browser of its own: no cookies, no storage. */
export async function openConsole(
  browser: Browser,
  url: string,
  path = '',
  options: BrowserContextOptions = {},
): Promise<OpenConsole> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const answers: OpenConsole['answers'] = [];
  const files = new Map<string, number>();
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    const [text, { url: from }] = [message.text(), message.location()];
    if (!['error', 'warning'].includes(message.type()) || EXPECTED_REFUSALS.test(from)) return;
    if (NO_STREAM_YET.url.test(from) && NO_STREAM_YET.text.test(text)) return;
    complaints.push(`${text} (${from})`);
  });
  page.on('requestfinished', async (request) => {
    const { pathname } = new URL(request.url());
    // Live streams end with the page.
    if (pathname === '/api/live') return;
    const response = await request.response().catch(() => null);
    if (response === null) return;
    if (!pathname.startsWith('/console/')) {
      answers.push({ url: request.url(), text: await response.text().catch(() => '') });
      return;
    }
    const sizes = await request.sizes().catch(() => null);
    if (sizes !== null) files.set(pathname, sizes.responseBodySize);
  });
  await page.goto(`${url}/console/${path}`);
  return {
    page,
    context,
    complaints,
    answers,
    files,
    async signIn(username, password) {
      await page.getByLabel('Username').fill(username);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.keyboard.press('Enter');
    },
    faults: () => faultsOf(page),
  };
}

/** From now on the page asks nothing by the clock: what it shows anew came by the stream. */
export async function stopPolling(page: Page): Promise<void> {
  await page.addInitScript(`
    const start = window.setInterval;
    window.setInterval = (act, ms, ...rest) => start(act, ms >= 10_000 ? 3_600_000 : ms, ...rest);
  `);
  await page.reload();
}

/** What axe finds on a page, one line each. */
export async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(RULES)} })`;
  const { violations } = (await page.evaluate(run)) as {
    violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
  };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** Keeps a picture for people, where CONSOLE_PICTURES names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = inheritedEnv().CONSOLE_PICTURES;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
