import type { Browser, BrowserContext, BrowserContextOptions, Page } from './browser.ts';

export const ADA = { id: 424_242, firstName: 'Ada' };
export const HOSTILE = '<img src=x onerror=alert(1)>';
/** A picture of one pixel. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGOQjd4BAAHJATHdK0+8AAAAAElFTkSuQmCC';
export const TEST_MS = 60_000;

export type OpenPhone = { page: Page; context: BrowserContext; complaints: string[] };

/** Opens the page in a browser of its own, and waits until it shows a chat. */
export async function openPhone(
  browser: Browser,
  url: string,
  query = '?lang=en',
  options: BrowserContextOptions = {},
): Promise<OpenPhone> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(`${url}/${query}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return { page, context, complaints };
}

/** Writes in the open chat, as by keyboard. */
export async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
}
