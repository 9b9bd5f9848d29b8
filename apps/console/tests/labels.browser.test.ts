import { beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';
import { HOSTILE } from './hostile-names.ts';
import { picture } from './open-console.ts';

const GRACE = ['grace', 'a password of grace'] as const;

const suite = consoleSuite({ apis: 1, workers: 0 });
let north: number;
let south: number;

beforeAll(async () => {
  const { fleet } = suite;
  north = (await fleet.addBot({ labels: ['north', 'shop'] }, { name: 'North shop', username: 'north_bot' })).id;
  south = (await fleet.addBot({ labels: ['south', 'shop'] }, { name: 'South shop', username: 'south_bot' })).id;
  await fleet.addBot({}, { name: 'Unlabelled', username: 'plain_bot' });
}, TEST_MS);

test(
  'labels group the fleet, filter its list, and are edited with the other settings of a bot',
  async () => {
    const { page, faults, complaints } = await suite.openAsAdmin();
    const labels = page.getByRole('navigation', { name: 'Bots by label' });
    const bots = page.getByRole('table', { name: 'Bots' });
    await labels.getByRole('link', { name: 'shop 2' }).click();
    await page.waitForURL('**/?label=shop');
    await bots.getByText('Unlabelled').waitFor({ state: 'detached' });
    await bots.getByText('South shop').waitFor();
    await labels.getByRole('link', { name: 'north 1' }).click();
    await bots.getByText('South shop').waitFor({ state: 'detached' });
    await bots.getByText('North shop').waitFor();
    expect(await faults()).toEqual([]);
    await picture(page, 'fleet-labels');
    await labels.getByRole('link', { name: 'north 1' }).click();
    await bots.getByText('Unlabelled').waitFor();

    await page.goto(`${suite.fleet.url}/console/bots/${south}/settings`);
    await page.getByLabel('Labels').fill('south, new');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await suite.fleet.rest(`/api/bots/show?id=${south}`)).toMatchObject({ labels: ['south', 'new'] });
    await suite.fleet.rest('/api/bots/update', { id: south, labels: ['south', 'shop'] });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'an admin gives an account and a key the bots of a label, and the account sees them for as long as they have it',
  async () => {
    const { page, faults, complaints } = await suite.openAsAdmin('access?view=people');
    await page.getByRole('button', { name: 'Add account' }).click();
    const form = page.getByRole('dialog', { name: 'Add account' });
    await form.getByLabel('Username').fill(GRACE[0]);
    await form.getByLabel('New password').fill(GRACE[1]);
    await form.getByLabel('Must be changed').uncheck();
    await form.getByRole('combobox', { name: 'Add label' }).fill('nor');
    await form.getByRole('option', { name: 'north' }).click();
    await form.getByRole('button', { name: 'Without north' }).waitFor();
    expect(await faults()).toEqual([]);
    await picture(page, 'access-labels');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.waitFor({ state: 'detached' });
    const row = page.getByRole('table', { name: 'People' }).getByRole('row').filter({ hasText: GRACE[0] });
    await row.getByText('north').waitFor();

    await page.goto(`${suite.fleet.url}/console/access?view=keys`);
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = page.getByRole('dialog', { name: 'Create key' });
    await key.getByLabel('Name').fill('Of the shops');
    await key.getByLabel('Selected bots').check();
    await key.getByRole('combobox', { name: 'Add label' }).click();
    await key.getByRole('option', { name: 'shop' }).click();
    await key.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    const keys = page.getByRole('table', { name: 'API keys' }).getByRole('row').filter({ hasText: 'Of the shops' });
    await keys.getByText('shop', { exact: true }).waitFor();
    expect(complaints).toEqual([]);

    const theirs = await suite.open();
    await theirs.signIn(...GRACE);
    const bots = theirs.page.getByRole('table', { name: 'Bots' });
    await bots.getByText('North shop').waitFor();
    expect(await bots.getByText('South shop').count()).toBe(0);
    await suite.fleet.rest('/api/bots/update', { id: south, labels: ['north'] });
    await bots.getByText('South shop').waitFor();
    await suite.fleet.rest('/api/bots/update', { id: north, labels: [] });
    await bots.getByText('North shop').waitFor({ state: 'detached' });
  },
  TEST_MS,
);

/** As at the beginning. */
async function label(): Promise<void> {
  await suite.fleet.rest('/api/bots/update', { id: north, labels: ['north', 'shop'] });
  await suite.fleet.rest('/api/bots/update', { id: south, labels: ['south', 'shop'] });
}

test(
  'a filter of the fleet is saved as a view of the account, chosen, renamed and deleted',
  async () => {
    await label();
    const { page, complaints } = await suite.openAsAdmin();
    const views = page.getByRole('navigation', { name: 'Saved views' });
    const bots = page.getByRole('table', { name: 'Bots' });
    await bots.getByText('Unlabelled').waitFor();
    expect(await views.count()).toBe(0);
    await page.getByRole('navigation', { name: 'Bots by label' }).getByRole('link', { name: 'shop' }).click();
    await bots.getByRole('button', { name: 'Name' }).click();
    await page.waitForURL('**/?label=shop&sort=name');
    await views.getByRole('button', { name: 'Save view' }).click();
    const saving = page.getByRole('dialog', { name: 'Save view' });
    await saving.getByLabel('Name').fill('All shops');
    await saving.getByRole('button', { name: 'Save' }).click();
    await saving.waitFor({ state: 'detached' });
    // What is shown is saved already.
    await views.getByRole('button', { name: 'Save view' }).waitFor({ state: 'detached' });

    await page.goto(`${suite.fleet.url}/console/?range=day`);
    await bots.getByText('Unlabelled').waitFor();
    await views.getByRole('link', { name: 'All shops' }).click();
    await bots.getByText('Unlabelled').waitFor({ state: 'detached' });
    expect(new URL(page.url()).search.split(/[?&]/).toSorted()).toEqual(['', 'label=shop', 'range=day', 'sort=name']);
    expect(await views.locator('[aria-current]').textContent()).toBe('All shops');

    await suite.fleet.rest('/api/views/add', { screen: 'fleet', name: 'Off', filter: { state: 'disabled' } });
    await page.reload();
    const rename = async (from: string, to: string) => {
      await views.getByRole('button', { name: `View ${from}` }).click();
      await page.getByRole('menuitem', { name: 'Rename' }).click();
      await page.getByRole('dialog', { name: 'Rename the view' }).getByLabel('Name').fill(to);
      await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    };
    await rename('All shops', 'Off');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await rename('All shops', 'Shops');
    await views.getByRole('link', { name: 'Shops', exact: true }).waitFor();
    // The browser itself says that the name was refused.
    expect(complaints.filter((text) => !text.includes('409'))).toEqual([]);

    for (const name of ['Off', 'Shops']) {
      await views.getByRole('button', { name: `View ${name}` }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await views.getByRole('link', { name, exact: true }).waitFor({ state: 'detached' });
    }
    expect(await suite.fleet.rest('/api/views?screen=fleet')).toEqual([]);
  },
  TEST_MS,
);

testLooks('the fleet with saved views is accessible and fits the window', suite, async ({ page, signIn }, lookAt) => {
  await label();
  for (const name of ['Shops', HOSTILE.cyrillic, HOSTILE.arabic]) {
    await suite.fleet.rest('/api/views/add', { screen: 'fleet', name, filter: { label: 'shop', q: name } });
  }
  await signIn(...ADMIN);
  await page.getByRole('navigation', { name: 'Saved views' }).getByRole('link', { name: 'Shops' }).waitFor();
  await page.getByRole('table', { name: 'Bots' }).getByText('South shop').waitFor();
  await page.goto(`${suite.fleet.url}/console/?label=shop`);
  await page.getByRole('table', { name: 'Bots' }).getByText('Unlabelled').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Save view' }).waitFor();
  await lookAt('fleet-views');
});
