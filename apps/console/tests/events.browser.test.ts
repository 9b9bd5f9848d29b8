import type { EventSinkResource } from '@flotilla/contract/event-sinks.ts';
import { EVENT_KINDS } from '@flotilla/contract/events.ts';
import { startBackend, type TestBackend } from '@flotilla/testing/backend.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';
import { keptBy, picture } from './open-console.ts';

const ON_CALL = 9_009;
const LONG_NAME = 'Отдел доставки и возвратов — مكتب الشحن — 配送サポート — Shipping and returns of the whole north';

let receiver: TestBackend;
let pager: FleetBot;
let desk: FleetBot;

const suite = consoleSuite({ apis: 1, workers: 1 });

beforeAll(async () => {
  const { fleet } = suite;
  receiver = await startBackend((_request, response) => void response.writeHead(503).end());
  pager = await fleet.addBot({ long_poll_enabled: true, silent_after_s: 0 }, { name: 'Pager' });
  desk = await fleet.addBot({ long_poll_enabled: true, silent_after_s: 1 }, { name: LONG_NAME });
  await fleet.control.createPerson({ id: ON_CALL, firstName: 'Ada' });
  await fleet.control.startBot({ person: ON_CALL, bot: pager.platformId });
  await fleet.control.startBot({ person: ON_CALL, bot: desk.platformId });
}, TEST_MS);
afterAll(async () => {
  await receiver?.stop();
});

const sinks = () => suite.fleet.rest<EventSinkResource[]>('/api/event-sinks');

test(
  'a chat is added as an event sink, a test reaches it, and the events of a bot are found',
  async () => {
    const { page, complaints } = await suite.openAsAdmin('events');
    const told = page.getByRole('region', { name: 'Event sinks' });
    await told.getByText('No event sinks yet').waitFor();
    await told.getByRole('button', { name: 'Add…' }).click();
    const form = page.getByRole('dialog', { name: 'Add event sink' });
    await form.getByRole('textbox', { name: 'Name' }).fill('On call');
    await form.getByRole('button', { name: 'Save' }).click();
    await waitFor(async () => (await form.getByText('This field is required.').count()) === 2);
    await form.getByRole('combobox', { name: 'Bot that writes' }).fill('Pager');
    await page.getByRole('option', { name: /Pager/ }).click();
    await form.getByRole('combobox', { name: 'Chat', exact: true }).fill(String(ON_CALL));
    await form.getByRole('button', { name: 'Save' }).press('Enter');
    await told.getByText('Nothing sent yet').waitFor();
    await told.getByRole('button', { name: 'Send a test' }).click();
    await told.getByText(/^Accepted in \d+ ms$/).waitFor();
    const { messages } = await suite.fleet.control.readChat({ person: ON_CALL, bot: pager.platformId });
    expect(messages.at(-1)?.text).toContain('This is a test');

    const list = page.getByRole('table', { name: 'Events' });
    const silent = list.getByRole('row').filter({ hasText: 'No program is polling' });
    // After its start a fleet tells of nobody as silent for half a minute.
    await silent.waitFor({ timeout: TEST_MS - 15_000 });
    await page.getByRole('combobox', { name: 'Type' }).selectOption('Bot added');
    await page.waitForURL('**/console/events?kind=bot.added');
    await silent.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Clear the filter' }).click();
    await silent.getByRole('link', { name: LONG_NAME }).press('Enter');
    await page.waitForURL(`**/bots/${desk.id}`);
    await page.getByText('Updates wait, and no program is polling').first().waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a URL shows its signing secret once, and says why it takes nothing; one is deleted after a question',
  async () => {
    const { page, complaints } = await suite.openAsAdmin('events');
    const told = page.getByRole('region', { name: 'Event sinks' });
    await told.getByRole('button', { name: 'Add…' }).click();
    const form = page.getByRole('dialog', { name: 'Add event sink' });
    await form.getByRole('textbox', { name: 'Name' }).fill('Desk');
    await form.getByRole('radio', { name: /^A URL/ }).check();
    await form.getByRole('textbox', { name: 'URL' }).fill(`${receiver.url}/events`);
    await form.getByRole('checkbox', { name: /^Only selected types/ }).check();
    await form.getByRole('checkbox', { name: 'Bot added' }).uncheck();
    await form.getByRole('button', { name: 'Save' }).click();
    const secret = page.getByRole('dialog', { name: 'Signing secret' });
    const text = (await secret.getByText(/^whsec_/).textContent())!;
    await page.keyboard.press('Escape');
    await secret.getByRole('button', { name: 'I have saved it' }).click();
    await secret.waitFor({ state: 'detached' });
    expect(await keptBy(page)).not.toContain(text);
    const row = told.getByRole('listitem').filter({ hasText: 'Desk' });
    await row.getByText(`${EVENT_KINDS.length - 1} types`).waitFor();
    await row.getByRole('button', { name: 'Send a test' }).click();
    await row.getByText('503').first().waitFor();
    await row.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    await waitFor(async () => (await sinks()).length === 1);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'what an event sink cannot be is said at its field, and nothing is sent without a change',
  async () => {
    const url = `${receiver.url}/events?key=of-the-desk`;
    const { id } = await suite.fleet.rest<EventSinkResource>('/api/event-sinks/add', {
      ...{ name: 'Northern', url, bot_ids: [pager.id, desk.id] },
    });
    const { page, complaints } = await suite.openAsAdmin('events');
    const sent: unknown[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/event-sinks/update')) sent.push(request.postDataJSON());
    });
    const row = page.getByRole('region', { name: 'Event sinks' }).getByRole('listitem').filter({ hasText: 'Northern' });
    await row.getByText('all events of 2 bots').waitFor();
    const edit = () => row.getByRole('button', { name: 'Edit… Northern' }).click();
    const form = page.getByRole('dialog', { name: 'Edit event sink' });
    const save = () => form.getByRole('button', { name: 'Save' }).click();
    const closed = () => form.waitFor({ state: 'detached' });
    await edit();
    await save();
    await closed();
    expect(sent).toEqual([]);

    await edit();
    const field = form.getByRole('textbox', { name: 'URL' });
    expect(await field.inputValue()).toContain('****');
    await field.press('End');
    await field.pressSequentially('2');
    await save();
    await form.getByText('A part of this URL is hidden').waitFor();
    await field.fill('ftp://example.com/');
    await save();
    await form.getByText('must begin with http').waitFor();
    await form.getByRole('checkbox', { name: /^Only selected types/ }).check();
    for (const kind of await form.getByRole('group', { name: 'Event types' }).getByRole('checkbox').all()) {
      await kind.uncheck();
    }
    await form.getByRole('radio', { name: /^A chat/ }).check();
    await save();
    await form.getByText('Choose at least one type.').waitFor();
    await waitFor(async () => (await form.getByText('This field is required.').count()) === 2);
    await form.getByRole('button', { name: 'Cancel' }).click();
    await closed();
    expect(sent).toEqual([{ id, url: 'ftp://example.com/' }]);
    // The refusal of the URL, which the browser reports too.
    expect(complaints).toEqual([expect.stringContaining('/api/event-sinks/update')]);
    await suite.fleet.rest('/api/event-sinks/delete', { id });
  },
  TEST_MS,
);

test(
  'a URL gets the audit log, without any events, until the switch is off again',
  async () => {
    const { page, complaints } = await suite.openAsAdmin('events');
    const told = page.getByRole('region', { name: 'Event sinks' });
    await told.getByRole('button', { name: 'Add…' }).click();
    const form = page.getByRole('dialog', { name: 'Add event sink' });
    await form.getByRole('textbox', { name: 'Name' }).fill('SIEM');
    await form.getByRole('checkbox', { name: /^Only selected types/ }).check();
    for (const kind of await form.getByRole('group', { name: 'Event types' }).getByRole('checkbox').all()) {
      await kind.uncheck();
    }
    expect(await form.getByRole('checkbox', { name: /^The audit log/ }).count()).toBe(0);
    await form.getByRole('radio', { name: /^A URL/ }).check();
    await form.getByRole('textbox', { name: 'URL' }).fill(`${receiver.url}/siem`);
    await form.getByRole('checkbox', { name: /^The audit log/ }).check();
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'Signing secret' }).getByRole('button', { name: 'I have saved it' }).click();
    const row = told.getByRole('listitem').filter({ hasText: 'SIEM' });
    await row.getByText('the audit log').waitFor();
    const stored = async () => (await sinks()).find(({ name }) => name === 'SIEM')!;
    expect(await stored()).toMatchObject({ audit: true, kinds: [] });
    await row.getByRole('button', { name: 'Edit… SIEM' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit event sink' });
    await edit.getByRole('checkbox', { name: /^The audit log/ }).uncheck();
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.getByText('Choose at least one type.').waitFor();
    await edit.getByRole('checkbox', { name: 'Bot added' }).check();
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.waitFor({ state: 'detached' });
    expect(await stored()).toMatchObject({ audit: false, kinds: ['bot.added'] });
    await suite.fleet.rest('/api/event-sinks/delete', { id: (await stored()).id });
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'an event has an address that opens it, with the ways to what it is about',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(`events?bot=${desk.id}&kind=poller.silent`);
    const list = page.getByRole('table', { name: 'Events' });
    await list.getByRole('link', { name: 'No program is polling' }).first().press('Enter');
    await page.waitForURL('**&open=*');
    const id = new URL(page.url()).searchParams.get('open')!;
    // In a list that does not have it.
    await page.goto(`${suite.fleet.url}/console/events?kind=key.created&open=${id}`);
    const details = page.getByRole('complementary', { name: 'No program is polling' });
    await details.getByText('Updates wait, and no program is polling').waitFor();
    await details.getByRole('link', { name: LONG_NAME }).waitFor();
    await picture(page, 'event');
    await details.getByRole('link', { name: 'Other events of the bot' }).click();
    await page.waitForURL(`**/events?bot=${desk.id}&from=*`);
    await list.getByText('Updates wait, and no program is polling').first().waitFor();
    await page.goBack();
    await details.getByRole('link', { name: 'Attempts to deliver' }).click();
    await page.waitForURL(`**/bots/${desk.id}/deliveries?state=attempts&since=*`);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'an address that names no kind of events shows all of them',
  async () => {
    const { page, complaints } = await suite.openAsAdmin('events?kind=bot.eaten');
    await page.getByRole('table', { name: 'Events' }).getByText('Bot added').first().waitFor();
    expect(await page.getByRole('combobox', { name: 'Type' }).inputValue()).toBe('');
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'events are found by their time, which the address keeps',
  async () => {
    const { page, complaints } = await suite.openAsAdmin('events?to=2020-01-01T00:00Z');
    await page.getByText('No events match the filter.').waitFor();
    await page.getByRole('combobox', { name: 'Period' }).selectOption('Last hour');
    await page.waitForURL('**/events?from=*');
    await page.getByRole('table', { name: 'Events' }).getByText('Bot added').first().waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

testLooks('events are accessible and fit the window', suite, async ({ page, signIn }, lookAt) => {
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(...ADMIN);
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  await page.goto(`${suite.fleet.url}/console/events`);
  await page.getByRole('row').filter({ hasText: 'No program is polling' }).waitFor();
  await lookAt('events');
  await page.getByRole('button', { name: 'Add…' }).click();
  await page.getByRole('radio', { name: /^A URL/ }).waitFor();
  await lookAt('event-sink');
  await page.goto(`${suite.fleet.url}/console/`);
  await page
    .getByRole('region', { name: 'Needs attention' })
    .getByText('Updates wait, and no program is polling')
    .waitFor();
  await lookAt('fleet-silent');
});
