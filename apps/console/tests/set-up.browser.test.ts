import { startBackend } from '@flotilla/testing/backend.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { expect, test } from '@jest/globals';
import { ADMIN, consoleSuite, TEST_MS, testLooks } from './console-suite.ts';
import { keptBy, picture, tabTo } from './open-console.ts';

const GRACE = ['grace', 'the password of grace'] as const;
const ADA = { id: 4242, firstName: 'Ada' };
const SECRET = 'AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0';
const METADATA = 'http://169.254.169.254/latest';
/** Chromium reports each refusal as an error of the page; here they are what a person learns from. */
const REFUSED = /\/api\/bots\/(validate|add|update|show)/;

const suite = consoleSuite({ apis: 1, workers: 1 });
const { open, openAsAdmin } = suite;
const unexpected = (complaints: string[]) => complaints.filter((line) => !REFUSED.test(line));

testLooks('an empty installation is accessible and fits the window', suite, async ({ page, signIn }, lookAt) => {
  await signIn(...ADMIN);
  await page.getByRole('link', { name: 'Add the first bot' }).waitFor();
  await lookAt('fleet-empty');
  await page.getByRole('link', { name: 'Add the first bot' }).click();
  await page.getByLabel('Token', { exact: true }).fill('12 34');
  await page.getByText('A token looks like 123456:secret').waitFor();
  await page.getByRole('radio', { name: 'Webhook' }).check();
  await page.getByLabel('Backend URL').waitFor();
  await lookAt('add-bot');
});

test(
  'an empty installation leads by keyboard from a token to the first update, and keeps the token nowhere',
  async () => {
    const { control, url } = suite.fleet;
    const known = await control.createBot({ token: `7700000001:${SECRET}`, name: 'Guide', username: 'guide_bot' });
    await control.createPerson(ADA);
    const { page, answers, complaints } = await openAsAdmin();
    await page.getByText('No bots yet').waitFor();
    await tabTo(page, 'Add the first bot');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Add bot' }).waitFor();
    await tabTo(page, 'Token');
    await page.keyboard.type('my token');
    await page.getByText('A token looks like 123456:secret').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(`7700000002:${SECRET}`);
    await page.getByText('Telegram refused this bot token').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(known.token);
    await page.getByText('This is Guide @guide_bot').waitFor();

    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.keyboard.type(METADATA);
    await page.keyboard.press('Enter');
    await page.getByText('which is never allowed').waitFor();
    expect(await page.getByLabel('Backend URL').getAttribute('aria-invalid')).toBe('true');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowUp');
    const added = page.waitForResponse('**/api/bots/add');
    await page.keyboard.press('Enter');
    await added;
    const later: string[] = [];
    page.on('request', (request) => later.push(`${request.url()} ${request.postData() ?? ''}`));

    await page.getByRole('heading', { name: 'Connect the program of Guide' }).waitFor();
    const file = page.getByRole('region', { name: 'bot.mjs' });
    await file.getByText(`new Bot(token, { client: { apiRoot: '${url}/tgapi' } })`).waitFor();
    expect(await page.getByRole('tab').count()).toBe(13);
    await page.getByText("BOT_TOKEN='7700000001:••••••••' node bot.mjs").waitFor();
    await page.getByText('Waiting for the first update…').waitFor();
    await picture(page, 'add-bot-waiting');
    await control.startBot({ person: ADA.id, bot: known.id, quietly: true });
    await control.sendMessage({ person: ADA.id, bot: known.id, text: 'Hello <img src=x>' });
    await page.getByText('The first update has arrived.').waitFor({ timeout: 60_000 });
    await page.getByText('Hello <img src=x>').waitFor({ timeout: 60_000 });
    await page.getByText('1 update waits for the program.').waitFor({ timeout: 60_000 });
    expect(await page.getByText('Your program accepted it').count()).toBe(0);
    const poll = async (offset: number) => {
      const answer = await fetch(`${url}/tgapi/bot${known.token}/getUpdates?offset=${offset}&timeout=0`);
      return (await answer.json()) as { result: { update_id: number }[] };
    };
    const polled = await poll(0);
    await poll(polled.result.at(-1)!.update_id + 1);
    await page.getByText('Your program accepted it.').waitFor({ timeout: 30_000 });
    await tabTo(page, 'Open bot');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Guide' }).waitFor();

    expect(await suite.fleet.rest('/api/bots')).toMatchObject([{ long_poll_enabled: true, proxy_enabled: false }]);
    const network = [...answers.map(({ text }) => text), ...later].join();
    for (const text of [await keptBy(page), network]) expect(text).not.toContain(SECRET);
    expect(unexpected(complaints)).toEqual([]);
  },
  TEST_MS,
);

test(
  'programs are chosen by keyboard and remembered, copied with the token while the page is open, and cut to the API root for a backend',
  async () => {
    const { control, rest, url } = suite.fleet;
    const known = await control.createBot({ token: `7700000003:${SECRET}`, name: 'Copied' });
    const { page, context, complaints } = await openAsAdmin('bots/add');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = async (name: string) => {
      await page.getByRole('button', { name }).click();
      await page.getByText('Copied', { exact: true }).first().waitFor();
      return page.evaluate('navigator.clipboard.readText()');
    };
    await page.getByLabel('Token', { exact: true }).fill(known.token);
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'grammY' }).waitFor();
    await tabTo(page, 'grammY');
    await page.keyboard.press('ArrowRight');
    await page.getByText("import { Telegraf } from 'telegraf';").waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.getByText('openclaw gateway').waitFor();
    expect(await copied('Copy: Give it the token.')).toBe(
      `openclaw channels add --channel telegram --token '${known.token}'`,
    );
    const [bot] = await rest<{ id: number }[]>('/api/bots?q=Copied');
    expect(await keptBy(page)).not.toContain(SECRET);
    await page.reload();
    await page.getByRole('tab', { name: 'OpenClaw', selected: true }).waitFor();
    expect(await copied('Copy: Give it the token.')).toBe("openclaw channels add --channel telegram --token '<token>'");

    await rest('/api/bots/update', { id: bot!.id, long_poll_enabled: false });
    await page.reload();
    await page.getByText('This points the program to Flotilla:').waitFor();
    expect(await page.getByText('openclaw gateway').count()).toBe(0);
    await page.getByRole('tab', { name: 'aiogram' }).click();
    expect(await page.getByRole('region', { name: 'bot.py' }).textContent()).toBe(
      `session=AiohttpSession(api=TelegramAPIServer.from_base("${url}/tgapi")),\n`,
    );
    expect(unexpected(complaints)).toEqual([]);
    await rest('/api/bots/delete', { id: bot!.id });
  },
  TEST_MS,
);

test(
  'the first update of a bot with a backend says how long after it came the program took it',
  async () => {
    const { fleet } = suite;
    const backend = await startBackend();
    const bot = await fleet.addBot({ proxy_enabled: true, backend_url: `${backend.url}/hook` }, { name: 'Pushed' });
    try {
      await fleet.control.createPerson({ id: 4_711 });
      await fleet.control.startBot({ person: 4_711, bot: bot.platformId });
      await backend.waitForRequests(1, 30_000);
      const { page, complaints } = await openAsAdmin(`bots/add?bot=${bot.id}`);
      await page.getByText(/^Your program accepted it [\d,]+ ms later\.$/).waitFor({ timeout: 60_000 });
      await picture(page, 'add-bot-taken');
      expect(complaints).toEqual([]);
    } finally {
      await fleet.rest('/api/bots/delete', { id: bot.id });
      await backend.stop();
    }
  },
  TEST_MS,
);

test(
  'the settings send only what was changed, show a refusal at its field, and ask before they are left unsaved',
  async () => {
    const bot = await suite.fleet.addBot({ long_poll_enabled: true, secret_token: 'kept-secret' }, { name: 'Shop EU' });
    const { page, complaints } = await openAsAdmin(`bots/${bot.id}/settings`);
    await page.getByLabel('Name', { exact: true }).fill('Shop <b>');
    await page.getByLabel('Backend URL').fill(METADATA);
    await page.getByRole('spinbutton', { name: 'Parallel updates' }).fill('500');
    await page.keyboard.press('Control+s');
    const connections = page.getByRole('spinbutton', { name: 'Parallel updates' });
    await page.locator('input[type=number][aria-invalid]').waitFor();
    await connections.fill('8');
    const silentAfter = page.getByRole('spinbutton', { name: 'Silent after (seconds)' });
    await silentAfter.fill('');
    await page.keyboard.press('Control+s');
    await page.getByText('must be an integer from 0 to 86400').waitFor();
    await silentAfter.fill('300');
    await page.keyboard.press('Control+s');
    await page.getByText('which is never allowed').waitFor();
    const url = page.getByLabel('Backend URL');
    expect(await url.getAttribute('aria-invalid')).toBe('true');
    const note = page.locator(`[id="${await url.getAttribute('aria-describedby')}"]`);
    expect(await note.textContent()).toContain('which is never allowed');
    await waitFor(
      async () => (await page.evaluate('document.activeElement.labels?.[0]?.textContent')) === 'Backend URL',
    );
    await url.fill('https://bots.example.com/****');
    await page.keyboard.press('Enter');
    await page.getByText('A part of this URL is hidden').waitFor();
    await url.fill('https://bots.example.com/hook');
    await page.getByLabel('Take only chosen kinds of updates').check();
    await page.getByRole('checkbox', { name: 'Polls', exact: true }).uncheck();
    await page.getByText('4 unsaved changes').waitFor();

    const fleet = page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Fleet' });
    await fleet.click();
    await page
      .getByRole('dialog', { name: 'Leave without saving?' })
      .getByRole('button', { name: 'Stay here' })
      .click();
    expect(await url.inputValue()).toBe('https://bots.example.com/hook');
    const sent = page.waitForRequest('**/api/bots/update');
    await page.getByRole('button', { name: 'Save' }).click();
    const { allowed_updates: kinds, ...others } = (await sent).postDataJSON();
    expect(others).toEqual({
      ...{ id: bot.id, name: 'Shop <b>', backend_url: 'https://bots.example.com/hook', max_connections: '8' },
    });
    expect([kinds.includes('message'), kinds.includes('poll'), kinds.includes('chat_member')]).toEqual([
      true,
      false,
      false,
    ]);
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Shop <b>' }).waitFor();
    expect(await suite.fleet.rest(`/api/bots/show?id=${bot.id}`)).toMatchObject({ secret_token: 'kept-secret' });

    await page.getByRole('button', { name: 'Remove the secret' }).click();
    await page.getByText('The secret will be removed.').waitFor();
    await fleet.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Fleet' }).waitFor();
    expect(unexpected(complaints)).toEqual([]);
  },
  TEST_MS,
);

test(
  'what is typed while the settings are saved stays as an unsaved change, and only what was saved is none any more',
  async () => {
    const bot = await suite.fleet.addBot({}, { name: 'Slow to save' });
    const { page, complaints } = await openAsAdmin(`bots/${bot.id}/settings`);
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/api/bots/update', async (route) => {
      await held;
      await route.continue();
    });
    const name = page.getByLabel('Name', { exact: true });
    const description = page.getByLabel('Description', { exact: true });
    await name.fill('Saved first');
    await description.fill('Sells ships');
    const asked = page.waitForRequest('**/api/bots/update');
    await page.keyboard.press('Control+s');
    await asked;
    await description.fill('Sells ships and boats');
    letGo();
    await page.getByText('1 unsaved change', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Saved first' }).waitFor();
    expect(await description.inputValue()).toBe('Sells ships and boats');
    const known = () => suite.fleet.rest(`/api/bots/show?id=${bot.id}`);
    expect(await known()).toMatchObject({ name: 'Saved first', description: 'Sells ships' });
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Fleet' }).click();
    const asking = page.getByRole('dialog', { name: 'Leave without saving?' });
    await asking.getByRole('button', { name: 'Stay here' }).click();
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await known()).toMatchObject({ name: 'Saved first', description: 'Sells ships and boats' });
    expect(unexpected(complaints)).toEqual([]);
  },
  TEST_MS,
);

test(
  'a bot is disabled and enabled, gets a new token, and is deleted only by its name',
  async () => {
    const bot = await suite.fleet.addBot({}, { name: 'Promo <i>' });
    const { page, answers, complaints } = await openAsAdmin(`bots/${bot.id}/settings`);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByText('0 queued updates').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    const fails = { status: 500, json: { error: 'Internal error', code: 'internal', request_id: 'of-enable' } };
    await page.route('**/api/bots/toggle-disabled', (route) => route.fulfill(fails), { times: 1 });
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('alert').getByText('Request of-enable').waitFor();
    await picture(page, 'enable-failed');
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable' }).waitFor();

    const other = await suite.fleet.control.createBot({ name: 'Another' });
    const { token } = await suite.fleet.control.revokeToken({ bot: bot.platformId });
    await page.getByRole('button', { name: 'Replace…' }).click();
    const field = page.getByLabel('New token');
    await field.fill(other.token);
    await page.keyboard.press('Enter');
    await page.getByText('belongs to another bot').waitFor();
    await field.fill(token);
    await page.keyboard.press('Enter');
    await field.waitFor({ state: 'detached' });
    const shown = await suite.fleet.rest<{ token: string }>(`/api/bots/show?id=${bot.id}`);
    expect(shown.token).toBe(token);
    const network = answers.map(({ text }) => text).join();
    for (const text of [await keptBy(page), network]) expect(text).not.toContain(token.split(':')[1]!);

    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: /^Delete/ });
    await dialog.getByLabel('to confirm').fill('Promo');
    await page.keyboard.press('Enter');
    await dialog.getByText('The name does not match.').waitFor();
    await dialog.getByLabel('to confirm').fill('Promo <i>');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Fleet' }).waitFor();
    await expect(suite.fleet.rest(`/api/bots/show?id=${bot.id}`)).rejects.toThrow('404');
    expect(unexpected(complaints).filter((line) => !line.includes('toggle-disabled'))).toEqual([]);
  },
  TEST_MS,
);

test(
  'an account without the right reads the settings of its bots, and adds none, also by address',
  async () => {
    const own = await suite.fleet.addBot({}, { name: 'Own' });
    const grace = { username: GRACE[0], password: GRACE[1], display_name: 'Grace', role: 'user', bot_ids: [own.id] };
    await suite.fleet.rest('/api/auth/users/add', grace);
    const { page, signIn, complaints } = await open(`bots/${own.id}/settings`);
    await signIn(...GRACE);
    await page.getByText('Long polling').waitFor();
    expect(await page.getByRole('button', { name: /Save|Disable|Delete|Replace/ }).count()).toBe(0);
    expect(await page.getByRole('textbox').count()).toBe(0);
    await page.goto(`${suite.fleet.url}/console/bots/add`);
    await page.getByText('Only administrators of all bots can add bots.').waitFor();
    await page.goto(`${suite.fleet.url}/console/`);
    await page.getByText('1 bot', { exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Add bot' }).count()).toBe(0);
    expect(await page.content()).not.toContain('Guide');
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

testLooks(
  'settings and the way to a bot are accessible and fit the window',
  suite,
  async ({ page, signIn }, lookAt) => {
    const { fleet } = suite;
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const [guide] = await fleet.rest<{ id: number }[]>('/api/bots?q=guide');
    await signIn(...ADMIN);
    await page.getByRole('link', { name: 'Add bot' }).click();
    await page.goto(`${fleet.url}/console/bots/add?bot=${guide!.id}`);
    await page.getByText('Hello <img src=x>').waitFor();
    for (const [name, shown] of [
      ['gramio', '{ baseURL: '],
      ['Node-RED', 'telegram receiver'],
      ['Other', 'node-telegram-bot-api 0.67'],
      ['python-telegram-bot', '.base_file_url('],
    ] as const) {
      await page.getByRole('tab', { name, exact: true }).click();
      await page.getByText(shown).waitFor();
      await lookAt(`connect-program-${name}`);
    }
    await page.goto(`${fleet.url}/console/bots/${guide!.id}/settings`);
    await page.getByLabel('Take only chosen kinds of updates').check();
    await page.getByLabel('Backend URL').fill('https://bots.example.com/****');
    await page.keyboard.press('Enter');
    await page.getByText('A part of this URL is hidden').waitFor();
    const tab = (await page.locator('nav.tabs [aria-current]').boundingBox())!;
    expect(tab.x + tab.width).toBeLessThanOrEqual(page.viewportSize()!.width);
    await lookAt('settings-form');
    await page.getByRole('button', { name: 'Replace…' }).click();
    await page.getByLabel('New token').waitFor();
    await lookAt('replace-token');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog').waitFor();
    await lookAt('delete-bot');
    await page.keyboard.press('Escape');
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Fleet' }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
    await lookAt('leave-unsaved');
  },
);
