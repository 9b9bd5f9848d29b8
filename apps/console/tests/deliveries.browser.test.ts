import { readFile } from 'node:fs/promises';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { consoleSuite, TEST_MS, testLooks } from './console-suite.ts';
import { addDeadLetters, CHATS, FIRST_CHAT, sendTest } from './delivery-scene.ts';
import { picture, pressForeign, selected } from './open-console.ts';

const EVE = ['eve', 'a password of eve'] as const;
const PERSON = 4343;
/** Dead letters of each bot that are sent again together. */
const LETTERS = [1_000, 600, 400];

let backend: TestBackend;
let shopIsDown = true;
let shop: FleetBot;
let bots: FleetBot[];

beforeAll(async () => {
  backend = await startBackend(({ url }, response) => {
    response.writeHead(url === '/shop' && shopIsDown ? 502 : 200, { 'content-type': 'text/plain' });
    response.end(url === '/shop' && shopIsDown ? 'upstream is away' : '');
  });
});

const suite = consoleSuite({ apis: 1, workers: 1 });
const { open, openAsAdmin } = suite;

beforeAll(async () => {
  const { fleet } = suite;
  const pushed = (path: string) => ({ proxy_enabled: true, backend_url: `${backend.url}/${path}` });
  shop = await fleet.addBot(
    { ...pushed('shop'), secret_token: 'a-secret-of-the-shop' },
    { name: 'Shop EU', username: 'shop_eu_bot' },
  );
  bots = [];
  for (const [at] of LETTERS.entries()) bots.push(await fleet.addBot(pushed(`many-${at}`), { name: `Many ${at}` }));
  await fleet.rest('/api/auth/users/add', {
    ...{ username: EVE[0], password: EVE[1], role: 'user', bot_ids: [bots[2]!.id], must_change_password: false },
  });
  await fleet.control.createPerson({ id: PERSON });
  await fleet.control.startBot({ person: PERSON, bot: shop.platformId });
  await backend.waitForRequests(1);
}, TEST_MS);

beforeEach(async () => {
  shopIsDown = true;
  await suite.database.db.deleteFrom('dead_letters').execute();
});

afterAll(async () => {
  await backend?.stop();
});

test(
  'a failed attempt shows request and answer, copies itself as curl without a secret, and is sent again',
  async () => {
    const { page, context, complaints, answers } = await openAsAdmin(`bots/${shop.id}`);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const attempt = page.getByRole('region', { name: 'Recent attempts' }).getByRole('link', { name: '502' }).last();
    await attempt.click();
    const details = page.getByRole('complementary', { name: /Attempt for update/ });
    await details.getByText(`${backend.url}/shop`).waitFor();
    await details.getByText('upstream is away').waitFor();
    await details.getByText('update_id:').waitFor();
    await picture(page, 'attempt');

    await details.getByRole('button', { name: 'Copy as curl' }).click();
    await details.getByText('Copied').waitFor();
    const line = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(line).toContain(`curl -X POST '${backend.url}/shop'`);
    expect(line).toContain("-H 'X-Telegram-Bot-Api-Secret-Token: YOUR_SECRET'");
    expect(line).toMatch(/--data-raw '\{"update_id":/);
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))");
    await details.getByText('Copied').waitFor({ state: 'detached' });
    await details.getByRole('button', { name: 'Copy as curl' }).click();
    const byHand = page.getByRole('dialog', { name: 'Copy it by hand' });
    expect(await byHand.getByLabel('Text').inputValue()).toBe(line);
    expect(await selected(page)).toBe(line);
    await page.keyboard.press('Escape');
    await byHand.waitFor({ state: 'detached' });
    const seen = `${await page.content()} ${line} ${answers.map(({ text }) => text).join()}`;
    expect([seen.includes(shop.token), seen.includes('a-secret-of-the-shop')]).toEqual([false, false]);

    await details.getByRole('button', { name: 'Send as test' }).click();
    await details.getByText('The backend refused it.').waitFor();
    expect(backend.requests.some(({ headers }) => headers['x-flotilla-test'] === '1')).toBe(true);

    const id = Number(/"update_id":(\d+)/.exec(line)?.[1]);
    await addDeadLetters(suite.database, shop.id, 1, id);
    shopIsDown = false;
    await page.keyboard.press('Escape');
    const again = details.getByRole('button', { name: 'Redeliver' });
    await page.reload();
    await attempt.click();
    await again.waitFor();
    const sent = () =>
      backend.requests.filter(
        ({ headers }) =>
          headers['x-flotilla-test'] === undefined && headers['flotilla-delivery-id'] === `${shop.id}-${id}`,
      ).length;
    const before = sent();
    await again.click();
    await details.getByText('Queued again').waitFor();
    await waitFor(() => sent() > before, { timeoutMs: 60_000 });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'from all deliveries, three presses lead to the request of a dead letter, its answer, its curl line, and send it again',
  async () => {
    const attempts = await suite.fleet.rest<{ update_id: number }[]>(`/api/deliveries/attempts?bot_id=${shop.id}`);
    const { update_id: id } = attempts[0]!;
    const lost = id + 50_000;
    for (const updateId of [lost, id]) await addDeadLetters(suite.database, shop.id, 1, updateId);
    const { page, context, complaints } = await openAsAdmin('deliveries');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = async (updateId: number) => {
      await page.getByRole('button', { name: new RegExp(` ${updateId}$`) }).click();
      const details = page.getByRole('complementary', { name: `Update ${updateId}` });
      await details.getByRole('region', { name: 'Request' }).getByText(`${backend.url}/shop`).waitFor();
      await details.getByRole('region', { name: 'Answer' }).getByText('upstream is away').waitFor();
      await details.getByRole('button', { name: 'Copy as curl' }).click();
      await details.getByText('Copied').waitFor();
      return { details, line: String(await page.evaluate('navigator.clipboard.readText()')) };
    };
    const anew = await copied(lost);
    await anew.details.getByText('rebuilt from the current settings').waitFor();
    expect(anew.line).toContain("-H 'X-Telegram-Bot-Api-Secret-Token: YOUR_SECRET'");
    expect(anew.line).toContain(`-H 'Flotilla-Delivery-Id: ${shop.id}-${lost}'`);
    expect(anew.line).toMatch(/--data-raw '\{"update_id":/);

    const { details, line } = await copied(id);
    expect(await details.getByText('rebuilt').count()).toBe(0);
    expect(line).toContain(`curl -X POST '${backend.url}/shop'`);
    shopIsDown = false;
    await details.getByRole('button', { name: 'Redeliver' }).click();
    const isIt = (text: string) => text.includes(`"update_id":${id},`) && text.includes('<b>hello</b>');
    const sent = () => backend.requests.filter(({ text }) => isIt(text)).length;
    const before = sent();
    await page.getByRole('dialog').getByRole('button', { name: 'Redeliver' }).click();
    await waitFor(() => sent() > before, { timeoutMs: 60_000, message: 'the update at the backend' });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'an attempt of a program is sent as a test to the backend of that program, which can also be tried at once',
  async () => {
    const { fleet } = suite;
    const relay = await startBackend((_request, response) => void response.writeHead(503).end());
    try {
      const own = { proxy_enabled: true, backend_url: `${backend.url}/beside` };
      const bot = await fleet.addBot(own, { name: 'Relayed' });
      const program = await fleet.rest<{ id: number }>('/api/programs/add', {
        ...{ bot_id: bot.id, name: 'relay', mode: 'push', backend_url: `${relay.url}/relay` },
      });
      await fleet.control.startBot({ person: PERSON, bot: bot.platformId });
      await relay.waitForRequests(1, 60_000);
      const { page, complaints } = await openAsAdmin(`bots/${bot.id}`);
      await page.getByRole('button', { name: 'Try now' }).click();
      const audited = () => fleet.rest<{ details: string }[]>(`/api/adminlog?bot_id=${bot.id}&action=backend_resume`);
      await waitFor(async () => (await audited()).length > 0, { timeoutMs: 60_000 });
      expect((await audited()).map(({ details }) => details)).toEqual([`program ${program.id}`]);
      await page.getByRole('region', { name: 'Recent attempts' }).getByRole('link', { name: '503' }).last().click();
      const details = page.getByRole('complementary', { name: /Attempt for update/ });
      await details.getByRole('button', { name: 'Send as test' }).click();
      await details.getByText('The backend refused it.').waitFor();
      const tests = ({ requests }: TestBackend) =>
        requests.filter(({ url, headers }) => url !== '/shop' && headers['x-flotilla-test'] === '1').length;
      expect([tests(relay), tests(backend)]).toEqual([1, 0]);
      await page.goto(`${fleet.url}/console/bots/${bot.id}/deliveries?state=retrying`);
      await page.getByRole('row').filter({ hasText: 'relay' }).getByRole('button').click();
      // It lives a day, which is told as the future and with its date.
      await page
        .getByRole('complementary')
        .getByText(/^\w{3} \d+, \d\d:\d\d .*, in 2\d hr/)
        .waitFor();
      expect(complaints).toEqual([]);
    } finally {
      await relay.stop();
    }
  },
  TEST_MS,
);

test(
  'a backend that comes back is tried at once, gets all that waited in order, and the counter falls to 0',
  async () => {
    let isDown = true;
    const own = await startBackend((_request, response) => void response.writeHead(isDown ? 503 : 200).end());
    try {
      const bot = await suite.fleet.addBot({ proxy_enabled: true, backend_url: own.url }, { name: 'Comes back' });
      const toBot = { person: PERSON, bot: bot.platformId };
      await suite.fleet.control.startBot(toBot);
      const texts = Array.from({ length: 8 }, (_, at) => `message ${at}`);
      for (const text of texts) await suite.fleet.control.sendMessage({ ...toBot, text });
      const { page, complaints } = await openAsAdmin(`bots/${bot.id}`);
      const readers = page.getByRole('region', { name: 'Readers' });
      await readers.getByText('9 updates behind').waitFor({ timeout: 60_000 });
      await readers.getByText('Backend unreachable').waitFor({ timeout: 60_000 });
      const waiting = page.locator('.figures .now dd').first();
      expect(await waiting.textContent()).toBe('9');
      isDown = false;
      await readers.getByRole('button', { name: 'Try now' }).click();
      await readers.getByText('Up to date').waitFor({ timeout: 60_000 });
      await waitFor(async () => (await waiting.textContent()) === '0', { timeoutMs: 30_000 });
      expect(await readers.getByRole('button', { name: 'Try now' }).count()).toBe(0);
      const taken = own.requests.flatMap(({ text }) => /"text":"(message \d)"/.exec(text)?.[1] ?? []);
      expect(taken).toEqual(texts);
      expect(complaints).toEqual([]);
    } finally {
      await own.stop();
    }
  },
  TEST_MS,
);

test(
  'an update can be edited and sent as a test, and what is wrong with it is said at the field',
  async () => {
    const { page } = await openAsAdmin(`bots/${shop.id}`);
    await page.getByRole('button', { name: 'Test delivery…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Test delivery' });
    const field = dialog.getByLabel('Update, as JSON');
    await field.fill('{"update_id":');
    await dialog.getByRole('button', { name: 'Send test' }).click();
    await dialog.getByText('must be a JSON object').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await field.fill('{"update_id":5,"message":{"text":"edited by hand"}}');
    await sendTest(dialog);
    expect(backend.requests.map(({ text }) => text)).toContain('{"update_id":5,"message":{"text":"edited by hand"}}');
    await dialog.getByText('upstream is away').waitFor();
    await dialog.getByText('X-Flotilla-Test', { exact: true }).waitFor({ state: 'attached' });
  },
  TEST_MS,
);

test(
  'of 2,012 dead letters of three bots, the 2,000 that a filter matches are sent again, in the order of each chat',
  async () => {
    for (const [at, count] of LETTERS.entries()) {
      await addDeadLetters(suite.database, bots[at]!.id, count, 1_000);
      await addDeadLetters(suite.database, bots[at]!.id, 4, 90_000, 404);
    }
    const { page, complaints } = await openAsAdmin('deliveries');
    await page.getByText('2,012 match', { exact: true }).waitFor();
    const table = page.getByRole('table', { name: 'Deliveries' });
    expect(await table.getByRole('row').count()).toBeLessThan(60);
    await page.getByLabel('Status', { exact: true }).selectOption('5xx');
    await page.waitForURL('**/console/deliveries?status=5xx');
    await page.getByRole('button', { name: 'Redeliver all 2,000…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Redeliver 2,000 updates?' });
    await dialog.getByText('1,000 updates').waitFor();
    await picture(page, 'deliveries-redrive');
    const sentBefore = backend.requests.length;
    await dialog.getByRole('button', { name: 'Redeliver' }).click();
    await page.getByText('2,000 updates redelivered').first().waitFor({ timeout: 60_000 });
    const delivered = () => backend.requests.slice(sentBefore).filter(({ url }) => url.startsWith('/many-'));
    await waitFor(() => delivered().length >= 2_000, { timeoutMs: 60_000 });

    for (const [at, count] of LETTERS.entries()) {
      const updates = delivered()
        .filter(({ url }) => url === `/many-${at}`)
        .map(({ text }) => JSON.parse(text) as { update_id: number; message: { chat: { id: number } } });
      expect(updates.map(({ update_id: id }) => id).toSorted((one, other) => one - other)).toEqual(
        Array.from({ length: count }, (_, index) => 1_000 + index),
      );
      for (let chat = FIRST_CHAT; chat < FIRST_CHAT + CHATS; chat += 1) {
        const ids = updates.filter(({ message }) => message.chat.id === chat).map(({ update_id: id }) => id);
        expect(ids).toEqual(ids.toSorted((one, other) => one - other));
      }
    }
    await page.locator('.job .outcome').getByText('1,000 delivered', { exact: true }).waitFor();
    await page.getByText('No deliveries match the filter.').waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).first().click();
    await page.getByText('12 match', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  },
  3 * TEST_MS,
);

test(
  'rows are chosen by keyboard, a row opens beside the list, and what is discarded is gone',
  async () => {
    await addDeadLetters(suite.database, bots[0]!.id, 5, 70);
    const { page, complaints } = await openAsAdmin(`bots/${bots[0]!.id}/deliveries`);
    await page.getByText('5 match', { exact: true }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('2 selected', { exact: true }).waitFor();
    await page.keyboard.press('r');
    await page.getByRole('dialog', { name: 'Redeliver 2 updates?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    const details = page.getByRole('complementary', { name: 'Update 73' });
    await details.getByText('answered with an error').waitFor();
    await details.getByText('"<b>hello</b>"').waitFor();
    await pressForeign(page, 'к', 'KeyR');
    await page.getByRole('dialog', { name: 'Redeliver 1 update?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Discard 2 updates?' });
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('2 updates discarded').first().waitFor();
    await page.getByText('3 match', { exact: true }).waitFor();
    // Those of another bot are not in the file, and all pages of this one are.
    await addDeadLetters(suite.database, bots[1]!.id, 2, 90);
    await addDeadLetters(suite.database, bots[0]!.id, 400, 5_000);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export JSON' }).click();
    const saved = JSON.parse(await readFile((await (await saving).path())!, 'utf8')) as { update_id: number }[];
    const more = Array.from({ length: 400 }, (_, at) => 5_399 - at);
    expect(saved.map(({ update_id: id }) => id)).toEqual([...more, 72, 71, 70]);
    await suite.database.db.deleteFrom('dead_letters').execute();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'what a filter matches is discarded only by whoever types the number of it',
  async () => {
    await addDeadLetters(suite.database, bots[0]!.id, 12, 70);
    await addDeadLetters(suite.database, bots[1]!.id, 3, 70);
    const { page, complaints } = await openAsAdmin(`deliveries?bot=${bots[0]!.id}`);
    await page.getByText('12 match', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Discard…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Discard 12 updates?' });
    const number = dialog.getByLabel('type the number: 12');
    await number.fill('2');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await dialog.getByText('The number does not match.').waitFor();
    // Nobody has counted those that die while the number is typed.
    await addDeadLetters(suite.database, bots[0]!.id, 2, 500);
    await number.fill('12');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('12 updates discarded').first().waitFor();
    await page.getByText('2 match', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).first().click();
    await page.getByText('5 match', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'nothing moves under the pointer: attempts and deliveries that come wait until it leaves, or until they are asked for',
  async () => {
    const { fleet, database } = suite;
    const bot = bots[1]!;
    const write = () => fleet.control.sendMessage({ person: PERSON, bot: bot.platformId, text: 'hello' });
    await fleet.control.startBot({ person: PERSON, bot: bot.platformId });
    const { page, complaints } = await openAsAdmin(`bots/${bot.id}/deliveries?state=attempts`);
    const attempts = page.getByRole('region', { name: 'Recent attempts' });
    const first = attempts.getByRole('listitem').first();
    await first.waitFor({ timeout: 30_000 });
    await first.hover();
    const before = await first.textContent();
    await write();
    const pill = page.getByRole('button', { name: '1 new', exact: true });
    await pill.waitFor({ timeout: 30_000 });
    expect(await first.textContent()).toBe(before);
    await write();
    await page.getByRole('button', { name: '2 new', exact: true }).click();
    await waitFor(async () => (await first.textContent()) !== before, { message: 'the new attempts' });

    await addDeadLetters(database, bot.id, 3, 10);
    await page.goto(`${fleet.url}/console/deliveries`);
    const row = page.getByRole('table', { name: 'Deliveries' }).locator('.table-body .row-link').first();
    await page.getByText('3 match', { exact: true }).waitFor();
    expect(await row.textContent()).toMatch(/ 12$/);
    await row.hover();
    await addDeadLetters(database, bot.id, 1, 50);
    await pill.waitFor({ timeout: 30_000 });
    await page.getByText('4 match', { exact: true }).waitFor();
    expect(await row.textContent()).toMatch(/ 12$/);
    await picture(page, 'deliveries-held');
    await page.getByRole('heading', { name: 'Deliveries', exact: true }).hover();
    await waitFor(async () => (await row.textContent())?.endsWith(' 50'), { message: 'the row that came' });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a user sees and sends only the dead letters of own bots, also by address, and no system',
  async () => {
    await addDeadLetters(suite.database, bots[0]!.id, 3, 10);
    await addDeadLetters(suite.database, bots[2]!.id, 2, 20);
    const { page, signIn } = await open('deliveries');
    await signIn(...EVE);
    await page.getByText('2 match', { exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'System' }).count()).toBe(0);
    const sentBefore = backend.requests.length;
    await page.getByRole('button', { name: 'Redeliver all 2…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Redeliver 2 updates?' });
    await dialog.getByRole('button', { name: 'Redeliver' }).click();
    await page.getByText('2 updates redelivered').first().waitFor();
    await backend.waitForRequests(sentBefore + 2, 60_000);
    await page.locator('.toast').getByText('2 delivered', { exact: true }).waitFor();
    await page.goto(`${suite.fleet.url}/console/deliveries?bot=${bots[0]!.id}`);
    await page.getByText('Your account has no permission to do this.').first().waitFor();
    await page.goto(`${suite.fleet.url}/console/system`);
    await page.getByText('Your account has no permission to do this.').first().waitFor();
    expect(await page.content()).not.toContain('Many 0');
  },
  TEST_MS,
);

test(
  'rules are added, tried with a text, edited without undoing what others change, switched off and deleted',
  async () => {
    const { page, complaints } = await openAsAdmin(`bots/${bots[1]!.id}/rules`);
    await page.getByText('This bot has no rules.').waitFor();
    await page.getByRole('button', { name: 'Add a rule…' }).click();
    const form = page.getByRole('dialog', { name: 'Add a rule' });
    await form.getByLabel('If', { exact: true }).selectOption('text');
    await form.getByLabel('Regular expression').fill('refund(');
    await form.getByLabel('Then', { exact: true }).selectOption('drop');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.locator('[aria-invalid=true]').waitFor();
    await form.getByLabel('Regular expression').fill('refund');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByText('Matches /refund/').waitFor();

    const trial = page.getByRole('region', { name: 'Try a message' });
    await trial.getByLabel('Text of the message').fill('A refund, please');
    await trial.getByRole('button', { name: 'Try', exact: true }).click();
    await trial.getByText('1 rule would act.').waitFor();
    await page.getByText('Would act', { exact: true }).waitFor();
    await trial.getByLabel('Given as').selectOption('json');
    await trial.getByLabel('Message or update, as JSON').fill('{');
    await trial.getByRole('button', { name: 'Try', exact: true }).click();
    await trial.getByText('This is no JSON.').waitFor();

    const [rule] = await suite.fleet.rest<{ id: number }[]>(`/api/routes?bot_id=${bots[1]!.id}`);
    await page.getByRole('button', { name: 'Edit…' }).click();
    const editing = page.getByRole('dialog', { name: 'Edit the rule' });
    await editing.getByLabel('Note').fill('Nobody answers these');
    await editing.getByLabel('Then', { exact: true }).selectOption('forward');
    await editing.getByRole('button', { name: 'Clear: Sent by' }).click();
    await editing.getByRole('button', { name: 'Save' }).click();
    await waitFor(async () => (await editing.getByText('This field is required.').count()) === 2);
    await editing.getByLabel('Then', { exact: true }).selectOption('drop');
    await suite.fleet.rest('/api/routes/update', { id: rule!.id, enabled: false });
    await editing.getByRole('button', { name: 'Save' }).click();
    await editing.waitFor({ state: 'detached' });
    const kept = { description: 'Nobody answers these', enabled: false, condition_value: 'refund' };
    expect(await suite.fleet.rest(`/api/routes?bot_id=${bots[1]!.id}`)).toMatchObject([kept]);
    await suite.fleet.rest('/api/routes/update', { id: rule!.id, enabled: true });
    await page.reload();

    const inUse = page.getByRole('checkbox', { name: 'In use: Matches /refund/' });
    await inUse.click();
    await page.locator('.rule.off').waitFor();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('This bot has no rules.').waitFor();
    expect(complaints.filter((line) => !line.includes('/api/routes/add'))).toEqual([]);
  },
  TEST_MS,
);

testLooks('deliveries, rules and system are accessible and fit the window', suite, async (one, lookAt) => {
  const { page, signIn } = one;
  const visit = (path: string) => page.goto(`${suite.fleet.url}/console/${path}`);
  await addDeadLetters(suite.database, bots[0]!.id, 10, 10, 404);
  await addDeadLetters(suite.database, shop.id, 30, 10);
  // It is retried, because the shop is down.
  await suite.fleet.control.startBot({ person: PERSON, bot: shop.platformId });
  const rule = { source_bot_id: bots[2]!.id, condition_type: 'keyword', condition_value: 'refund', action: 'forward' };
  const listed = await suite.fleet.rest<unknown[]>(`/api/routes?bot_id=${bots[2]!.id}`);
  if (listed.length === 0) {
    const target = { target_bot_id: bots[1]!.id, target_chat_id: -100_123, description: 'For the accountants' };
    await suite.fleet.rest('/api/routes/add', { ...rule, ...target });
    await suite.fleet.rest('/api/routes/add', { ...rule, condition_type: 'all', condition_value: '', action: 'drop' });
  }
  await signIn('admin', 'a password for tests');
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();

  await visit('deliveries');
  await page.getByText('40 match', { exact: true }).waitFor();
  await page.getByText('Shop EU').first().waitFor();
  await lookAt('deliveries');
  await page.getByRole('button', { name: / 39$/ }).click();
  await page.getByRole('complementary', { name: 'Update 39' }).waitFor();
  await lookAt('delivery');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Redeliver all 40…' }).click();
  await page.getByRole('dialog', { name: 'Redeliver 40 updates?' }).waitFor();
  await lookAt('deliveries-act');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard…' }).click();
  await page.getByRole('dialog').getByLabel('type the number: 40').waitFor();
  await lookAt('deliveries-discard');
  await visit(`bots/${shop.id}/deliveries?state=retrying`);
  await page.getByRole('table', { name: 'Deliveries' }).getByRole('button').first().waitFor();
  await lookAt('deliveries-retrying');
  await visit(`bots/${shop.id}/deliveries?state=attempts`);
  await page.getByRole('link', { name: '502' }).first().click();
  await page.getByRole('complementary').getByText('update_id:').waitFor();
  await lookAt('attempt');
  await page.getByRole('button', { name: 'Edit…' }).click();
  await sendTest(page.getByRole('dialog', { name: 'Test delivery' }));
  await lookAt('test-delivery');
  await visit(`bots/${bots[2]!.id}/rules`);
  await page.getByLabel('Text of the message').fill('A refund, please');
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  await page.getByText('2 rules would act.').waitFor();
  await lookAt('rules');
  await page.getByRole('button', { name: 'Edit…' }).first().click();
  await page.getByRole('dialog', { name: 'Edit the rule' }).waitFor();
  await lookAt('rule');
  await visit('system');
  await page.getByText('2 processes').waitFor();
  await page.getByText('all applied').waitFor();
  await lookAt('system');
});
