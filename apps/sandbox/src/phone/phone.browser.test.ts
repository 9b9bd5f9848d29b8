import { freePort } from '@flotilla/embedded/free-port.ts';
import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';
import { type RunningSimulator, startSimulator } from '@flotilla/simulator/start.ts';
import { BROWSER_START_MS, type Browser, startBrowser } from '@flotilla/testing/browser.ts';
import { ADA, HOSTILE, openPhone, TEST_MS, write } from '@flotilla/testing/open-phone.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LOOKS } from '../../../console/tests/console-suite.ts';
import { faultsOf, picture } from '../../../console/tests/open-console.ts';
import { type Phone, servePhone } from './serve-phone.ts';

let browser: Browser;
let simulator: RunningSimulator;
let control: ControlClient;
let bot: { id: number; token: string };
let phone: Phone;

beforeAll(async () => {
  browser = await startBrowser();
}, BROWSER_START_MS);
beforeAll(async () => {
  simulator = await startSimulator();
  control = controlClient(simulator.url);
  bot = await control.createBot({ name: 'Demo', username: 'demo_bot' });
  await control.createPerson(ADA);
  await control.startBot({ person: ADA.id, bot: bot.id, quietly: true });
  const where = { port: await freePort(), simulatorUrl: simulator.url, consoleUrl: 'http://127.0.0.1:1/console/' };
  phone = await servePhone({ ...where, person: ADA, bot: bot.id });
}, TEST_MS);
afterAll(async () => {
  await browser?.close();
  await phone?.stop();
  await simulator?.stop();
});

async function asBot(method: string, params: object): Promise<{ message_id: number }> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${simulator.url}/bot${bot.token}/${method}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(params),
  });
  const { ok, result, description } = (await answer.json()) as { ok: boolean; result: never; description: string };
  if (!ok) throw new Error(`${method}: ${description}`);
  return result;
}

type Update = {
  callback_query?: { id: string; data: string };
  pre_checkout_query?: { id: string };
  message?: { text?: string; contact?: object; audio?: { duration: number }; media_group_id?: string };
};
async function updatesOfBot(): Promise<Update[]> {
  const { updates } = await control.pendingUpdates({ bot: bot.id, limit: 1_000 });
  return updates.map((update) => JSON.parse(update));
}

test(
  'Ada writes by keyboard, reads the answer as text, presses a button and is told what the bot says to it',
  async () => {
    const { page, context, complaints } = await openPhone(browser, phone.url, '');
    await page.getByText('Nothing was said yet.').waitFor();
    await page.keyboard.type('Hello');
    await page.keyboard.press('Enter');
    await page.getByRole('listitem').filter({ hasText: 'Hello' }).last().waitFor();
    expect((await updatesOfBot())[0]).toMatchObject({ message: { text: 'Hello', from: { id: ADA.id } } });
    const buttons = [
      { text: 'A button', callback_data: 'pressed' },
      { text: 'Elsewhere', url: 'javascript:alert(1)' },
    ];
    await asBot('sendMessage', { chat_id: ADA.id, text: HOSTILE, reply_markup: { inline_keyboard: [buttons] } });
    await page.getByRole('listitem').filter({ hasText: HOSTILE }).last().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Elsewhere' }).isDisabled()).toBe(true);
    const pressed = async (times: number) => {
      const queries = (await updatesOfBot()).flatMap(({ callback_query }) => callback_query ?? []);
      return queries.length === times ? queries.at(-1)!.id : null;
    };
    const button = page.getByRole('button', { name: 'A button' });
    await button.focus();
    await page.keyboard.press('Enter');
    const first = await waitFor(() => pressed(1));
    await asBot('answerCallbackQuery', { callback_query_id: first, text: 'Well pressed' });
    await page.getByRole('status').getByText('Well pressed').waitFor();
    await waitFor(async () => (await button.getAttribute('aria-busy')) === null);
    await button.press('Enter');
    const second = await waitFor(() => pressed(2));
    await asBot('answerCallbackQuery', { callback_query_id: second, text: HOSTILE, show_alert: true });
    await page.getByRole('dialog', { name: 'Demo' }).getByText(HOSTILE).waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Русский' }).click();
    await page.getByRole('button', { name: 'Отправить' }).waitFor();
    expect(await page.title()).toBe('Телефон: Ada');
    await picture(page, 'phone-russian');
    expect(complaints).toEqual([]);
    await context.close();
  },
  TEST_MS,
);

test(
  'what the bot edits, deletes and is writing is shown, and Ada replies, edits, reacts and deletes',
  async () => {
    const { page, context, complaints } = await openPhone(browser, phone.url);
    const items = page.locator('#messages > li');
    const sent = await asBot('sendMessage', { chat_id: ADA.id, text: 'The <b>first</b> form', parse_mode: 'HTML' });
    await items.filter({ hasText: 'The first form' }).locator('strong').filter({ hasText: 'first' }).waitFor();
    const target = { chat_id: ADA.id, message_id: sent.message_id };
    await asBot('editMessageText', { ...target, text: 'The second form' });
    const changed = items.filter({ hasText: 'The second form' });
    await changed.getByText('edited').waitFor();

    const act = async (item: typeof changed, name: string) => {
      await item.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await act(changed, '👍');
    await changed.getByRole('button', { name: '👍 1', pressed: true }).waitFor();
    await act(changed, 'Reply');
    await write(page, 'I reply');
    const reply = items.filter({ hasText: 'I reply' });
    await reply.getByRole('button', { name: /The second form/ }).waitFor();
    // The arrow up takes back what was written last, as in other messengers.
    await page.getByRole('textbox', { name: 'Message' }).press('ArrowUp');
    await write(page, 'I reply better');
    await items.filter({ hasText: 'I reply better' }).getByText('edited').waitFor();
    await act(items.filter({ hasText: 'I reply better' }), 'Delete');
    await reply.waitFor({ state: 'detached' });
    await asBot('deleteMessage', target);
    await changed.waitFor({ state: 'detached' });

    // An action counts only if it is younger than what the bot has sent, and the platform tells that in seconds.
    await waitFor(async () => {
      await asBot('sendChatAction', { chat_id: ADA.id, action: 'typing' });
      return page.getByText('Demo writes …').isVisible();
    });
    await asBot('sendMessageDraft', { chat_id: ADA.id, draft_id: 1, text: 'So far I' });
    await page.getByText('So far I').waitFor();
    await asBot('sendMessage', { chat_id: ADA.id, text: 'So far I have finished' });
    await items.filter({ hasText: 'So far I have finished' }).waitFor();
    await waitFor(async () => (await page.locator('#action').textContent()) === '');
    expect(complaints).toEqual([]);
    await context.close();
  },
  TEST_MS,
);

test(
  'the keyboard of the bot, its commands and a poll work, and a number is shared on request only',
  async () => {
    const { page, context, complaints } = await openPhone(browser, phone.url);
    const keyboard = [
      ['High water', HOSTILE],
      [
        { text: 'My number', request_contact: true },
        { text: 'App', web_app: { url: 'https://x.org' } },
      ],
    ];
    await asBot('sendMessage', {
      chat_id: ADA.id,
      text: 'Choose',
      reply_markup: { keyboard, one_time_keyboard: true },
    });
    await page.getByRole('button', { name: 'My number' }).click();
    await waitFor(async () => (await updatesOfBot()).at(-1)?.message?.contact !== undefined);
    await page.getByRole('button', { name: 'My number' }).waitFor({ state: 'detached' });
    await asBot('sendMessage', { chat_id: ADA.id, text: 'Again', reply_markup: { keyboard } });
    expect(await page.getByRole('button', { name: 'App' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: HOSTILE }).click();
    await waitFor(async () => (await updatesOfBot()).at(-1)?.message?.text === HOSTILE);
    await asBot('sendMessage', { chat_id: ADA.id, text: 'Enough', reply_markup: { remove_keyboard: true } });
    await page.getByRole('button', { name: 'High water' }).waitFor({ state: 'detached' });

    await asBot('setMyCommands', { commands: [{ command: 'tide', description: HOSTILE }] });
    await page.getByRole('button', { name: 'Commands of the bot' }).click();
    await page.getByRole('button', { name: `/tide ${HOSTILE}` }).press('Enter');
    await waitFor(async () => (await updatesOfBot()).at(-1)?.message?.text === '/tide');
    await page.getByRole('textbox').fill('/t');
    const command = page.getByRole('button', { name: `/tide ${HOSTILE}` });
    await command.waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Escape');
    await command.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.id')).toBe('text');

    await asBot('sendPoll', { chat_id: ADA.id, question: 'Boats?', options: ['Yes', 'No'] });
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('Poll, 1 vote').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  },
  TEST_MS,
);

test(
  'a bot that nobody has started waits for Start, one that is blocked for the end of that, and no bot is told as such',
  async () => {
    const other = await control.createBot({ name: 'Other', username: 'other_bot' });
    const { page, context, complaints } = await openPhone(browser, phone.url, '?lang=en&bot=other_bot');
    expect(complaints).toEqual([]);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await write(page, 'To the other one');
    await page.getByRole('listitem').filter({ hasText: 'To the other one' }).last().waitFor();
    const { messages } = await control.readChat({ person: ADA.id, bot: other.id });
    expect(messages.map(({ text }) => text)).toEqual(['/start', 'To the other one']);
    await page.getByRole('button', { name: 'About this chat' }).click();
    await page.getByRole('button', { name: 'Block the bot' }).click();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('You blocked this bot.').waitFor();
    expect((await control.readChat({ person: ADA.id, bot: other.id })).blocked).toBe(true);
    await page.getByRole('button', { name: 'Unblock' }).click();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await page.goto(`${phone.url}/?lang=en&bot=nobody_bot`);
    await page.getByRole('heading', { name: 'Which bot do you write to?' }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Other @other_bot' }).click();
    await page.getByRole('heading', { level: 1, name: 'Other' }).waitFor();
    // A platform that was reset has neither the chat nor the person of an old address.
    await page.goto(`${phone.url}/?lang=en&bot=other_bot&chat=-5&as=5`);
    await page.getByRole('heading', { level: 1, name: 'Other' }).waitFor();
    expect(page.url()).not.toContain('-5');
    await context.close();
  },
  TEST_MS,
);

const NAMES = ['Βασίλης Παπαδόπουλος', 'ليلى حداد', '佐藤 結衣', `${HOSTILE} ${'W'.repeat(90)}`];
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGOQjd4BAAHJATHdK0+8AAAAAElFTkSuQmCC';

/** A group with names in four scripts, texts of all lengths, an album, and files that pretend to be something else. */
async function busyGroup(): Promise<number> {
  const people = await Promise.all(NAMES.map((firstName) => control.createPerson({ firstName })));
  const members = people.map(({ id }) => id);
  const { id: chat } = await control.createChat({
    type: 'supergroup',
    title: NAMES.join(', '),
    creator: ADA.id,
    members,
  });
  await control.setMember({ chat, bot: bot.id, status: 'member', by: ADA.id });
  for (const { id, first_name } of people)
    await control.sendMessage({ person: id, chat, text: `${first_name}: ${'x'.repeat(200)}` });
  await control.sendMessage({ person: ADA.id, chat, text: 'A paragraph of many words. '.repeat(150) });
  const photo = { kind: 'photo', name: 'a.png', base64: PIXEL } as const;
  for (const _ of 'ab') await control.sendMessage({ person: ADA.id, chat, file: photo, mediaGroupId: 'both' });
  for (const kind of ['photo', 'video', 'voice', 'sticker', 'document'] as const) {
    const file = { kind, name: `${HOSTILE}.${'long'.repeat(40)}.svg`, base64: 'PHN2Zz4=', mime: 'image/svg+xml' };
    await control.sendMessage({ person: ADA.id, chat, file });
  }
  const buttons = [
    [
      { text: 'W'.repeat(60), callback_data: '1' },
      { text: 'ليلى', callback_data: '2' },
      { text: '3', callback_data: '3' },
    ],
  ];
  await asBot('sendMessage', { chat_id: chat, text: 'Buttons', reply_markup: { inline_keyboard: buttons } });
  return chat;
}

test(
  'the page is accessible and fits the window in every look, with whatever people are called and write',
  async () => {
    const chat = await busyGroup();
    for (const [look, colorScheme, width, height] of LOOKS) {
      const query = `?lang=en&theme=${colorScheme}&chat=${chat}`;
      const { page, context, complaints } = await openPhone(browser, phone.url, query, { viewport: { width, height } });
      if (look === 'right-to-left') await page.evaluate("document.documentElement.dir = 'rtl'");
      const isNarrow = width < 700;
      const check = async (what: string) => {
        expect([look, what, await faultsOf(page)]).toEqual([look, what, []]);
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
        expect([look, what, Math.max(wide, width)]).toEqual([look, what, width]);
        await picture(page, `phone-${what}-${look}`);
      };
      await page.getByRole('button', { name: 'W'.repeat(60), exact: true }).waitFor();
      await check('group');
      await page.getByRole('button', { name: 'About this chat' }).click();
      await check('about');
      await page.keyboard.press('Escape');
      if (isNarrow) await page.getByRole('button', { name: 'Chats' }).click();
      await check('list');
      await page.getByRole('button', { name: 'New group' }).click();
      await check('new-group');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /^Demo/ }).click();
      await page.getByRole('heading', { name: 'Demo', level: 1 }).waitFor();
      await check('private');
      expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe(colorScheme);
      expect(await page.locator('#messages img[src="x"]').count()).toBe(0);
      expect(complaints).toEqual([]);
      await context.close();
    }
  },
  3 * TEST_MS,
);

test(
  'an invoice is paid once the bot agrees, and what is written in one chat and not sent stays there',
  async () => {
    const { id: chat } = await control.createChat({
      type: 'supergroup',
      title: 'Pier',
      creator: ADA.id,
      members: [bot.id],
    });
    const { page, context, complaints } = await openPhone(browser, phone.url);
    await page.getByRole('textbox', { name: 'Message' }).fill('half a thou');
    await page.getByRole('button', { name: /^Pier/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Pier' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('');
    await page.getByRole('button', { name: /^Demo/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Demo' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('half a thou');

    const price = { currency: 'XTR', prices: [{ label: 'Berth', amount: 7 }] };
    await asBot('sendInvoice', { chat_id: ADA.id, title: 'Berth 7', description: 'A day', payload: 'b7', ...price });
    await page.getByRole('button', { name: '💳 7 XTR' }).click();
    const query = await waitFor(async () => (await updatesOfBot()).at(-1)?.pre_checkout_query);
    await asBot('answerPreCheckoutQuery', { pre_checkout_query_id: query!.id, ok: true });
    await page.locator('#messages > .service').filter({ hasText: 'Payment received: 7 stars' }).waitFor();
    const pay = page.getByRole('button', { name: '💳 7 XTR' });
    await waitFor(async () => (await pay.getAttribute('aria-busy')) === null);
    await pay.click();
    const other = await waitFor(async () => {
      const asked = (await updatesOfBot()).at(-1)?.pre_checkout_query;
      return asked?.id === query!.id ? null : asked;
    });
    const refusal = { pre_checkout_query_id: other!.id, ok: false, error_message: 'The berth is taken' };
    await asBot('answerPreCheckoutQuery', refusal);
    await page.getByRole('status').getByText('The berth is taken').waitFor();
    expect((await control.readChat({ chat })).messages).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  },
  TEST_MS,
);

/** A second of silence, as a file that every browser plays. */
function silence(): Buffer {
  const wav = Buffer.alloc(44 + 8_000, 128);
  wav.write('RIFF    WAVEfmt ', 0, 'latin1');
  wav.writeUInt32LE(wav.length - 8, 4);
  for (const [at, value] of [
    [16, 16],
    [24, 8_000],
    [28, 8_000],
    [40, 8_000],
  ] as const)
    wav.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    wav.writeUInt16LE(value, at);
  wav.write('data', 36, 'latin1');
  return wav;
}

test(
  'a sound is sent with its length and plays, a photo opens large, and a file that was attached can be taken away',
  async () => {
    const { page, context, complaints } = await openPhone(browser, phone.url);
    const photo = { name: 'sea.png', mimeType: 'image/png', buffer: Buffer.from(PIXEL, 'base64') };
    await page.locator('#files').setInputFiles([{ name: 'song.wav', mimeType: 'audio/wav', buffer: silence() }, photo]);
    await page.getByRole('button', { name: 'Remove sea.png' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await waitFor(async () => (await updatesOfBot()).at(-1)?.message?.audio?.duration === 1);
    const length = () => page.evaluate('Math.round(document.querySelector("#messages audio").duration)');
    await waitFor(async () => (await length()) === 1);
    await page.locator('#files').setInputFiles([photo, { ...photo, name: 'pier.png' }]);
    await page.getByRole('textbox', { name: 'Message' }).fill('Both');
    await page.keyboard.press('Enter');
    const album = page.locator('#messages > li').filter({ hasText: 'Both' });
    await waitFor(async () => (await album.getByRole('button', { name: 'Open the photo' }).count()) === 2);
    const groups = (await updatesOfBot()).slice(-2).map(({ message }) => message?.media_group_id);
    expect(groups).toEqual([groups[1], expect.any(String)]);
    const left = () =>
      page.evaluate<number>(
        '(({ scrollHeight, clientHeight, scrollTop }) => scrollHeight - clientHeight - scrollTop)(document.querySelector("#log"))',
      );
    await waitFor(async () => (await left()) < 2);
    await album.getByRole('button', { name: 'Open the photo' }).first().click();
    await page.getByRole('dialog', { name: 'Photo' }).getByRole('img').waitFor();
    await page.keyboard.press('Escape');
    // Who reads what was said before is not taken away from it by what comes.
    await page.locator('#messages > li').first().scrollIntoViewIfNeeded();
    const before = await left();
    expect(before).toBeGreaterThan(100);
    await asBot('sendMessage', { chat_id: ADA.id, text: 'Meanwhile' });
    await page.locator('#messages > li').filter({ hasText: 'Meanwhile' }).waitFor();
    expect(await left()).toBeGreaterThan(before);
    expect(complaints).toEqual([]);
    await context.close();
  },
  TEST_MS,
);

test(
  'the topics of a forum are kept apart, and one is made from the page',
  async () => {
    const admins = [{ bot: bot.id }];
    const forum = { type: 'supergroup', forum: true, title: 'Docks', creator: ADA.id, admins } as const;
    const { id: chat } = await control.createChat(forum);
    const { page, context, complaints } = await openPhone(browser, phone.url, `?lang=en&chat=${chat}`);
    await write(page, 'To everybody');
    await page.getByRole('button', { name: 'New topic' }).click();
    await page.getByRole('textbox', { name: 'Name of the topic' }).fill(HOSTILE);
    await page.keyboard.press('Enter');
    await page.getByText(`Ada made the topic “${HOSTILE}”`).last().waitFor();
    await write(page, 'In the topic');
    await page.locator('#messages > li').filter({ hasText: 'In the topic' }).waitFor();
    expect(await page.locator('#messages > li').filter({ hasText: 'To everybody' }).count()).toBe(0);
    const { topics, messages } = await control.readChat({ chat });
    expect(messages.at(-1)).toMatchObject({ text: 'In the topic', message_thread_id: topics[0]!.topic });
    await asBot('sendMessage', { chat_id: chat, message_thread_id: topics[0]!.topic, text: 'Heard' });
    await page.locator('#messages > li').filter({ hasText: 'Heard' }).waitFor();
    await page.getByRole('button', { name: 'General' }).click();
    await page.locator('#messages > li').filter({ hasText: 'To everybody' }).waitFor();
    await page.goBack();
    await page.locator('#messages > li').filter({ hasText: 'Heard' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  },
  TEST_MS,
);
