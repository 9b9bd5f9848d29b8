import type { BotResource } from '@flotilla/contract/bots.ts';
import type { OutboxEntryResource } from '@flotilla/contract/outbox.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';
import { HOSTILE } from './hostile-names.ts';

const ADA = 9_021;
const HOUR_MS = 3_600_000;

let bot: FleetBot;
/** When the person began the chat. */
let begunAt: Date;

const suite = consoleSuite({ apis: 1, workers: 1 });

beforeAll(async () => {
  const { control } = suite.fleet;
  bot = await suite.fleet.addBot({}, { name: HOSTILE.word });
  await control.createPerson({ id: ADA, firstName: HOSTILE.arabic });
  await control.startBot({ person: ADA, bot: bot.platformId });
  begunAt = new Date();
  const isStored = async () =>
    (await suite.fleet.rest<unknown[]>(`/api/messages?bot_id=${bot.id}&chat_id=${ADA}`)).length > 0;
  await waitFor(isStored, { message: 'the chat' });
}, TEST_MS);
beforeEach(() => suite.database.db.deleteFrom('outbox').execute());

/** An entry in a state to which a worker would need minutes to bring it. */
async function insert(fields: object): Promise<number> {
  const { id } = await suite.database.db
    .insertInto('outbox')
    .values({
      ...{ bot_id: bot.id, chat_id: ADA, method: 'sendMessage', params: { chat_id: ADA, text: 'Hello' } },
      ...{ state: 'failed', created_by: { accountId: 1, username: 'admin' }, ...fields },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS);
const show = (id: number) => suite.fleet.rest<OutboxEntryResource>(`/api/outbox/show?id=${id}`);

/** One entry in each state; those that wait do so for an hour. */
async function insertEach(): Promise<Record<'scheduled' | 'resting' | 'failed' | 'doubted', number>> {
  const text = `<b>${HOSTILE.word}</b> & ${HOSTILE.cyrillic} <i>${HOSTILE.chinese}</i>`;
  const params = { chat_id: ADA, text, parse_mode: 'HTML' };
  const settled_at = new Date();
  const error = `Forbidden: bot was blocked by the user ${HOSTILE.word}`;
  await insert({ state: 'sent', settled_at, message_id: 2, attempts: 1, result: { message_id: 2, text: 'Hello' } });
  await insert({ state: 'cancelled', settled_at });
  await insert({ state: 'expired', settled_at, expires_at: settled_at, priority: 'bulk' });
  const lost = { error: 'The answer was lost', attempts: 1 };
  const tooMany = { error_code: 429, error: 'Too Many Requests: retry after 3600', attempts: 1 };
  return {
    scheduled: await insert({ state: 'scheduled', send_at: inHours(5), params, priority: 'critical' }),
    resting: await insert({ state: 'queued', next_attempt_at: inHours(1), ...tooMany }),
    failed: await insert({ state: 'failed', settled_at, error_code: 403, error, attempts: 1, params }),
    doubted: await insert({ state: 'in_doubt', ...{ created_at: begunAt, settled_at: begunAt }, ...lost }),
  };
}

test(
  'shows for what entries wait, filters them in the address, and cancels what is selected or matches',
  async () => {
    const { scheduled, resting } = await insertEach();
    const { page, complaints } = await suite.openAsAdmin(`bots/${bot.id}/outbox`);
    const table = page.getByRole('table', { name: 'Outbox' });
    await table.getByText('rate limited by Telegram until').waitFor();
    await table.getByText('403 Forbidden').waitFor();
    const tabs = page.getByRole('navigation', { name: 'Messages by state' });
    await tabs.getByRole('link', { name: 'Cancelled 1' }).waitFor();
    expect(await tabs.getByRole('link', { name: 'On hold' }).count()).toBe(0);
    await tabs.getByRole('link', { name: 'Scheduled 1' }).click();
    await page.getByText('1 matches').waitFor();
    expect(page.url()).toContain('state=scheduled');
    // Formatted texts are shown as people read them.
    await table.getByText(`${HOSTILE.word} & ${HOSTILE.cyrillic}`).waitFor();
    await page.getByRole('checkbox', { name: `Select entry ${scheduled}` }).check();
    await page.getByRole('button', { name: 'Cancel 1…' }).click();
    await page.getByRole('dialog', { name: 'Cancel 1 message?' }).waitFor();
    await page.getByRole('button', { name: 'Cancel sending' }).click();
    await page.getByText('1 message cancelled.').waitFor();
    expect((await show(scheduled)).state).toBe('cancelled');
    await page.getByRole('button', { name: 'Undo' }).click();
    await waitFor(async () => (await show(scheduled)).state === 'scheduled', { message: 'the restored entry' });

    await tabs.getByRole('link', { name: 'All 7' }).click();
    await page.getByRole('button', { name: 'Cancel queued: 2…' }).click();
    await page.getByRole('button', { name: 'Cancel sending' }).click();
    await waitFor(async () => (await show(resting)).state === 'cancelled', { message: 'the cancelled entry' });
    await page.getByLabel('Priority').selectOption('bulk');
    await page.getByText('1 matches').waitFor();
    expect(page.url()).toContain('priority=bulk');
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'what is held says why, leads to all of its author, and is released by an admin',
  async () => {
    const error = 'The token that handed it over was revoked';
    const created_by = { programId: 5, program: 'gone' };
    const far = { state: 'held', error, created_by, send_at: inHours(5) };
    const [first, second] = [await insert(far), await insert(far)];
    await insert({ state: 'held', error, send_at: inHours(5) });
    const { page, complaints } = await suite.openAsAdmin(`bots/${bot.id}/outbox/${first}`);
    const details = page.getByRole('complementary', { name: `Entry ${first}` });
    await details.getByText('Whoever added it may no longer send.').waitFor();
    await details.getByRole('link', { name: 'gone' }).click();
    await page.getByText('Added by gone').waitFor();
    await page.getByRole('navigation', { name: 'Messages by state' }).getByRole('link', { name: 'On hold 2' }).click();
    await page.getByRole('button', { name: 'Release all 2…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
    await page.getByText('2 messages released.').waitFor();
    expect([(await show(first)).state, (await show(second)).state]).toEqual(['scheduled', 'scheduled']);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'what is in doubt stands beside what the chat shows, and is sent again only after a warning',
  async () => {
    const { doubted } = await insertEach();
    const { page, complaints } = await suite.openAsAdmin(`bots/${bot.id}/outbox/${doubted}`);
    const details = page.getByRole('complementary', { name: `Entry ${doubted}` });
    const around = details.getByRole('region', { name: 'What the chat shows' });
    await around.getByText('/start').waitFor();
    await details.getByText('It may have been sent, so it is not retried automatically.').waitFor();
    await details.getByRole('button', { name: 'Send again…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send 1 message again?' });
    await dialog.getByText('It may already have been sent.').waitFor();
    await dialog.getByText('/start').waitFor();
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await details.getByText('1 message queued again.').waitFor();
    expect((await show(doubted)).state).not.toBe('in_doubt');
    await page.keyboard.press('Escape');
    await page.waitForURL(/\/outbox(\?|$)/);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'all that failed is sent again by its state, with the count before; a row opens by keyboard',
  async () => {
    const { failed } = await insertEach();
    const { page, complaints } = await suite.openAsAdmin('outbox?state=failed');
    await page.getByRole('button', { name: 'Send 1 again…' }).click();
    await page.getByRole('dialog', { name: 'Send 1 message again?' }).waitFor();
    await page.getByRole('button', { name: 'Send again', exact: true }).click();
    await page.getByText('1 message queued again.').waitFor();
    expect((await show(failed)).state).not.toBe('failed');
    await page.goto(`${suite.fleet.url}/console/outbox?state=expired`);
    await page.getByRole('table', { name: 'Outbox' }).getByText('Hello').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/outbox\/\d+\?state=expired/);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'what is sent by its worker is shown without a reload',
  async () => {
    const { page } = await suite.openAsAdmin(`bots/${bot.id}/outbox`);
    await page.getByText('Nothing here yet').waitFor();
    await suite.fleet.rest('/api/outbox/add', {
      ...{ bot_id: bot.id, method: 'sendMessage', params: { chat_id: ADA, text: 'Your order is ready' } },
    });
    const row = page.getByRole('table', { name: 'Outbox' }).getByRole('row').filter({ hasText: 'Your order is ready' });
    await row.getByText('Sent', { exact: true }).waitFor();
    await row.getByRole('link').click();
    await page.getByRole('link', { name: 'To the message' }).click();
    await page.locator('.feed').getByText('Your order is ready').waitFor();
  },
  TEST_MS,
);

test(
  'who sees other bots sees none of these entries, also by their address',
  async () => {
    const { failed } = await insertEach();
    const user = { username: 'outsider', password: 'a password of an outsider', role: 'user', bot_ids: [] };
    await suite.fleet.rest('/api/auth/users/add', user);
    const { page, signIn } = await suite.open('outbox');
    await signIn(user.username, user.password);
    await page.getByText('Nothing here yet').waitFor();
    await page.goto(`${suite.fleet.url}/console/outbox/${failed}`);
    await page.getByText('There is no such entry, or it is not among yours.').waitFor();
  },
  TEST_MS,
);

test(
  'the pace of the outbox is a setting of the bot; a pace of nothing is refused at its field',
  async () => {
    const { page } = await suite.openAsAdmin(`bots/${bot.id}/settings`);
    const field = page.getByLabel('Outbox: messages a second in all');
    await field.fill('0');
    await page.getByRole('button', { name: 'Save' }).click();
    await waitFor(async () => (await field.getAttribute('aria-invalid')) === 'true', { message: 'the fault' });
    await field.fill('10');
    await page.getByRole('button', { name: 'Save' }).click();
    const isSaved = async () => {
      const { pace } = await suite.fleet.rest<BotResource>(`/api/bots/show?id=${bot.id}`);
      return pace.per_second === 10 && pace.per_group_minute === 20;
    };
    await waitFor(isSaved, { message: 'the pace' });
  },
  TEST_MS,
);

testLooks('the outbox is accessible and fits the window', suite, async ({ page, signIn }, lookAt) => {
  const { doubted } = await insertEach();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(...ADMIN);
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  await page.goto(`${suite.fleet.url}/console/bots/${bot.id}/outbox`);
  await page.getByText('The answer was lost').waitFor();
  await lookAt('outbox-of-bot');
  await page.goto(`${suite.fleet.url}/console/outbox`);
  await page.getByText('The answer was lost').waitFor();
  await lookAt('outbox');
  await page.goto(`${suite.fleet.url}/console/outbox/${doubted}`);
  await page.getByRole('region', { name: 'What the chat shows' }).getByText('/start').waitFor();
  await lookAt('outbox-entry');
  await page.getByRole('button', { name: 'Send again…' }).click();
  await page.getByRole('dialog').getByText('/start').waitFor();
  await lookAt('outbox-resend');
});
