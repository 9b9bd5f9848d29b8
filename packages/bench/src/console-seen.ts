import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from '@flotilla/testing/browser.ts';
import { startFleet } from '@flotilla/testing/fleet/fleet.ts';

const MESSAGES = 20;
const PERSON = 'Ann';
const WAIT_MS = 60_000;

/** Milliseconds from the moment when a person writes to the platform until the message is on the open chat's page. */
export async function messageSeenMs(browser: Browser, database: { url: string }): Promise<number[]> {
  const fleet = await startFleet({ apis: 1, workers: 1 }, { LOG_LEVEL: 'error' }, database);
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(WAIT_MS);
  try {
    const bot = await fleet.addBot();
    const { id: person } = await fleet.control.createPerson({ firstName: PERSON });
    const write = (text: string) => fleet.control.sendMessage({ person, bot: bot.platformId, text });
    const page = await context.newPage();
    await page.goto(`${fleet.url}/console/inbox`);
    await page.getByLabel('Username').fill('admin');
    await page.getByLabel('Password', { exact: true }).fill('a password for tests');
    await page.keyboard.press('Enter');
    await write('the first message');
    await page.getByRole('link', { name: PERSON }).first().click();
    await page.getByRole('article').filter({ hasText: 'the first message' }).waitFor();
    const took: number[] = [];
    for (let at = 0; at < MESSAGES; at += 1) {
      // At different moments, because the history is written at regular ones.
      await delay(1_000 + Math.random() * 1_000);
      const text = `message ${at}.`;
      const seen = page.evaluate<number>(`new Promise((done) => {
        const look = () => [...document.querySelectorAll('article')].some((one) => one.textContent.includes('${text}'));
        const watch = new MutationObserver(() => look() && (watch.disconnect(), done(Date.now())));
        watch.observe(document.body, { childList: true, subtree: true });
      })`);
      const writtenAtMs = Date.now();
      await write(text);
      took.push((await seen) - writtenAtMs);
    }
    await fleet.rest('/api/bots/delete', { id: bot.id });
    return took;
  } finally {
    await context.close();
    await fleet.stop();
  }
}
