import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';
import { keptBy, picture, tabTo } from './open-console.ts';

const GRACE = ['grace', 'the password of grace'] as const;
const ADA = { id: 4242, firstName: 'Ada' };
/** Chromium reports each refusal as an error of the page; here they are what a person learns from. */
const REFUSED = /\/api\/programs\/(add|update|tokens\/add)|\/api\/bots\/show/;

const suite = consoleSuite({ apis: 1, workers: 1 });
const { open, openAsAdmin } = suite;
const unexpected = (complaints: string[]) => complaints.filter((line) => !REFUSED.test(line));
let desk: FleetBot;
let shop: FleetBot;

beforeAll(async () => {
  const { fleet } = suite;
  desk = await fleet.addBot(
    { long_poll_enabled: true, manage_enabled: true },
    { name: 'Help desk', username: 'helpdesk_bot' },
  );
  shop = await fleet.addBot({}, { name: 'Shop EU', username: 'shop_eu_bot' });
  const grace = { username: GRACE[0], password: GRACE[1], display_name: 'Grace', role: 'user', bot_ids: [shop.id] };
  await fleet.rest('/api/auth/users/add', grace);
  await fleet.control.createPerson(ADA);
  await fleet.control.startBot({ person: ADA.id, bot: desk.platformId });
  // The chat is picked by its name from the history.
  const chats = () => fleet.rest<unknown[]>(`/api/chats?bot_id=${desk.id}&q=ada`);
  await waitFor(async () => (await chats()).length === 1, { timeoutMs: 60_000 });
}, TEST_MS);

type Called = { status: number; json: { ok: boolean; description?: string; result?: { username?: string } } };

async function callWith(token: string, method: string, fields: object = {}): Promise<Called> {
  const answer = await fetch(`${suite.fleet.url}/tgapi/bot${token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  });
  return { status: answer.status, json: (await answer.json()) as Called['json'] };
}

test(
  'by keyboard a program is added, calls with its token as far as it may, and is refused when the token is revoked',
  async () => {
    const { page, complaints } = await openAsAdmin(`bots/${desk.id}`);
    await page.getByRole('heading', { name: 'Help desk' }).waitFor();
    await tabTo(page, 'Programs');
    await page.keyboard.press('Enter');
    await page.getByText('No programs yet').waitFor();
    await tabTo(page, 'Add program');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'What it sees' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Enter a name.').waitFor();
    await page.keyboard.type('n8n <b>');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'What it can do' }).waitFor();
    await tabTo(page, 'Edit and delete messages');
    await page.keyboard.press('Space');
    await tabTo(page, 'Other methods');
    await page.keyboard.type('fly_to_the_moon');
    await page.keyboard.press('Enter');
    const others = page.getByLabel('Other methods, by name');
    await page.getByText('not: fly_to_the_moon').waitFor();
    expect(await others.getAttribute('aria-invalid')).toBe('true');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await tabTo(page, 'In all chats of the bot');
    await page.keyboard.press('ArrowDown');
    await tabTo(page, 'Add chat');
    await page.keyboard.type('Ada');
    await page.getByRole('option', { name: 'Ada' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Without Ada' }).waitFor();
    await picture(page, 'program-rights');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Connect n8n <b>' }).waitFor();
    const token = (await page.locator('code.secret').textContent())!;
    expect(token).toMatch(/^\d+:fv[\w-]{33}$/);
    const file = page.getByRole('region', { name: 'bot.mjs' });
    await file.getByText(`new Bot(token, { client: { apiRoot: '${suite.fleet.url}/tgapi' } })`).waitFor();

    expect(await callWith(token, 'getMe')).toMatchObject({
      status: 200,
      json: { result: { username: 'helpdesk_bot' } },
    });
    expect(await callWith(token, 'sendMessage', { chat_id: ADA.id, text: 'hello' })).toMatchObject({ status: 200 });
    expect(await callWith(token, 'deleteMessage', { chat_id: ADA.id, message_id: 1 })).toMatchObject({ status: 403 });
    expect(await callWith(token, 'sendMessage', { chat_id: 5, text: 'hello' })).toMatchObject({ status: 403 });

    await tabTo(page, 'I have saved it');
    await page.keyboard.press('Enter');
    const details = page.getByRole('complementary', { name: 'n8n <b>' });
    await details.getByText('Can call: Read, Send').waitFor();
    await details.getByText('Only in chats Ada', { exact: true }).waitFor();
    await details.getByText('Last use').waitFor();
    await details.getByText('by admin').waitFor();
    const refused = details.getByRole('region', { name: 'Recently refused' });
    await refused.getByText('deletemessage').waitFor();
    await refused.getByText('Not one of its chats: 5').waitFor();
    await picture(page, 'program-refusals');
    expect(await keptBy(page)).not.toContain(token);

    await tabTo(page, 'Revoke the token n8n <b>');
    await page.keyboard.press('Enter');
    const asking = page.getByRole('dialog', { name: 'Revoke the token n8n <b>?' });
    await asking.getByText('within 5 s').waitFor();
    await picture(page, 'program-revoke');
    await tabTo(page, 'Revoke');
    await page.keyboard.press('Enter');
    await details.getByText('It stops working everywhere within 5 s.').waitFor();
    await waitFor(async () => (await callWith(token, 'getMe')).status === 401, { timeoutMs: 30_000 });
    await asking.waitFor({ state: 'detached' });
    await waitFor(() => page.evaluate<boolean>('document.activeElement.textContent === "Create token"'));
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });

    await page.goto(`${suite.fleet.url}/console/inbox/${desk.id}/${ADA.id}`);
    const sent = page.locator('[data-message]').filter({ hasText: 'hello' });
    await sent.locator('.sender').getByText('n8n <b>').waitFor();
    await picture(page, 'message-of-program');
    expect(unexpected(complaints)).toEqual([]);
  },
  2 * TEST_MS,
);

test(
  'a program is paused and resumed, edited with refusals at its fields, and deleted; the page goes on after a lost connection',
  async () => {
    const { fleet } = suite;
    const [taken, own] = await Promise.all(
      ['analytics', 'archive'].map((name) =>
        fleet.rest<{ id: number }>('/api/programs/add', { bot_id: desk.id, name, kinds: ['message', 'poll'] }),
      ),
    );
    const { page, context, complaints } = await openAsAdmin(`bots/${desk.id}/programs`);
    const table = page.getByRole('table', { name: 'Programs' });
    await table.getByText('Pollers with the bot’s token').waitFor();
    await table.getByRole('link', { name: 'archive' }).focus();
    await page.keyboard.press('Enter');
    const details = page.getByRole('complementary', { name: 'archive' });
    await details.getByText('New messages, Polls').waitFor();
    await details.getByText('No token').waitFor();
    await details.getByRole('button', { name: 'Pause' }).press('Enter');
    await details.getByText('Paused').waitFor();
    expect(await fleet.rest(`/api/programs/show?id=${own!.id}`)).toMatchObject({ enabled: false });
    await details.getByRole('button', { name: 'Resume' }).press('Enter');
    await details.getByRole('button', { name: 'Pause' }).waitFor();

    await details.getByRole('button', { name: 'Edit…' }).press('Enter');
    const form = page.getByRole('dialog', { name: 'Edit program' });
    const name = form.getByLabel('Name', { exact: true });
    await name.fill('analytics');
    await page.keyboard.press('Enter');
    await form.getByText('Another program of this bot has this name.').waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await name.fill('archive <i>');
    await form.getByLabel('Polls', { exact: true }).uncheck();
    await form.getByLabel('New messages', { exact: true }).uncheck();
    await form.getByText('Choose at least one type.').waitFor();
    await form.getByLabel('Take only chosen kinds of updates').uncheck();
    await form.getByLabel('Only those that match').check();
    await form.getByText('Give a condition, or choose all.').waitFor();
    const expression = form.getByLabel('Its text matches this expression');
    await expression.fill('a(');
    await form.getByLabel('Begins with one of these commands').fill('/stats, report');
    await form.getByLabel('Take exclusively').check();
    await form.getByLabel('Order').fill('7');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.locator('[aria-invalid]').waitFor();
    expect(await expression.getAttribute('aria-invalid')).toBe('true');
    await expression.fill('');
    await context.setOffline(true);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('cannot be reached').waitFor();
    await context.setOffline(false);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    const renamed = page.getByRole('complementary', { name: 'archive <i>' });
    await renamed.getByText('default types; /stats or /report; takes them alone').waitFor();
    const filtered = { filter: { commands: ['stats', 'report'] }, exclusive: true, order: 7 };
    expect(await fleet.rest(`/api/programs/show?id=${own!.id}`)).toMatchObject({
      ...{ name: 'archive <i>', kinds: [], ...filtered },
    });

    await renamed.getByRole('button', { name: 'Delete…' }).press('Enter');
    const asking = page.getByRole('dialog', { name: 'Delete the program archive <i>?' });
    await asking.getByText('stop working within 5 s').waitFor();
    await asking.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
    await renamed.waitFor({ state: 'detached' });
    await table.getByRole('link', { name: 'archive <i>' }).waitFor({ state: 'detached' });
    await table.getByRole('link', { name: 'analytics' }).waitFor();
    await page.goto(`${fleet.url}/console/bots/${desk.id}`);
    await page.getByRole('link', { name: 'Program: analytics' }).waitFor();
    await fleet.rest('/api/programs/delete', { id: taken!.id });
    const offline = /ERR_INTERNET_DISCONNECTED/;
    expect(unexpected(complaints).filter((line) => !offline.test(line))).toEqual([]);
  },
  TEST_MS,
);

test(
  'an edited program keeps what somebody else changed meanwhile',
  async () => {
    const { fleet } = suite;
    const added = { bot_id: desk.id, name: 'mirror', kinds: ['message', 'poll'], filter: { commands: ['stats'] } };
    const { id } = await fleet.rest<{ id: number }>('/api/programs/add', { ...added, exclusive: true });
    const { page, complaints } = await openAsAdmin(`bots/${desk.id}/programs`);
    await page.getByRole('link', { name: 'mirror' }).click();
    await page.getByRole('complementary', { name: 'mirror' }).getByRole('button', { name: 'Edit…' }).click();
    const form = page.getByRole('dialog', { name: 'Edit program' });
    await form.getByLabel('Name', { exact: true }).fill('copy');
    const changed = { kinds: ['message'], filter: { commands: ['help'] }, exclusive: false };
    await fleet.rest('/api/programs/update', { id, ...changed });
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await fleet.rest(`/api/programs/show?id=${id}`)).toMatchObject({ name: 'copy', ...changed });
    await fleet.rest('/api/programs/delete', { id });
    expect(unexpected(complaints)).toEqual([]);
  },
  TEST_MS,
);

test(
  'a link binds the chat of a person to a program, whose page lists it and unbinds it',
  async () => {
    const { fleet } = suite;
    const added = { bot_id: desk.id, name: 'tenant', filter: { bound_only: true } };
    const { id } = await fleet.rest<{ id: number }>('/api/programs/add', added);
    const { page, complaints } = await openAsAdmin(`bots/${desk.id}/programs`);
    await page.getByRole('link', { name: 'tenant' }).click();
    const details = page.getByRole('complementary', { name: 'tenant' });
    await details.getByText('No chat is bound by a link.').waitFor();
    await details.getByRole('button', { name: 'Create link' }).click();
    const dialog = page.getByRole('dialog', { name: 'New link' });
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const link = await dialog.locator('code.secret').first().textContent();
    const token = new URL(link ?? '').searchParams.get('start');
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    await fleet.control.sendMessage({ person: ADA.id, bot: desk.platformId, text: `/start ${token}` });
    await waitFor(async () => (await fleet.rest<unknown[]>(`/api/programs/chats?program_id=${id}`)).length === 1);
    await page.reload();
    await details.getByRole('button', { name: 'Unbind Ada' }).click();
    await page.getByRole('dialog', { name: 'Unbind Ada?' }).getByRole('button', { name: 'Unbind' }).click();
    await details.getByText('No chat is bound by a link.').waitFor();
    await fleet.rest('/api/programs/delete', { id });
    expect(unexpected(complaints)).toEqual([]);
  },
  TEST_MS,
);

test(
  'a token, or a change, by which others would lose updates is refused at its field',
  async () => {
    const { fleet } = suite;
    const { id } = await fleet.rest<{ id: number }>('/api/programs/add', { bot_id: shop.id, name: 'shared' });
    await fleet.rest('/api/programs/tokens/add', { program_id: id, name: 'agency', chats: [5] });
    const { page, complaints } = await openAsAdmin(`bots/${shop.id}/programs`);
    await page.getByRole('link', { name: 'shared' }).click();
    const details = page.getByRole('complementary', { name: 'shared' });
    await details.getByRole('button', { name: 'Create token' }).click();
    const token = page.getByRole('dialog', { name: 'Create token' });
    await token.getByLabel('Token name').fill('other');
    await token.getByRole('button', { name: 'Create token' }).click();
    await token.getByText('must be those of the token "agency"').waitFor();
    await token.getByRole('button', { name: 'Cancel' }).click();
    await token.waitFor({ state: 'detached' });
    await details.getByRole('button', { name: 'Edit…' }).click();
    const form = page.getByRole('dialog', { name: 'Edit program' });
    await form.getByLabel('Take exclusively').check();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('its token "agency" confirms without seeing them').waitFor();
    await fleet.rest('/api/programs/delete', { id });
    expect(unexpected(complaints)).toEqual([]);
  },
  TEST_MS,
);

test(
  'an account makes programs and tokens of its own bots, and sees nothing of another bot, also by address',
  async () => {
    const foreign = await suite.fleet.rest<{ id: number }>('/api/programs/add', {
      bot_id: desk.id,
      name: 'secret one',
    });
    const { page, signIn, complaints } = await open(`bots/${shop.id}/programs?view=add`);
    await signIn(...GRACE);
    await page.getByLabel('Name', { exact: true }).fill('agency');
    await page.keyboard.press('Enter');
    await page.getByLabel('Everything your role can').check();
    await page.getByRole('button', { name: 'Add program' }).click();
    await page.getByText(`apiRoot: '${suite.fleet.url}/tgapi' } })`).first().waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    const leaving = page.getByRole('dialog', { name: 'Leave without saving it?' });
    await leaving.getByRole('button', { name: 'Stay here' }).click();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText(/^Can call: .*setWebhook/).waitFor();

    for (const path of [`bots/${desk.id}/programs`, `bots/${desk.id}/programs?open=${foreign.id}`]) {
      await page.goto(`${suite.fleet.url}/console/${path}`);
      await page.getByText('There is no such bot, or it is not among yours.').waitFor();
      expect(await page.content()).not.toContain('secret one');
    }
    await page.goto(`${suite.fleet.url}/console/bots/${shop.id}/programs?open=${foreign.id}`);
    await page.getByRole('link', { name: 'agency' }).waitFor();
    expect(await page.content()).not.toContain('secret one');
    await suite.fleet.rest('/api/programs/delete', { id: foreign.id });
    expect(unexpected(complaints)).toEqual([]);
  },
  TEST_MS,
);

test(
  'a program with a webhook is refused a forbidden URL at its field, and gets a secret that signs, shown once',
  async () => {
    const bot = await suite.fleet.addBot({}, { name: 'Relay' });
    const { page, complaints } = await openAsAdmin(`bots/${bot.id}/programs?view=add`);
    await page.getByLabel('Name', { exact: true }).fill('relay');
    await page.getByLabel('Webhook').check();
    const url = page.getByLabel('Backend URL');
    await url.fill('http://169.254.169.254/latest');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'Add program' }).click();
    await page.getByText('which is never allowed').waitFor();
    expect(await url.getAttribute('aria-invalid')).toBe('true');
    await url.fill('https://bots.example.com/hook?key=a-secret-query');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add program' }).click();
    await page.getByText('setWebhook changes that URL').waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    const details = page.getByRole('complementary', { name: 'relay' });
    await details.getByText('bots.example.com').waitFor();
    expect(await page.content()).not.toContain('a-secret-query');

    await details.getByRole('button', { name: 'Sign deliveries…' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Sign deliveries' }).press('Enter');
    const once = page.getByRole('dialog', { name: 'Signing secret' });
    const secret = (await once.locator('code').textContent())!;
    expect(secret).toMatch(/^whsec_/);
    await picture(page, 'program-signing');
    await once.getByRole('button', { name: 'I have saved it' }).press('Enter');
    await details.getByText('Deliveries are signed').waitFor();
    expect(await keptBy(page)).not.toContain(secret);
    await details.getByRole('button', { name: 'Stop signing…' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Stop signing' }).press('Enter');
    await details.getByText('Deliveries are not signed.').waitFor();
    await picture(page, 'program-of-webhook');
    expect(unexpected(complaints)).toEqual([]);
  },
  TEST_MS,
);

const LONG = 'A workflow with a rather long name that somebody gave it in n8n';

testLooks('programs and their tokens are accessible and fit the window', suite, async ({ page, signIn }, lookAt) => {
  const { fleet } = suite;
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const bot = await fleet.addBot({ long_poll_enabled: true }, { name: 'Orders' });
  await signIn(...ADMIN);
  await page.getByRole('heading', { name: 'Fleet' }).waitFor();
  await page.goto(`${fleet.url}/console/bots/${bot.id}/programs`);
  await page.getByText('No programs yet').waitFor();
  await lookAt('programs-empty');
  await page.getByRole('button', { name: 'Add program' }).click();
  await page.getByRole('heading', { name: 'What it sees' }).waitFor();
  await page.getByLabel('Take only chosen kinds of updates').check();
  await lookAt('program-sees');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Enter a name.').waitFor();
  await page.getByLabel('Name', { exact: true }).fill(LONG);
  await page.getByLabel('Take only chosen kinds of updates').uncheck();
  await page.getByLabel('Webhook').check();
  await page.getByLabel('Only those that match').check();
  await page.getByLabel('Take exclusively').check();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('needs a URL.').waitFor();
  await page.getByText('Give a condition').waitFor();
  await page.getByLabel('Order').scrollIntoViewIfNeeded();
  await lookAt('program-filter');
  await page.getByLabel('Polling').check();
  await page.getByLabel('Begins with one of these commands').fill('/stats');
  await page.getByLabel('Take exclusively').uncheck();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByLabel('Only in these').check();
  await page.getByLabel('Calls per second').fill('x');
  await page.getByRole('button', { name: 'Add program' }).click();
  await page.getByText('Enter a whole number above 0.').waitFor();
  await page.evaluate('window.scrollTo(0, 0)');
  await lookAt('program-may');
  await page.getByLabel('In all chats of the bot').check();
  await page.getByLabel('Calls per second').fill('5');
  await page.getByRole('button', { name: 'Add program' }).click();
  await page.getByText('gramio', { exact: true }).waitFor();
  await page.evaluate('window.scrollTo(0, 0)');
  await lookAt('program-connect');
  await page.getByRole('button', { name: 'I have saved it' }).click();
  const details = page.getByRole('complementary', { name: LONG });
  await details.getByText('At most 5 a second').waitFor();
  await details.getByText('Nothing refused').waitFor();
  await lookAt('program-details');
  await details.getByRole('button', { name: 'Create token' }).click();
  await page.getByLabel('Token name').waitFor();
  await lookAt('token-form');
  await page.keyboard.press('Escape');
  await details.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').waitFor();
  await lookAt('token-revoke');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await details.waitFor({ state: 'detached' });
  for (const name of ['analytics', 'archive', 'test']) {
    await fleet.rest('/api/programs/add', {
      bot_id: bot.id,
      name,
      kinds: ['message', 'poll', 'callback_query'],
      enabled: name !== 'test',
    });
  }
  await page.reload();
  await page.getByRole('link', { name: 'archive' }).waitFor();
  await lookAt('programs');
});

test(
  'in Russian on a phone, every text of the three steps and of a program is Russian and fits',
  async () => {
    const { fleet } = suite;
    const bot = await fleet.addBot({ long_poll_enabled: true }, { name: 'Заказы' });
    const one = await open('', { locale: 'ru-RU', viewport: { width: 390, height: 844 } });
    const { page, complaints } = one;
    const fits = async (name: string) => {
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      expect({ screen: name, faults: await one.faults() }).toEqual({ screen: name, faults: [] });
      await picture(page, name);
    };
    await page.getByLabel('Имя пользователя').fill(ADMIN[0]);
    await page.getByLabel('Пароль', { exact: true }).fill(ADMIN[1]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Флот' }).waitFor();
    await page.goto(`${fleet.url}/console/bots/${bot.id}/programs`);
    await page.getByText('Программ пока нет').waitFor();
    // All tabs together are wider than the phone.
    const { x, width } = (await page.locator('nav.tabs [aria-current]').boundingBox())!;
    expect([x >= 0, x + width <= 390]).toEqual([true, true]);
    await page.getByRole('button', { name: 'Добавить программу' }).click();
    await page.getByLabel('Название', { exact: true }).fill('Отчёты');
    await page.getByLabel('Только подходящие').check();
    // A token that polls has all chats in which its program takes updates alone.
    await page.getByRole('combobox', { name: 'В одном из этих чатов' }).fill('-1001');
    await page.getByRole('option', { name: /^-1001/ }).click();
    await page.getByLabel('Начинается с одной из команд').fill('/stats');
    await page.getByLabel('Забирать их только себе').check();
    await fits('ru-program-sees');
    await page.getByRole('button', { name: 'Далее' }).click();
    await page.getByLabel('Только в этих').check();
    await page.getByRole('combobox', { name: 'Добавить чат' }).fill('-1001');
    await page.getByRole('option', { name: /^-1001/ }).click();
    await page.getByLabel('Вызовов в минуту').fill('60');
    await fits('ru-program-may');
    await page.getByRole('button', { name: 'Добавить программу' }).click();
    await page.getByText('gramio', { exact: true }).waitFor();
    await fits('ru-program-connect');
    await page.getByRole('button', { name: 'Сохранено' }).click();
    await page.getByText('Не больше 60 в минуту').waitFor();
    await fits('ru-program-details');
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);
