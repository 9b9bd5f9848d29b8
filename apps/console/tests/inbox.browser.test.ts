import type { Locator, Page } from '@flotilla/testing/browser.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, showTools, TEST_MS, testLooks } from './console-suite.ts';
import { HOSTILE } from './hostile-names.ts';
import {
  ADA,
  APART_S,
  ATTACK,
  FIRST_ID,
  type InboxScene,
  MANY,
  MAX,
  playInboxScene,
  storeLongChat,
} from './inbox-scene.ts';
import { picture, selected, stopPolling } from './open-console.ts';

const GRACE = ['grace', 'a password of grace'] as const;

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const BILL = Buffer.from('12 ships');

let scene: InboxScene;
let longChatEnd: number;

const suite = consoleSuite({ apis: 1, workers: 1 });
const { open, openAsAdmin } = suite;

beforeAll(async () => {
  scene = await playInboxScene(suite.fleet);
  longChatEnd = await storeLongChat(suite.database, scene.shop);
  const grace = { username: GRACE[0], password: GRACE[1], role: 'user', bot_ids: [scene.desk.id] };
  await suite.fleet.rest('/api/auth/users/add', { ...grace, must_change_password: false });
}, TEST_MS);

const messages = (page: Page) => page.getByRole('article');

/** The message with this number of the long chat. */
const numbered = (page: Page, n: number) => page.locator(`[data-message="${FIRST_ID + n}"]`);

/** The numbers of those messages of the long chat that are in the page, the smallest first. */
async function numbersIn(page: Page): Promise<number[]> {
  const ids: string[] = await page.evaluate(
    '[...document.querySelectorAll("[data-message]")].map(({ dataset }) => dataset.message)',
  );
  return ids.flatMap((id) => (Number(id) > FIRST_ID ? Number(id) - FIRST_ID : [])).sort((a, b) => a - b);
}

/** Scrolls as a person does, by less than what is on the screen, until the message is in the page. */
async function scrollTo(page: Page, n: number): Promise<void> {
  await waitFor(
    async () => {
      const numbers = await numbersIn(page);
      if (numbers.includes(n)) return true;
      const down = numbers.length > 0 && numbers[0]! < n;
      await page.evaluate(`document.querySelector('.feed').scrollBy(0, ${down ? 400 : -400})`);
      return false;
    },
    { timeoutMs: 60_000, message: `message ${n} is not reached by scrolling` },
  );
}

/** A measure of the page once it is the same twice. */
async function settled<T>(measure: () => Promise<T>): Promise<T> {
  let last = await measure();
  await waitFor(async () => {
    const before = last;
    last = await measure();
    return last === before;
  });
  return last;
}

/** By how many pixels the end of a message is below what is seen of the chat. */
async function belowFeed(page: Page, message: Locator): Promise<number> {
  const [feed, box] = [await page.getByRole('feed').boundingBox(), await message.boundingBox()];
  return Math.round(box!.y + box!.height - (feed!.y + feed!.height));
}

/** Writes as Ada until it is seen. What is written before the page's stream has the bot is not told to it. */
async function writeUntilSeen(text: string, isSeen: () => Promise<boolean>): Promise<void> {
  const toDesk = { person: ADA, bot: scene.desk.platformId };
  await waitFor(
    async () => {
      await suite.fleet.control.sendMessage({ ...toDesk, text });
      // One message a moment: of many, not all would be in the page.
      return waitFor(isSeen, { timeoutMs: 5_000 });
    },
    { timeoutMs: 60_000, message: `nobody sees “${text}”` },
  );
}

test(
  'by keyboard alone: a person writes and is seen, the bot answers once, and its answer arrives',
  async () => {
    const { page, complaints } = await openAsAdmin();
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    const row = page.getByRole('link', { name: /^Ada Lovelace/ });
    await row.waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('lovelace');
    await page.waitForURL('**/console/inbox?q=lovelace');
    await page.getByRole('link', { name: /^Team chat/ }).waitFor({ state: 'detached' });
    await page.keyboard.press('Tab');
    await waitFor(async () => {
      await page.keyboard.press('j');
      return page.evaluate('document.activeElement.textContent.startsWith("Ada Lovelace")');
    });
    await page.keyboard.press('Enter');
    const attack = messages(page).filter({ hasText: ATTACK, hasNotText: 'And this one?' });
    await attack.waitFor();
    expect(await messages(page).locator('img[src="x"]').count()).toBe(0);
    expect(await page.title()).toContain('Ada Lovelace');
    const link = page.getByRole('link', { name: 'the page' });
    expect([await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual([
      'https://shop.example/1188',
      'noopener noreferrer',
    ]);
    await page.getByRole('button', { name: 'Show the hidden text' }).click();
    await page.getByText('a secret').waitFor();

    await suite.fleet.control.sendMessage({ person: ADA, bot: scene.desk.platformId, text: 'Is it lost?' });
    await messages(page).filter({ hasText: 'Is it lost?' }).waitFor({ timeout: 30_000 });
    await messages(page).filter({ hasText: 'Is it lost?' }).focus();
    await page.keyboard.press('r');
    await page.getByRole('form', { name: 'Write as @helpdesk_bot' }).getByText('Is it lost?').waitFor();
    await page.keyboard.type('It is on its way.');
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('Control+Enter');
    const answer = messages(page).filter({ hasText: 'It is on its way.' });
    await answer.locator('.sender').getByText('admin', { exact: true }).waitFor({ timeout: 30_000 });
    const arrived = await waitFor(async () => {
      const chat = await suite.fleet.control.readChat({ person: ADA, bot: scene.desk.platformId });
      return chat.messages.filter(({ text }) => text === 'It is on its way.');
    });
    expect(arrived).toHaveLength(1);
    expect(await answer.count()).toBe(1);
    expect(await page.getByLabel('Write as @helpdesk_bot').last().inputValue()).toBe('');

    await page.keyboard.press('Escape');
    await page.keyboard.press('k');
    await page.keyboard.press('Escape');
    await page.waitForURL('**/console/inbox?q=lovelace');
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'the chats of a bot load at most 29 KB of scripts until they are shown, and then, by themselves, what an open chat needs',
  async () => {
    const { page, files } = await openAsAdmin();
    await page.getByRole('table', { name: 'Bots' }).getByRole('link', { name: 'Help desk' }).waitFor();
    // They come after the first screen, which they belong to.
    await waitFor(() => [...files.keys()].some((name) => name.includes('/menus-')));
    const first = new Set(files.keys());
    const more = () => [...files].filter(([name]) => name.endsWith('.js') && !first.has(name));
    await page.addInitScript(`addEventListener('DOMContentLoaded', () => {
      new MutationObserver((_, watch) => {
        if (document.querySelector('.chat-row') === null) return;
        window.shownAtMs = performance.now();
        watch.disconnect();
      }).observe(document.body, { childList: true, subtree: true });
    })`);
    await page.goto(`${suite.fleet.url}/console/bots/${scene.desk.id}/chats`);
    const row = page.getByRole('link', { name: /^Ada Lovelace/ });
    await row.waitFor();
    await waitFor(() => more().some(([name]) => name.includes('/message-view-')), { timeoutMs: 30_000 });
    const before: string[] = await page.evaluate(`performance.getEntriesByType('resource')
      .filter(({ startTime }) => startTime < window.shownAtMs).map(({ name }) => new URL(name).pathname)`);
    const shown = more().filter(([name]) => before.includes(name));
    expect(shown.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThan(29 * 1024);
    const pressedAtMs = await page.evaluate<number>('performance.now()');
    await row.click();
    await messages(page).first().waitFor();
    const late = await page.evaluate<string[]>(`performance.getEntriesByType('resource')
      .filter(({ name, startTime }) => startTime > ${pressedAtMs} && name.includes('/message-view-')).map(({ name }) => name)`);
    expect(late).toEqual([]);
  },
  TEST_MS,
);

test(
  'a chat that takes its time shows where its messages will be, below its name',
  async () => {
    const { page, complaints } = await openAsAdmin('inbox');
    let come = () => {};
    const mayCome = new Promise<void>((resolve) => {
      come = resolve;
    });
    await page.route('**/api/messages?*', async (route) => {
      await mayCome;
      await route.continue();
    });
    await page.getByRole('link', { name: /^Team chat/ }).click();
    await page.getByRole('heading', { name: 'Team chat' }).waitFor();
    await page.locator('.message-shapes > .shape').first().waitFor();
    await picture(page, 'inbox-loading');
    come();
    await messages(page).first().waitFor();
    expect(await page.locator('.message-shapes').count()).toBe(0);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

/** Pictures come as they are seen, and stay in the cache of the browser; the shell looks every half minute. */
const NOT_OF_A_CLICK = new Set(['/api/files', '/api/chats/photo', '/api/users/photo', '/api/system/read-only']);

test(
  'a click on a chat asks the api four times at most, whichever chat it is',
  async () => {
    const { page, complaints } = await openAsAdmin('inbox', { viewport: { width: 1600, height: 900 } });
    const asked: string[] = [];
    let listedAtMs = 0;
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (!pathname.startsWith('/api/') || NOT_OF_A_CLICK.has(pathname)) return;
      asked.push(`${request.method()} ${pathname}${search}`);
      if (pathname === '/api/chats' && search.includes('recent')) listedAtMs = Date.now();
    });
    await page.locator('.live-badge.live').waitFor({ timeout: 30_000 });
    const open = async (name: RegExp) => {
      // What the list and the shell ask by the clock, every 10 s, is over and does not come again meanwhile.
      const isCalm = () => Date.now() - listedAtMs > 1_500 && Date.now() - listedAtMs < 4_000;
      await waitFor(isCalm, { timeoutMs: 60_000, pauseMs: 50, message: 'a list that was just asked for' });
      asked.length = 0;
      await page.getByRole('link', { name }).click();
      await messages(page).first().waitFor();
      await waitFor(() => Date.now() - listedAtMs > 8_000, { timeoutMs: 60_000 });
      return [...asked];
    };
    const names = [/^Ada Lovelace/, /^Team chat/, /^Max/, /^Ada Lovelace/];
    for (const name of names) {
      const calls = await open(name);
      expect({ calls, count: calls.length <= 4 }).toEqual({ calls, count: true });
    }
    await page.getByRole('region', { name: 'Person' }).getByText('777').waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS * 2,
);

test(
  'a message of the bot is edited, gets buttons, is deleted; a file is sent; refusals are told in words',
  async () => {
    const { page, complaints } = await openAsAdmin(`inbox/${scene.desk.id}/${ADA}`);
    const { control } = suite.fleet;
    const toDesk = { person: ADA, bot: scene.desk.platformId };
    const sent = async () => (await control.readChat(toDesk)).messages;
    const field = page.getByRole('textbox', { name: 'Write as @helpdesk_bot' });
    await field.fill('Choose one');
    await page.getByRole('button', { name: 'Buttons' }).click();
    await page.getByLabel('Text', { exact: true }).fill('Track');
    await page.getByLabel('Action', { exact: true }).selectOption('url');
    await page.getByLabel('Opens a link').fill('https://shop.example/track');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const choose = messages(page).filter({ hasText: 'Choose one' });
    await choose.getByText('Track').waitFor();
    const act = async (name: string) => {
      await choose.hover();
      await choose.getByRole('button', { name: 'Message actions' }).click();
      await page.getByRole('menuitem', { name, exact: true }).click();
    };
    await act('Edit');
    await page.getByRole('textbox', { name: 'Edit' }).fill('Choose one, please');
    await page.keyboard.press('Control+Enter');
    await choose.getByText('edited').waitFor();
    const edited = await waitFor(async () => (await sent()).find(({ text }) => text === 'Choose one, please'));
    expect(JSON.stringify(edited?.reply_markup)).toContain('https://shop.example/track');
    await act('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await choose.getByText('deleted').waitFor();
    expect((await sent()).some(({ text }) => text === 'Choose one, please')).toBe(false);

    const file = { name: 'terms.txt', mimeType: 'text/plain', buffer: Buffer.from('Terms') };
    await page.locator('input[type=file]').setInputFiles(file);
    await field.fill('Our terms');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await messages(page).filter({ hasText: 'terms.txt' }).getByText('Our terms').waitFor();
    expect((await sent()).at(-1)).toMatchObject({ caption: 'Our terms', file: { name: 'terms.txt', size: 5 } });

    await control.blockBot({ ...toDesk, blocked: true });
    await field.fill('Hello?');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('The person has blocked the bot.').waitFor();
    await picture(page, 'inbox-blocked');
    expect(await field.inputValue()).toBe('Hello?');
    // The words above the field take room of the messages; the end of these stays in sight.
    const bottomOf = async (part: ReturnType<Page['locator']>) =>
      part.boundingBox().then((box) => box!.y + box!.height);
    const [newest, feed] = [messages(page).last(), page.getByRole('feed')];
    await waitFor(async () => (await bottomOf(newest)) <= (await bottomOf(feed)), { timeoutMs: 30_000 });
    await page.getByRole('button', { name: /^\d+ new$/ }).waitFor({ state: 'detached' });
    await control.blockBot({ ...toDesk, blocked: false });
    expect(complaints.filter((line) => !line.includes('/api/messages/send'))).toEqual([]);
  },
  TEST_MS,
);

test(
  'a chat of 50,000 messages: little of it is in the page, a day is found, and nothing moves when more comes',
  async () => {
    const { page, complaints } = await openAsAdmin(`inbox/${scene.shop.id}/${MAX}`);
    const feed = page.getByRole('feed', { name: 'Messages' });
    await messages(page).filter({ hasText: 'anybody there' }).waitFor();
    const nodes = () => feed.locator('*').count();
    expect(await nodes()).toBeLessThan(400);

    // Scrolled up over several pages, the messages are without a gap.
    const before = numbered(page, MANY - 250);
    await scrollTo(page, MANY - 250);
    expect(await nodes()).toBeLessThan(400);
    const numbers = await numbersIn(page);
    expect(numbers).toEqual(numbers.map((_, at) => numbers[0]! + at));

    const topOf = async () => (await before.boundingBox())?.y;
    const stands = await settled(topOf);
    await suite.fleet.control.sendMessage({ person: MAX, bot: scene.shop.platformId, text: 'Somebody?' });
    await page.getByRole('button', { name: '1 new', exact: true }).waitFor({ timeout: 30_000 });
    expect(await topOf()).toBe(stands);
    await picture(page, 'inbox-news');
    await page.getByRole('button', { name: '1 new', exact: true }).click();
    await messages(page).filter({ hasText: 'Somebody?' }).waitFor();

    // At the end, the chat follows, also with the pointer over its messages.
    await messages(page).filter({ hasText: 'Somebody?' }).hover();
    await suite.fleet.control.sendMessage({ person: MAX, bot: scene.shop.platformId, text: 'Anyone at all?' });
    const newest = messages(page).filter({ hasText: 'Anyone at all?' });
    await newest.waitFor({ timeout: 30_000 });
    await waitFor(async () => (await belowFeed(page, newest)) <= 0);
    await page.getByRole('button', { name: / new$/ }).waitFor({ state: 'detached' });

    const day = new Date((longChatEnd - 20_000 * APART_S) * 1000);
    await page.getByLabel('Go to date').fill(day.toLocaleDateString('sv'));
    const midnight = new Date(`${day.toLocaleDateString('sv')}T00:00`).getTime() / 1000;
    const first = MANY - Math.floor((longChatEnd - midnight) / APART_S);
    await numbered(page, first).waitFor();
    expect(page.url()).toContain(`around=${FIRST_ID + first}`);
    expect(await nodes()).toBeLessThan(400);
    await picture(page, 'inbox-day');
    await page.reload();
    await numbered(page, first).waitFor();
    await scrollTo(page, first + 200);
    expect(await nodes()).toBeLessThan(400);
    // Reloaded so fast that the history did not have the newest message yet, the page is told of it as new.
    await page.getByRole('button', { name: /^(Jump to latest|1 new)$/ }).click();
    await messages(page).filter({ hasText: 'Anyone at all?' }).waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS * 2,
);

test(
  'a message is shown before the history has it, and counted once; what another tab reads is read here at once',
  async () => {
    const { page, context, complaints } = await openAsAdmin('inbox');
    await stopPolling(page);
    const unread = page.getByRole('link', { name: /^Ada Lovelace/ }).locator('.unread-count');
    await writeUntilSeen('Nobody has read this', () => unread.isVisible());

    const other = await context.newPage();
    await other.goto(`${suite.fleet.url}/console/inbox/${scene.desk.id}/${ADA}`);
    await messages(other).filter({ hasText: 'Nobody has read this' }).first().waitFor();
    await unread.waitFor({ state: 'detached', timeout: 30_000 });

    let store = () => {};
    const stored = new Promise<void>((resolve) => {
      store = resolve;
    });
    await other.route('**/api/messages?*', async (route) => {
      await stored;
      await route.continue();
    });
    const told = messages(other).filter({ hasText: 'Told by the stream' });
    await writeUntilSeen('Told by the stream', () => told.first().isVisible());
    store();
    await suite.fleet.control.sendMessage({ person: ADA, bot: scene.desk.platformId, text: 'And then stored' });
    await messages(other).filter({ hasText: 'And then stored' }).waitFor();
    await waitFor(
      async () => {
        const { messages: all } = await suite.fleet.control.readChat({ person: ADA, bot: scene.desk.platformId });
        return (await told.count()) === all.filter(({ text }) => text === 'Told by the stream').length;
      },
      { timeoutMs: 30_000, message: 'each message once' },
    );
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'what is read elsewhere while the stream is opened anew, as for another tab, is read here once it is open',
  async () => {
    const { page, context, complaints } = await openAsAdmin('inbox');
    let askedAtMs = Date.now();
    page.on('request', (request) => {
      if (request.url().includes('/api/chats?')) askedAtMs = Date.now();
    });
    await stopPolling(page);
    const unread = page.getByRole('link', { name: /^Ada Lovelace/ }).locator('.unread-count');
    await writeUntilSeen('Read by somebody else', () => unread.isVisible());
    // What happened makes the list ask again for up to two seconds, and that would find the read as well.
    const isQuiet = () => Date.now() - askedAtMs > 4_000;
    await waitFor(isQuiet, { timeoutMs: 30_000, message: 'a list that nobody asks for' });

    let open = () => {};
    const mayOpen = new Promise<void>((resolve) => {
      open = resolve;
    });
    await page.route('**/api/live?*', async (route) => {
      await mayOpen;
      await route.continue();
    });
    const opening = page.waitForRequest('**/api/live?*');
    const other = await context.newPage();
    await other.goto(`${suite.fleet.url}/console/bots/${scene.shop.id}`);
    await opening;
    const { messages: all } = await suite.fleet.control.readChat({ person: ADA, bot: scene.desk.platformId });
    const read = { bot_id: scene.desk.id, chat_id: ADA, message_id: all.at(-1)!.message_id };
    await suite.fleet.rest('/api/chats/read', read);
    expect(await unread.isVisible()).toBe(true);
    open();
    await unread.waitFor({ state: 'detached', timeout: 30_000 });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a draft is there after a reload and after the session has ended, and gone once it is sent',
  async () => {
    const { page, context, signIn } = await openAsAdmin(`inbox/${scene.shop.id}/${scene.team}`);
    const field = page.getByRole('textbox', { name: 'Write as @shop_eu_bot' });
    await field.fill('Not ready yet');
    await page.reload();
    await waitFor(async () => (await field.inputValue()) === 'Not ready yet', { timeoutMs: 30_000 });
    await context.clearCookies();
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.waitFor();
    await signIn(...ADMIN);
    await again.waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe('Not ready yet');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await messages(page).filter({ hasText: 'Not ready yet' }).waitFor();
    await page.reload();
    await messages(page).filter({ hasText: 'Not ready yet' }).waitFor();
    expect(await field.inputValue()).toBe('');
    const stored = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])');
    expect(stored).not.toContain('Not ready yet');
    expect(stored).not.toContain(scene.shop.token);
  },
  TEST_MS,
);

test(
  'where the browser gives no clipboard, as without TLS, the text of a message is shown to be copied by hand',
  async () => {
    const { page, context, complaints } = await openAsAdmin();
    await context.addInitScript("Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })");
    await page.goto(`${suite.fleet.url}/console/inbox/${scene.shop.id}/${scene.team}`);
    const thanks = messages(page).filter({ hasText: 'Thanks, I will look at it.' }).first();
    await thanks.hover();
    await thanks.getByRole('button', { name: 'Message actions' }).click();
    await page.getByRole('menuitem', { name: 'Copy text' }).click();
    await page.getByRole('dialog', { name: 'Copy it by hand' }).waitFor();
    expect(await selected(page)).toBe('Thanks, I will look at it.');
    await picture(page, 'copy-by-hand');
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a message is pinned, which it says, and unpinned; its chat leads to its search, its people and its statistics',
  async () => {
    const { page, complaints } = await openAsAdmin(`inbox/${scene.desk.id}/${ADA}`);
    const { control } = suite.fleet;
    const toDesk = { person: ADA, bot: scene.desk.platformId };
    const { messageId } = await control.sendMessage({ ...toDesk, text: 'Keep this in sight' });
    const message = messages(page).filter({ hasText: 'Keep this in sight' });
    await message.waitFor({ timeout: 30_000 });
    const act = async (name: string) => {
      await message.hover();
      await message.getByRole('button', { name: 'Message actions' }).click();
      await page.getByRole('menuitem', { name, exact: true }).click();
    };
    const isPinned = async () => (await control.readChat(toDesk)).pinned.includes(messageId);
    await act('Pin');
    await message.getByText('pinned', { exact: true }).waitFor();
    expect(await isPinned()).toBe(true);
    await picture(page, 'inbox-pinned');
    await act('Unpin');
    await message.getByText('pinned', { exact: true }).waitFor({ state: 'detached' });
    expect(await isPinned()).toBe(false);

    const address = page.url();
    const views: [RegExp, string][] = [
      [/\/search\?/, 'Search in this chat'],
      [/\/people$/, 'People'],
      [/\/statistics$/, 'Statistics'],
    ];
    for (const [view, name] of views) {
      await page.getByRole('button', { name: 'Views of the chat' }).press('Enter');
      await page.getByRole('menuitem', { name }).click();
      await page.waitForURL(view);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.goto(address);
    }
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'somebody who has gone on to a button of the chat keeps the focus when its messages come',
  async () => {
    const { page, complaints } = await openAsAdmin('inbox');
    let come: () => void = () => {};
    const mayCome = new Promise<void>((resolve) => {
      come = resolve;
    });
    await page.route('**/api/messages?*', async (route) => {
      await mayCome;
      await route.continue();
    });
    await page.goto(`${suite.fleet.url}/console/inbox/${scene.desk.id}/${ADA}`);
    await page.getByRole('button', { name: 'Views of the chat' }).focus();
    come();
    await messages(page).first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Statistics' }).press('Enter');
    await page.waitForURL(/\/statistics$/);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'what is typed while a message is on its way stays, and only what was sent goes',
  async () => {
    const { page, complaints } = await openAsAdmin(`inbox/${scene.desk.id}/${ADA}`);
    const field = page.getByRole('textbox', { name: 'Write as @helpdesk_bot' });
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/api/messages/send', async (route) => {
      await held;
      await route.continue();
    });
    await field.fill('The first one');
    const asked = page.waitForRequest('**/api/messages/send');
    await page.keyboard.press('Control+Enter');
    await asked;
    await field.fill('And the next one');
    letGo();
    await messages(page).filter({ hasText: 'The first one' }).waitFor();
    expect(await field.inputValue()).toBe('And the next one');
    await page.reload();
    await waitFor(async () => (await field.inputValue()) === 'And the next one', { timeoutMs: 30_000 });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

/** Holds what the page sends from now on, until it is let go. */
async function holdSends(page: Page): Promise<{ letGo: () => void; asked: () => number }> {
  let asked = 0;
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/api/messages/send', async (route) => {
    asked += 1;
    await held;
    await route.continue();
  });
  return { letGo: () => letGo(), asked: () => asked };
}

test(
  'a message in flight is sent once, whatever is opened meanwhile, and its text and file go when it has arrived',
  async () => {
    const { page, complaints } = await openAsAdmin('inbox');
    const field = page.getByRole('textbox', { name: 'Write as @helpdesk_bot' });
    const send = page.getByRole('button', { name: 'Send', exact: true });
    const [ada, team] = [/^Ada Lovelace/, /^Team chat/].map((name) => page.getByRole('link', { name }));
    await ada!.click();
    await messages(page).first().waitFor();
    const sends = await holdSends(page);
    await page.locator('input[type=file]').setInputFiles({ name: 'bill.txt', mimeType: 'text/plain', buffer: BILL });
    await field.fill('Your bill');
    await send.click();
    await waitFor(() => sends.asked() === 1);

    await team!.click();
    await page.getByRole('textbox', { name: 'Write as @shop_eu_bot' }).waitFor();
    expect(await page.getByText('bill.txt').count()).toBe(0);
    await ada!.click();
    await field.waitFor();
    expect(await field.inputValue()).toBe('Your bill');
    await page.locator('.strip').getByText('bill.txt').waitFor();
    expect(await send.getAttribute('aria-busy')).toBe('true');
    await field.press('Control+Enter');
    sends.letGo();
    const sent = messages(page).filter({ hasText: 'Your bill' });
    await sent.waitFor();
    await waitFor(async () => (await field.inputValue()) === '');
    await page.locator('.strip').waitFor({ state: 'detached' });
    expect(await send.isDisabled()).toBe(true);
    expect([sends.asked(), await sent.count()]).toEqual([1, 1]);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a file stays attached, and a refusal is still told, after another chat or a change of a message',
  async () => {
    const { page } = await openAsAdmin(`inbox/${scene.desk.id}/${ADA}`);
    const field = page.getByRole('textbox', { name: 'Write as @helpdesk_bot' });
    const [ada, team] = [/^Ada Lovelace/, /^Team chat/].map((name) => page.getByRole('link', { name }));
    const [attached, edit] = [
      page.locator('.strip').getByText('bill.txt'),
      page.getByRole('textbox', { name: 'Edit' }),
    ];
    await field.fill('To be changed');
    await field.press('Control+Enter');
    const last = messages(page).filter({ hasText: 'To be changed' });
    await last.waitFor();
    await page.locator('input[type=file]').setInputFiles({ name: 'bill.txt', mimeType: 'text/plain', buffer: BILL });
    await attached.waitFor();
    await field.press('ArrowUp');
    await edit.press('Escape');
    await attached.waitFor();

    let isSent = false;
    const sends = await holdSends(page);
    await field.fill('Sent while another is changed');
    await field.press('Control+Enter');
    await field.fill('');
    await field.press('ArrowUp');
    await edit.fill('Changed');
    sends.letGo();
    await messages(page).filter({ hasText: 'Sent while another is changed' }).waitFor();
    await edit.press('Escape');
    await field.waitFor();
    expect(await attached.count()).toBe(0);

    await page.unroute('**/api/messages/send');
    await page.route('**/api/messages/send', async (route) => {
      isSent = true;
      await route.fulfill({ status: 400, json: { ok: false, error: 'Bad Request: message is too long' } });
    });
    await field.fill('Refused');
    await field.press('Control+Enter');
    await team!.click();
    await waitFor(() => isSent);
    await ada!.click();
    await page.getByRole('alert').getByText('too long').waitFor();
    expect(await field.inputValue()).toBe('Refused');
    await field.fill('');
  },
  TEST_MS,
);

test(
  'several files, picked, dropped on the chat and pasted, go in their order; one that fails says so and is sent again',
  async () => {
    const { page } = await openAsAdmin(`inbox/${scene.desk.id}/${ADA}`);
    const field = page.getByRole('textbox', { name: 'Write as @helpdesk_bot' });
    const fileOf = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });
    const transferOf = (name: string) =>
      page.evaluateHandle(`(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(['${name}'], '${name}', { type: 'text/plain' }));
        return transfer;
      })()`);
    await messages(page).first().waitFor();
    await page.locator('input[type=file]').setInputFiles([fileOf('one.txt'), fileOf('two.txt')]);
    await page.locator('.feed').dispatchEvent('dragover', { dataTransfer: await transferOf('three.txt') });
    await page.getByText('Drop files to attach them').waitFor();
    await picture(page, 'inbox-drop');
    await page.locator('.feed').dispatchEvent('drop', { dataTransfer: await transferOf('three.txt') });
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(['four.txt'], 'four.txt', { type: 'text/plain' }));
      const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.querySelector('.compose textarea').dispatchEvent(paste);
    })()`);
    const strips = page.locator('.attached > .strip');
    await strips.filter({ hasText: 'four.txt' }).waitFor();
    let sends = 0;
    await page.route('**/api/messages/send', async (route) => {
      sends += 1;
      if (sends === 3) await route.fulfill({ status: 413, json: { ok: false, error: 'Request Entity Too Large' } });
      else await route.continue();
    });
    await field.fill('Here they are');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await strips.filter({ hasText: 'three.txt' }).getByRole('alert').waitFor();
    expect(await strips.count()).toBe(2);
    await picture(page, 'inbox-files');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await strips.first().waitFor({ state: 'detached' });
    const arrived = await suite.fleet.control.readChat({ person: ADA, bot: scene.desk.platformId });
    const names = ['one.txt', 'two.txt', 'three.txt', 'four.txt'];
    expect(arrived.messages.flatMap(({ file }) => (names.includes(file?.name ?? '') ? [file?.name] : []))).toEqual(
      names,
    );
    expect(arrived.messages.find(({ file }) => file?.name === 'one.txt')?.caption).toBe('Here they are');
  },
  TEST_MS,
);

test(
  'without a network the dot says so at once, on a phone in the one bar of the chat, and says when it is back',
  async () => {
    const [wide, phone] = [await openAsAdmin('inbox'), await openAsAdmin('inbox', PHONE)];
    await phone.page.getByRole('link', { name: /^Ada Lovelace/ }).tap();
    const dots = [wide.page.locator('.bar .live-badge'), phone.page.locator('.phone-head .live-badge')];
    await wide.page.locator('.bar .live-badge.live').waitFor({ timeout: 30_000 });
    await phone.page.locator('.phone-head .live-badge.live').waitFor({ state: 'attached', timeout: 30_000 });
    for (const { context } of [wide, phone]) await context.setOffline(true);
    for (const dot of dots) await dot.getByText('Offline').waitFor({ timeout: 5_000 });
    await picture(phone.page, 'phone-offline');
    for (const { context } of [wide, phone]) await context.setOffline(false);
    await wide.page.locator('.bar .live-badge.live').waitFor({ timeout: 30_000 });
    await dots[1]!.getByText('Offline').waitFor({ state: 'hidden', timeout: 30_000 });
  },
  TEST_MS,
);

test(
  'a draft keeps its formatting and its buttons, and a change of a message that was begun is there again',
  async () => {
    const { page, complaints } = await openAsAdmin(`inbox/${scene.desk.id}/${ADA}`);
    const field = page.getByRole('textbox', { name: 'Write as @helpdesk_bot' });
    await page.getByLabel('Formatting').selectOption('HTML');
    await field.fill('It is <b>ready</b>');
    await page.getByRole('button', { name: 'Buttons' }).click();
    await page.getByLabel('Text', { exact: true }).fill('Thanks');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.reload();
    await waitFor(async () => (await field.inputValue()) === 'It is <b>ready</b>', { timeoutMs: 30_000 });
    expect(await page.getByLabel('Formatting').inputValue()).toBe('HTML');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const ready = messages(page).filter({ hasText: 'It is ready' });
    await ready.locator('b').filter({ hasText: 'ready' }).waitFor();
    await ready.getByText('Thanks').waitFor();
    expect(await field.inputValue()).toBe('');

    await field.press('ArrowUp');
    const edit = page.getByRole('textbox', { name: 'Edit' });
    await edit.fill('It is <i>ready</i>');
    await page.reload();
    await waitFor(async () => (await edit.inputValue()) === 'It is <i>ready</i>', { timeoutMs: 30_000 });
    await page.keyboard.press('Control+Enter');
    await ready.locator('i').filter({ hasText: 'ready' }).waitFor();
    await field.waitFor();
    const stored = await page.evaluate<string>('JSON.stringify(localStorage)');
    expect(stored).not.toContain('ready');
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'another account sees the chats of its own bots only, also by address',
  async () => {
    const { page, signIn, complaints, answers } = await open('inbox');
    await signIn(...GRACE);
    await page.getByRole('link', { name: /^Ada Lovelace/ }).waitFor();
    expect(await page.getByRole('link', { name: /^Team chat/ }).count()).toBe(0);
    await page.goto(`${suite.fleet.url}/console/inbox/${scene.shop.id}/${scene.team}`);
    await page.getByText('There is no such bot, or it is not among yours.').waitFor();
    await page.goto(`${suite.fleet.url}/console/bots/${scene.shop.id}/chats/${MAX}`);
    await page.getByText('There is no such bot, or it is not among yours.').waitFor();
    expect(answers.map(({ text }) => text).join()).not.toContain('Team chat');
    expect(complaints.filter((line) => !line.includes('403'))).toEqual([]);
  },
  TEST_MS,
);

testLooks('the inbox is accessible and fits the window', suite, async ({ page, signIn }, lookAt) => {
  await signIn(...ADMIN);
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  await page.goto(`${suite.fleet.url}/console/inbox`);
  await page.getByRole('link', { name: /^Ada Lovelace/ }).waitFor();
  await lookAt('inbox');
  await page.goto(`${suite.fleet.url}/console/inbox/${scene.desk.id}/${ADA}`);
  // Earlier tests may have written so much that the scene's messages are above.
  await page.getByRole('article').last().waitFor();
  await lookAt('inbox-chat');
  await page.getByRole('button', { name: /^(Views of the chat|Chat menu)$/ }).click();
  await page.getByRole('menuitem', { name: 'Search in this chat' }).waitFor();
  // In the smallest window its button lies where axe looks for what the menu covers.
  if (page.viewportSize()!.width > 320) await lookAt('inbox-views');
  await page.keyboard.press('Escape');
  await showTools(page);
  await page.getByRole('button', { name: 'Buttons' }).click();
  await page.getByRole('dialog', { name: 'Buttons of the message' }).waitFor();
  await lookAt('inbox-buttons');
  await page.keyboard.press('Escape');
  await page.goto(`${suite.fleet.url}/console/inbox/${scene.shop.id}/${scene.team}`);
  await page.getByRole('article').filter({ hasText: 'prices.csv' }).waitFor();
  await lookAt('inbox-group');
  await page.getByRole('button', { name: 'Ada Lovelace', exact: true }).click();
  await page
    .getByRole('complementary', { name: 'Person' })
    .getByRole('button', { name: 'Ban…', exact: true })
    .waitFor();
  await lookAt('inbox-person');
  await page.getByRole('button', { name: 'Ban…', exact: true }).click();
  await page.getByRole('dialog').waitFor();
  await lookAt('inbox-ban');
  await page.keyboard.press('Escape');
  await page.goto(`${suite.fleet.url}/console/bots/${scene.shop.id}/chats`);
  await page.getByRole('link', { name: /^Team chat/ }).waitFor();
  await lookAt('inbox-of-bot');
});

const FIRST_ON_PHONE = ['Fleet', 'Inbox', 'Deliveries'];

test(
  'on a phone four items lead to every screen, and a chat leads back, in whatever order their styles came',
  async () => {
    const { page, complaints } = await openAsAdmin('', { viewport: PHONE.viewport });
    const screens = page.getByRole('navigation', { name: 'Screens' });
    const goTo = async (name: string) => {
      if (FIRST_ON_PHONE.includes(name)) return screens.getByRole('link', { name }).click();
      await screens.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name, exact: true }).click();
    };
    expect(await screens.locator('> *').count()).toBe(4);
    const backFromChat = async () => {
      await goTo('Inbox');
      await page.getByRole('link', { name: /^Team chat/ }).click();
      await messages(page).filter({ hasText: 'prices.csv' }).waitFor();
      await page.getByRole('button', { name: 'Back to chats' }).click();
      await page.getByRole('link', { name: /^Team chat/ }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/console/inbox');
    };
    await backFromChat();
    for (const name of ['Live', 'Deliveries', 'Events', 'Search', 'Audit', 'Access', 'System', 'Fleet']) {
      await goTo(name);
      await page.waitForURL(({ pathname }) => !pathname.startsWith('/console/inbox'));
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, 390]);
      await backFromChat();
    }
    await goTo('Fleet');
    await page.getByRole('link', { name: 'Shop EU' }).first().click();
    for (const name of ['Chats', 'Live', 'Deliveries', 'Programs', 'Rules', 'Statistics', 'Settings']) {
      await page
        .getByRole('navigation', { name: 'Views of this bot' })
        .getByRole('link', { name, exact: true })
        .click();
      await page.getByRole('link', { name, exact: true }).and(page.locator('[aria-current="page"]')).first().waitFor();
      expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, 390]);
    }
    await backFromChat();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

/** What a finger presses and is smaller than 44 px; text within a message is no target of its own. */
const SMALL_TARGETS = `[...document.querySelectorAll('a, button, input, select, textarea, summary')]
  .filter((one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
  .filter((one) => one.closest('.item, .skip, .chat-search') === null && one.type !== 'file')
  .map((one) => [one.getAttribute('aria-label') ?? one.textContent, one.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 43.5 || height < 43.5)
  .map(([name, { width, height }]) => name + ' ' + Math.round(width) + ' × ' + Math.round(height))`;

test(
  'under a finger, a chat has one bar and one line, every target is large, and back leads to where the list was',
  async () => {
    const { control } = suite.fleet;
    const people = Array.from({ length: 12 }, (_, at) => ({ id: 7_000 + at, firstName: `Caller ${at}` }));
    for (const { id, firstName } of people) {
      await control.createPerson({ id, firstName: firstName + (id % 3 ? '' : ` ${HOSTILE.word} ${HOSTILE.arabic}`) });
      await control.sendMessage({ person: id, bot: scene.desk.platformId, text: HOSTILE.cyrillic });
    }
    const { page, complaints } = await openAsAdmin('inbox', PHONE);
    const find = (selector: string) => page.locator(selector);
    await page.getByRole('link', { name: /^Caller 11/ }).waitFor({ timeout: 30_000 });
    expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
    await picture(page, 'phone-list');
    await page.evaluate("document.querySelector('.chat-scroller').scrollTo(0, 300)");
    const top = () => page.evaluate<number>("document.querySelector('.chat-scroller').scrollTop");
    const wasAt = await settled(top);
    expect(wasAt).toBeGreaterThan(200);
    await page.getByRole('link', { name: /^Caller 4/ }).tap();
    await messages(page).first().waitFor();

    const heights = async () =>
      Promise.all(
        ['.chat-head', '.feed-frame', '.compose'].map(async (one) => (await find(one).boundingBox())!.height),
      );
    const [head = 0, feed = 0, compose = 0] = await heights();
    // Nothing else takes room.
    expect(Math.round(head + feed + compose)).toBe(PHONE.viewport.height);
    expect([head < 64, compose < 64]).toEqual([true, true]);
    expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
    const sizes = await page.evaluate<string[]>(
      "[...document.querySelectorAll('input:not([hidden]), select, textarea')].map((one) => getComputedStyle(one).fontSize)",
    );
    // Into smaller ones, a phone zooms.
    expect(new Set(sizes)).toEqual(new Set(['16px']));
    await picture(page, 'phone-chat');
    const field = page.getByRole('textbox', { name: 'Write as @helpdesk_bot' });
    await field.fill('One line\nand another\nand a third');
    await waitFor(async () => (await heights())[2]! > compose + 30);
    // A keyboard takes the lower half, as Android's does.
    await page.setViewportSize({ width: 390, height: 430 });
    await field.focus();
    await waitFor(async () => {
      const box = (await field.boundingBox())!;
      return box.y > 0 && box.y + box.height <= 430;
    });
    await picture(page, 'phone-keyboard');
    await page.setViewportSize(PHONE.viewport);
    await field.fill('');
    await page.getByRole('button', { name: 'Add to the message' }).tap();
    expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
    await picture(page, 'phone-tools');
    await page.getByRole('button', { name: 'Chat menu' }).tap();
    await page.getByRole('menuitem', { name: '1 hour' }).waitFor();
    expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
    await picture(page, 'phone-menu');
    await page.getByRole('menuitem', { name: '1 hour' }).tap();
    await find('.phone-head').getByText('the bot is back in').waitFor();
    await picture(page, 'phone-held');
    await page.getByRole('button', { name: 'Chat menu' }).tap();
    await page.getByRole('menuitem', { name: 'Hand back to bot' }).tap();
    await find('.phone-head').getByText('the bot is back in').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Back to chats' }).tap();
    await page.getByRole('link', { name: /^Caller 4/ }).waitFor();
    expect(await settled(top)).toBe(wasAt);
    await page.goForward();
    await messages(page).first().waitFor();
    await page.goBack();
    await page.getByRole('link', { name: /^Caller 4/ }).waitFor();
    expect(await settled(top)).toBe(wasAt);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'an open group that becomes a supergroup says so and leads there, with what was begun',
  async () => {
    const { control } = suite.fleet;
    const members = [scene.shop.platformId];
    const { id: group } = await control.createChat({ type: 'group', title: 'Quay 7', creator: ADA, members });
    await control.sendMessage({ person: ADA, chat: group, text: 'Before the move' });
    const { page, complaints } = await openAsAdmin('inbox');
    await page.getByRole('link', { name: /^Quay 7/ }).click();
    await messages(page).filter({ hasText: 'Before the move' }).waitFor();
    await page.getByRole('textbox', { name: 'Write as @shop_eu_bot' }).fill('For all of you');
    const { id: supergroup } = await control.migrateGroup({ chat: group, person: ADA });
    await control.sendMessage({ person: ADA, chat: supergroup, text: 'After the move' });
    await page.getByText('This group became a supergroup.').waitFor({ timeout: 60_000 });
    await picture(page, 'inbox-moved');
    await page.getByRole('link', { name: 'Open the supergroup' }).click();
    await messages(page).filter({ hasText: 'After the move' }).waitFor();
    expect(page.url()).toContain(`/inbox/${scene.shop.id}/${supergroup}`);
    const field = page.getByRole('textbox', { name: 'Write as @shop_eu_bot' });
    await waitFor(async () => (await field.inputValue()) === 'For all of you');
    // A link to the group still works: its messages are there.
    await page.goto(`${suite.fleet.url}/console/inbox/${scene.shop.id}/${group}`);
    await messages(page).filter({ hasText: 'Before the move' }).waitFor();
    await page.getByRole('link', { name: 'Open the supergroup' }).waitFor();
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
  },
  TEST_MS,
);
