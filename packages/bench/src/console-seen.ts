import { setTimeout as delay } from 'node:timers/promises';
import { startBackend } from '@flotilla/testing/backend.ts';
import type { BrowserContext, Page } from '@flotilla/testing/browser.ts';
import type { Fleet, FleetBot } from '@flotilla/testing/fleet/fleet.ts';

const MESSAGES = 20;
const BACKENDS = 10;
const PERSON = 'Ann';

/** Milliseconds from the moment when a person writes to the platform until the message is on the open chat's page. */
export async function messageSeenMs(context: BrowserContext, fleet: Fleet, bot: FleetBot): Promise<number[]> {
  const write = await writerTo(fleet, bot);
  const page = await context.newPage();
  await page.goto(`${fleet.url}/console/inbox`);
  await write('the first message');
  await page.getByRole('link', { name: PERSON }).first().click();
  await page.getByRole('article').filter({ hasText: 'the first message' }).waitFor();
  const took: number[] = [];
  for (let at = 0; at < MESSAGES; at += 1) {
    // At different moments, because the history is written at regular ones.
    await delay(1_000 + Math.random() * 1_000);
    const seen = whenShown(page, 'article', `message ${at}.`);
    const writtenAtMs = Date.now();
    await write(`message ${at}.`);
    took.push((await seen) - writtenAtMs);
  }
  await page.close();
  return took;
}

/** Milliseconds from the first update that a dead backend does not take until its bot heads what needs attention. */
export async function deadBackendSeenMs(context: BrowserContext, fleet: Fleet): Promise<number[]> {
  const page = await context.newPage();
  await page.goto(`${fleet.url}/console/`);
  const took: number[] = [];
  for (let at = 0; at < BACKENDS; at += 1) {
    const backend = await startBackend();
    const name = `Lost shop ${at}.`;
    const bot = await fleet.addBot({ proxy_enabled: true, backend_url: backend.url }, { name });
    const write = await writerTo(fleet, bot);
    await backend.waitForRequests(1);
    await page.locator('.table-body a', { hasText: name }).waitFor();
    await backend.stop();
    // At different moments of the page's own refresh by time.
    await delay(Math.random() * 10_000);
    const seen = whenShown(page, '.attention li:first-child', name);
    const writtenAtMs = Date.now();
    await write('nobody takes this');
    took.push((await seen) - writtenAtMs);
    await fleet.rest('/api/bots/delete', { id: bot.id });
    await page.locator('.attention li', { hasText: name }).waitFor({ state: 'detached' });
  }
  await page.close();
  return took;
}

/** Lets a person begin to talk with the bot, and write to it. */
async function writerTo(
  { control }: Fleet,
  { platformId: bot }: FleetBot,
): Promise<(text: string) => Promise<unknown>> {
  const { id: person } = await control.createPerson({ firstName: PERSON });
  await control.startBot({ person, bot });
  return (text) => control.sendMessage({ person, bot, text });
}

/** When (ms) an element with this text comes: the page itself notes it, because asking from outside would cost time. */
function whenShown(page: Page, selector: string, text: string): Promise<number> {
  return page.evaluate<number>(`new Promise((done) => {
    const look = () => [...document.querySelectorAll('${selector}')].some((one) => one.textContent.includes('${text}'));
    const watch = new MutationObserver(() => look() && (watch.disconnect(), done(Date.now())));
    watch.observe(document.body, { childList: true, characterData: true, subtree: true });
  })`);
}
