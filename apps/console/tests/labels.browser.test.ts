import { beforeAll, expect, test } from '@jest/globals';
import { consoleSuite, TEST_MS } from './console-suite.ts';
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
