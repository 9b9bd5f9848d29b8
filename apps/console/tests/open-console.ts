import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from '@flotilla/testing/browser.ts';
import axe from 'axe-core';

/** No screen of the tests has more to stop at. */
const MOST_TABS = 80;
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
  /** The faults that axe finds, one line each. */
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

/** From now on the page asks nothing by the clock, also after a reload: what it shows anew came by the stream. */
export async function stopPolling(page: Page): Promise<void> {
  await page.addInitScript(`
    const start = window.setInterval;
    window.heldPolls = 0;
    window.setInterval = (act, ms, ...rest) => {
      if (ms < 10_000) return start(act, ms, ...rest);
      window.heldPolls += 1;
      return start(act, 3_600_000, ...rest);
    };
  `);
  await page.reload();
}

/** True if the page would have asked by the clock: then `stopPolling` has kept it from that. */
export async function wouldPoll(page: Page): Promise<boolean> {
  return page.evaluate('window.heldPolls > 0');
}

/** A key as a layout of another language gives it: Playwright knows the keys of an English one only. */
export async function pressForeign(page: Page, key: string, code: string, modifiers: KeyModifiers = {}): Promise<void> {
  const init = JSON.stringify({ key, code, ...modifiers, bubbles: true, cancelable: true });
  await page.evaluate(`document.activeElement.dispatchEvent(new KeyboardEvent('keydown', ${init}))`);
}

/** The part of the field with the focus that is selected. */
export async function selected(page: Page): Promise<string> {
  return page.evaluate(
    '(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.activeElement)',
  );
}

type KeyModifiers = { ctrlKey?: boolean; altKey?: boolean; modifierAltGraph?: boolean };

/** Presses Tab until the focus is on what has this name, at its end or as its label. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const isThere = `(() => { const at = document.activeElement; return [at.textContent, at.ariaLabel, at.labels?.[0]?.textContent].some((text) => text?.includes(${JSON.stringify(name)})); })()`;
  for (let presses = 0; presses < MOST_TABS; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(isThere)) return;
  }
  throw new Error(`Tab does not lead to ${name}`);
}

/** All that a page keeps: its DOM with the values of fields, and its storage. */
export async function keptBy(page: Page): Promise<string> {
  const values = 'JSON.stringify([...document.querySelectorAll("input")].map(({ value }) => value))';
  const storage = 'JSON.stringify([localStorage, sessionStorage, history.state, location.href])';
  return `${await page.content()} ${await page.evaluate(values)} ${await page.evaluate(storage)}`;
}

type Violation = { id: string; nodes: { html: string; failureSummary?: string }[] };

/** The faults that axe finds on a page, one line each. Scrolled down, it would judge buttons that the bar half covers as too small. */
export async function faultsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  // To describe every element that passes as well would take twice the processor time of the search.
  const options = JSON.stringify({ runOnly: RULES, resultTypes: ['violations'] });
  const violations: Violation[] = await page.evaluate(`(async () => {
    const top = window.scrollY;
    window.scrollTo({ top: 0, behavior: 'instant' });
    // People scroll to elements below the bar of a phone.
    const bar = document.querySelector('.screen-bar');
    if (bar) bar.style.position = 'static';
    // The guards of a menu pass the focus on; beside a second open menu axe takes them for places where it would stay.
    const found = await axe.run({ exclude: [['[data-base-ui-focus-guard]']] }, ${options});
    if (bar) bar.style.position = '';
    window.scrollTo({ top, behavior: 'instant' });
    return found.violations;
  })()`);
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
