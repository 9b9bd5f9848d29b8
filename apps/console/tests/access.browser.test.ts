import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';
import { picture } from './open-console.ts';

const GRACE = ['grace', 'a password of grace'] as const;
const LONG = 'Answers questions about orders, returns and the weather. '.repeat(6);

const suite = consoleSuite({ apis: 1, workers: 0 });
const { open, openAsAdmin } = suite;
let desk: FleetBot;
let shop: FleetBot;

beforeAll(async () => {
  const { fleet } = suite;
  desk = await fleet.addBot({}, { name: 'Help desk', username: 'helpdesk_bot' });
  shop = await fleet.addBot({}, { name: 'Shop EU', username: 'shop_eu_bot' });
  const grace = { username: GRACE[0], password: GRACE[1], display_name: 'Grace', role: 'user', bot_ids: [desk.id] };
  await fleet.rest('/api/auth/users/add', grace);
  await fleet.rest('/api/auth/api-keys', { name: 'Dashboard', role: 'user', bot_ids: [desk.id] });
  await fleet.rest('/api/bots/update', { id: shop.id, description: LONG });
  await fleet.rest('/api/bots/update', { id: shop.id, description: 'Sells "ships"; <b>cheap</b>' });
}, TEST_MS);

const statusWith = async (key: string) =>
  (await fetch(`${suite.fleet.url}/api/auth/me`, { headers: { authorization: `Bearer ${key}` } })).status;

test(
  'an admin adds a person by keyboard, sets a password and deletes the account; the person must choose a password first',
  async () => {
    const { page, complaints } = await openAsAdmin();
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.getByRole('heading', { name: 'People and keys' }).waitFor();
    await page.getByRole('button', { name: 'Add account' }).press('Enter');
    const form = page.getByRole('dialog', { name: 'Add account' });
    await form.getByLabel('Username').fill('linus');
    await form.getByLabel('New password').fill('password123');
    await page.keyboard.press('Enter');
    await form.getByText('one of the most common').waitFor();
    await form.getByRole('button', { name: 'Generate' }).press('Enter');
    const password = await form.getByLabel('New password').inputValue();
    expect(password).toHaveLength(20);
    await form.getByRole('combobox', { name: 'Add bot' }).fill('help');
    await form.getByRole('option', { name: 'Help desk' }).waitFor();
    await page.keyboard.press('Enter');
    await form.getByRole('button', { name: 'Without Help desk' }).waitFor();
    await form.getByRole('button', { name: 'Create' }).press('Enter');
    await form.waitFor({ state: 'detached' });

    await page.getByRole('searchbox', { name: 'Find by name' }).fill('linus');
    await page.waitForURL('**/access?view=people&q=linus');
    await page.getByText('1 account', { exact: true }).waitFor();
    await page.getByRole('table', { name: 'People' }).getByRole('link', { name: 'linus' }).press('Enter');
    const details = page.getByRole('complementary', { name: 'linus' });
    await details.getByText('must be changed at next sign-in').waitFor();
    await details.getByText('Help desk').waitFor();

    const theirs = await open();
    await theirs.signIn('linus', password);
    await theirs.page.getByRole('heading', { name: 'Change your password' }).waitFor();

    await details.getByRole('button', { name: 'Delete…' }).press('Enter');
    const asking = page.getByRole('dialog', { name: 'Delete the account linus?' });
    await picture(page, 'access-delete');
    await asking.getByRole('button', { name: 'Delete…' }).press('Enter');
    await page.getByText('No matching people').waitFor();
    expect(complaints.filter((line) => !line.includes('/api/auth/users/add'))).toEqual([]);
  },
  TEST_MS,
);

test(
  'who deletes an account or a key is shown the tokens of programs that go on, and revokes them there',
  async () => {
    const { fleet } = suite;
    const margaret = { username: 'margaret', password: 'a password of margaret', role: 'user', bot_ids: [shop.id] };
    const { id } = await fleet.rest<{ id: number }>('/api/auth/users/add', margaret);
    const { id: program } = await fleet.rest<{ id: number }>('/api/programs/add', { bot_id: shop.id, name: 'Orders' });
    const keyOf = (name: string) => fleet.rest<{ key: string }>('/api/auth/api-keys', { name, user_id: id });
    const tokenBy = async ({ key }: { key: string }, name: string) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ program_id: program, name });
      const made = await fetch(`${suite.fleet.url}/api/programs/tokens/add`, { method: 'POST', headers, body });
      expect(made.status).toBe(200);
    };
    await tokenBy(await keyOf('stays'), 'Of the account');
    await tokenBy(await keyOf('goes'), 'Of the key');
    const names = async () =>
      (await fleet.rest<{ name: string }[]>(`/api/programs/tokens?program_id=${program}`)).map(({ name }) => name);

    const { page, complaints } = await openAsAdmin(`access?view=keys&account=${id}`);
    await page.getByRole('table', { name: 'API keys' }).getByRole('link', { name: 'goes' }).click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog', { name: 'Delete the key goes?' }).getByRole('button', { name: 'Delete…' }).click();
    const left = page.getByRole('dialog', { name: '1 token of a program goes on' });
    await left.getByText('Of the key').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'goes' }).waitFor({ state: 'detached' });
    expect(await names()).toEqual(['Of the account', 'Of the key']);

    await page.getByRole('link', { name: 'People', exact: true }).click();
    await page.getByRole('table', { name: 'People' }).getByRole('link', { name: 'margaret' }).click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const asking = page.getByRole('dialog', { name: 'Delete the account margaret?' });
    await asking.getByRole('button', { name: 'Delete…' }).click();
    const both = page.getByRole('dialog', { name: '2 tokens of programs go on' });
    await both.getByRole('link', { name: 'Orders' }).first().waitFor();
    await picture(page, 'access-left-tokens');
    await both.getByRole('button', { name: 'Revoke Of the account' }).press('Enter');
    await both.getByText('Revoked').waitFor();
    expect(await names()).toEqual(['Of the key']);
    await both.getByRole('button', { name: 'Close' }).last().click();
    await page
      .getByRole('table', { name: 'People' })
      .getByRole('link', { name: 'margaret' })
      .waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'an edited account keeps what somebody else changed meanwhile, and an admin who becomes a user gets the bots shown',
  async () => {
    const { fleet } = suite;
    const bots = [desk.id, shop.id];
    const hedy = { username: 'hedy', password: 'a password of hedy', role: 'user', bot_ids: bots };
    const { id } = await fleet.rest<{ id: number }>('/api/auth/users/add', hedy);
    const known = async () => (await fleet.rest<{ id: number }[]>('/api/auth/users')).find((one) => one.id === id);
    const { page, complaints } = await openAsAdmin('access?view=people&q=hedy');
    await page.getByRole('table', { name: 'People' }).getByRole('link', { name: 'hedy' }).click();
    const edit = page.getByRole('button', { name: 'Edit…' });
    const form = page.getByRole('dialog', { name: 'Edit account' });
    await edit.click();
    await form.getByRole('button', { name: 'Without Shop EU' }).waitFor();
    await fleet.rest('/api/auth/users/update', { id, bot_ids: [] });
    await form.getByLabel('Display name').fill('Hedy');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await known()).toMatchObject({ username: 'hedy', display_name: 'Hedy', role: 'user', bot_ids: [] });

    await fleet.rest('/api/auth/users/update', { id, role: 'admin' });
    await page.reload();
    await edit.click();
    expect(await form.getByLabel('All bots').isChecked()).toBe(true);
    await form.getByLabel('Role').selectOption('User');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await known()).toMatchObject({ display_name: 'Hedy', role: 'user', bot_ids: null });
    await fleet.rest('/api/auth/users/delete', { id });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a key is shown once, works as it was made, and is nowhere in the page afterwards',
  async () => {
    const { page, complaints } = await openAsAdmin('access?view=keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    const form = page.getByRole('dialog', { name: 'Create key' });
    await form.getByLabel('Name').fill('Reports');
    await form.getByLabel('Role').selectOption('User');
    await form.getByLabel('Expires').selectOption('in 30 days');
    await form.getByLabel('Selected bots').check();
    await form.getByRole('combobox', { name: 'Add bot' }).fill('shop');
    await form.getByRole('option', { name: 'Shop EU' }).click();
    await form.getByRole('button', { name: 'Create' }).click();
    const once = page.getByRole('dialog', { name: 'Your new key' });
    const key = (await once.locator('code').textContent())!;
    await picture(page, 'access-key-once');
    expect(await statusWith(key)).toBe(200);
    await page.keyboard.press('Escape');
    await once.getByRole('button', { name: 'I have saved it' }).click();
    await once.waitFor({ state: 'detached' });
    const left = `${await page.content()} ${page.url()} ${await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')}`;
    expect(left.includes(key)).toBe(false);

    await page.getByRole('table', { name: 'API keys' }).getByRole('link', { name: 'Reports' }).click();
    const details = page.getByRole('complementary', { name: 'Reports' });
    await details.getByText('Shop EU').waitFor();
    await details.getByText('Active').waitFor();
    await details.getByRole('button', { name: 'Disable' }).click();
    await details.getByText('Disabled').waitFor();
    await waitFor(async () => (await statusWith(key)) === 401);
    await details.getByRole('button', { name: 'Delete…' }).click();
    const asking = page.getByRole('dialog', { name: 'Delete the key Reports?' });
    await asking.getByRole('button', { name: 'Delete…' }).click();
    await details.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Reports' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'the audit is filtered in the address, and an entry opens beside it with what was before and after',
  async () => {
    const { page, complaints } = await openAsAdmin('audit');
    await page.getByLabel('Action').selectOption('Changed settings of a bot');
    await page.getByText('2 entries', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Bot' }).fill('shop');
    await page.getByRole('option', { name: 'Shop EU' }).click();
    await page.getByLabel('Account', { exact: true }).fill('admin');
    await page.waitForURL(`**/audit?action=bot_update&bot=${shop.id}&actor=admin`);
    await page.getByText('2 entries', { exact: true }).waitFor();
    await page.keyboard.press('Tab');
    await waitFor(async () => {
      await page.evaluate('document.activeElement.blur()');
      await page.keyboard.press('j');
      return page.evaluate<boolean>("document.activeElement.classList.contains('row-link')");
    });
    await page.keyboard.press('Enter');
    const entry = page.getByRole('complementary', { name: 'Changed settings of a bot' });
    const change = entry.getByRole('row', { name: /^Description/ });
    await change.getByRole('cell', { name: 'Sells "ships"; <b>cheap</b>' }).waitFor();
    expect(await change.getByRole('cell').first().textContent()).toMatch(/^Answers questions about orders.*…$/);
    await page.reload();
    await change.waitFor();
    // In a list that does not have it.
    const open = new URL(page.url()).searchParams.get('open');
    await page.goto(`${suite.fleet.url}/console/audit?action=key_add&open=${open}`);
    await change.waitFor();
    await page.goBack();
    await change.waitFor();
    await entry.getByRole('link', { name: 'ADMIN_API_KEY' }).waitFor();
    await picture(page, 'audit-entry');
    await page.keyboard.press('Escape');
    await entry.waitFor({ state: 'detached' });
    const period = page.getByRole('combobox', { name: 'Period' });
    await period.selectOption('Today');
    await page.waitForURL(/[?&]from=/);
    await page.getByText('2 entries', { exact: true }).waitFor();
    await period.selectOption('From … to …');
    const from = page.getByRole('textbox', { name: 'From' });
    expect(await from.inputValue()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
    await from.fill('some day');
    await page.keyboard.press('Tab');
    await page.getByText('Enter a date').waitFor();
    await from.fill('1.1.2040');
    await page.getByText('No entries match the filters.').waitFor();
    await page.getByRole('link', { name: 'Clear the filters' }).last().click();
    await page.getByRole('table', { name: 'Audit' }).getByRole('link').first().waitFor();
    expect(page.url()).toMatch(/\/audit$/);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a user sees own keys and sessions only, also by address, and ends another session',
  async () => {
    const first = await open();
    await first.signIn(...GRACE);
    await first.page.getByRole('navigation', { name: 'Screens' }).waitFor();
    const { page, signIn, complaints, answers } = await open('access?view=people&account=1');
    await signIn(...GRACE);
    await page.getByText('No API keys yet').waitFor();
    expect(await page.getByRole('link', { name: 'People', exact: true }).count()).toBe(0);
    await page.goto(`${suite.fleet.url}/console/audit`);
    await page.getByText('Only administrators see the audit log of the fleet.').waitFor();
    await page.goto(`${suite.fleet.url}/console/access?view=keys&account=1`);
    await page.getByText('No API keys yet').waitFor();
    const asked = answers.map(({ url }) => new URL(url).pathname + new URL(url).search);
    expect(asked.filter((url) => /adminlog|auth\/users|user_id=1&/.test(url))).toEqual([]);

    await page.keyboard.press(']');
    const sessions = page.getByRole('region', { name: 'Where you are signed in' });
    await sessions.getByText('this one').waitFor();
    expect(await sessions.getByRole('listitem').count()).toBe(2);
    await sessions.getByRole('button', { name: 'End', exact: true }).click();
    await sessions.getByRole('button', { name: 'End', exact: true }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await waitFor(
      async () => {
        await first.page.goto(`${suite.fleet.url}/console/`);
        await first.page.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: 5_000 });
        return true;
      },
      { timeoutMs: TEST_MS / 3 },
    );
  },
  TEST_MS,
);

testLooks('audit, people, keys and sessions are accessible and fit the window', suite, async (one, lookAt) => {
  const { page, signIn } = one;
  const visit = (path: string) => page.goto(`${suite.fleet.url}/console/${path}`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(...ADMIN);
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  await visit('audit?action=bot_update');
  const entry = page.getByRole('link', { name: 'Changed settings of a bot' }).first();
  await entry.waitFor();
  await lookAt('audit');
  await entry.press('Enter');
  await page.getByRole('complementary').getByText('description').waitFor();
  await lookAt('audit-entry');
  await visit('access');
  await page.getByRole('table', { name: 'People' }).getByRole('link', { name: 'Grace' }).waitFor();
  await lookAt('access-people');
  await page.getByRole('link', { name: 'Grace' }).press('Enter');
  await page.getByRole('complementary').getByText('Help desk').waitFor();
  await lookAt('access-person');
  await page.getByRole('button', { name: 'Set password…' }).click();
  await page.getByRole('dialog').waitFor();
  await lookAt('access-reset');
  await visit('access');
  await page.getByRole('button', { name: 'Add account' }).click();
  await page.getByRole('dialog').getByRole('combobox', { name: 'Add bot' }).click();
  await page.getByRole('listbox', { name: 'Add bot' }).getByRole('option').first().waitFor();
  await lookAt('access-add');
  await visit('access?view=keys');
  await page.getByRole('link', { name: 'Dashboard' }).press('Enter');
  await page.getByRole('complementary', { name: 'Dashboard' }).waitFor();
  await lookAt('access-keys');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('dialog').waitFor();
  await lookAt('access-new-key');
  await visit('access?view=sessions');
  await page.getByText('this one').waitFor();
  await lookAt('access-sessions');
});
