import { ADA, HOSTILE, TEST_MS, write } from '@flotilla/testing/open-phone.ts';
import { phoneSuite } from '@flotilla/testing/phone-suite.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { expect, test } from '@jest/globals';
import { faultsOf, picture } from '../../../console/tests/open-console.ts';
import { servePhone } from './serve-phone.ts';

const suite = phoneSuite(servePhone);

test(
  'Ada writes by keyboard, reads the answer as text, presses a button and is told what the bot says to it',
  async () => {
    const { page, complaints } = await suite.open('');
    await page.getByText('Nothing was said yet.').waitFor();
    await page.keyboard.type('Hello');
    await page.keyboard.press('Enter');
    await page.getByRole('listitem').filter({ hasText: 'Hello' }).last().waitFor();
    expect((await suite.updatesOfBot())[0]).toMatchObject({ message: { text: 'Hello', from: { id: ADA.id } } });
    const buttons = [
      { text: 'A button', callback_data: 'pressed' },
      { text: 'Elsewhere', url: 'javascript:alert(1)' },
    ];
    await suite.asBot('sendMessage', { chat_id: ADA.id, text: HOSTILE, reply_markup: { inline_keyboard: [buttons] } });
    await page.getByRole('listitem').filter({ hasText: HOSTILE }).last().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Elsewhere' }).isDisabled()).toBe(true);
    const pressed = async (times: number) => {
      const queries = (await suite.updatesOfBot()).flatMap(({ callback_query }) => callback_query ?? []);
      return queries.length === times ? queries.at(-1)!.id : null;
    };
    const button = page.getByRole('button', { name: 'A button' });
    await button.focus();
    await page.keyboard.press('Enter');
    const first = await waitFor(() => pressed(1));
    await suite.asBot('answerCallbackQuery', { callback_query_id: first, text: 'Well pressed' });
    await page.getByRole('status').getByText('Well pressed').waitFor();
    await waitFor(async () => (await button.getAttribute('aria-busy')) === null);
    await button.press('Enter');
    const second = await waitFor(() => pressed(2));
    await suite.asBot('answerCallbackQuery', { callback_query_id: second, text: HOSTILE, show_alert: true });
    await page.getByRole('dialog', { name: 'Demo' }).getByText(HOSTILE).waitFor();
    await page.keyboard.press('Escape');

    await suite.asBot('sendWidget', { chat_id: ADA.id, html: '<p>Berths</p>', allow_queries: true });
    await page.getByRole('button', { name: 'Tap the widget' }).click();
    const tapped = await waitFor(async () =>
      (await suite.updatesOfBot()).map(({ widget_query }) => widget_query).find((query) => query !== undefined),
    );
    await suite.asBot('answerWidgetQuery', { widget_query_id: tapped!.id, data: 'Berth 7 is free' });
    await page.getByRole('status').getByText('Berth 7 is free').waitFor();

    await page.getByRole('button', { name: 'Русский' }).click();
    await page.getByRole('button', { name: 'Отправить' }).waitFor();
    expect(await page.title()).toBe('Телефон: Ada');
    await picture(page, 'phone-russian');
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'what the bot edits, deletes and is writing is shown, and Ada replies, edits, reacts and deletes',
  async () => {
    const { page, complaints } = await suite.open();
    const items = page.locator('#messages > li');
    const sent = await suite.asBot('sendMessage', {
      chat_id: ADA.id,
      text: 'The <b>first</b> form',
      parse_mode: 'HTML',
    });
    await items.filter({ hasText: 'The first form' }).locator('strong').filter({ hasText: 'first' }).waitFor();
    const target = { chat_id: ADA.id, message_id: sent.message_id };
    await suite.asBot('editMessageText', { ...target, text: 'The second form' });
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
    await suite.asBot('deleteMessage', target);
    await changed.waitFor({ state: 'detached' });

    // An action counts only if it is younger than what the bot has sent, and the platform tells that in seconds.
    await waitFor(async () => {
      await suite.asBot('sendChatAction', { chat_id: ADA.id, action: 'typing' });
      return page.getByText('Demo writes …').isVisible();
    });
    await suite.asBot('sendMessageDraft', { chat_id: ADA.id, draft_id: 1, text: 'So far I' });
    await page.getByText('So far I').waitFor();
    await suite.asBot('sendMessage', { chat_id: ADA.id, text: 'So far I have finished' });
    await items.filter({ hasText: 'So far I have finished' }).waitFor();
    await waitFor(async () => (await page.locator('#action').textContent()) === '');
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'the keyboard of the bot, its commands and a poll work, and a number is shared on request only',
  async () => {
    const { page, complaints } = await suite.open();
    const keyboard = [
      ['High water', HOSTILE],
      [
        { text: 'My number', request_contact: true },
        { text: 'App', web_app: { url: 'https://x.org' } },
      ],
    ];
    await suite.asBot('sendMessage', {
      chat_id: ADA.id,
      text: 'Choose',
      reply_markup: { keyboard, one_time_keyboard: true },
    });
    await page.getByRole('button', { name: 'My number' }).click();
    await waitFor(async () => (await suite.updatesOfBot()).at(-1)?.message?.contact !== undefined);
    await page.getByRole('button', { name: 'My number' }).waitFor({ state: 'detached' });
    await suite.asBot('sendMessage', { chat_id: ADA.id, text: 'Again', reply_markup: { keyboard } });
    expect(await page.getByRole('button', { name: 'App' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: HOSTILE }).click();
    await waitFor(async () => (await suite.updatesOfBot()).at(-1)?.message?.text === HOSTILE);
    await suite.asBot('sendMessage', { chat_id: ADA.id, text: 'Enough', reply_markup: { remove_keyboard: true } });
    await page.getByRole('button', { name: 'High water' }).waitFor({ state: 'detached' });

    await suite.asBot('setMyCommands', { commands: [{ command: 'tide', description: HOSTILE }] });
    await page.getByRole('button', { name: 'Commands of the bot' }).click();
    await page.getByRole('button', { name: `/tide ${HOSTILE}` }).press('Enter');
    await waitFor(async () => (await suite.updatesOfBot()).at(-1)?.message?.text === '/tide');
    await page.getByRole('textbox').fill('/t');
    const command = page.getByRole('button', { name: `/tide ${HOSTILE}` });
    await command.waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Escape');
    await command.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.id')).toBe('text');

    await suite.asBot('sendPoll', { chat_id: ADA.id, question: 'Boats?', options: ['Yes', 'No'] });
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('Poll, 1 vote').waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a bot that nobody has started waits for Start, one that is blocked for the end of that, and no bot is told as such',
  async () => {
    const other = await suite.control.createBot({ name: 'Other', username: 'other_bot' });
    const { page, complaints } = await suite.open('?lang=en&bot=other_bot');
    expect(complaints).toEqual([]);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await write(page, 'To the other one');
    await page.getByRole('listitem').filter({ hasText: 'To the other one' }).last().waitFor();
    const { messages } = await suite.control.readChat({ person: ADA.id, bot: other.id });
    expect(messages.map(({ text }) => text)).toEqual(['/start', 'To the other one']);
    await page.getByRole('button', { name: 'About this chat' }).click();
    await page.getByRole('button', { name: 'Block the bot' }).click();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('You blocked this bot.').waitFor();
    expect((await suite.control.readChat({ person: ADA.id, bot: other.id })).blocked).toBe(true);
    await page.getByRole('button', { name: 'Unblock' }).click();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await page.goto(`${suite.phone.url}/?lang=en&bot=nobody_bot`);
    await page.getByRole('heading', { name: 'Which bot do you write to?' }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Other @other_bot' }).click();
    await page.getByRole('heading', { level: 1, name: 'Other' }).waitFor();
    // A platform that was reset has neither the chat nor the person of an old address.
    await page.goto(`${suite.phone.url}/?lang=en&bot=other_bot&chat=-5&as=5`);
    await page.getByRole('heading', { level: 1, name: 'Other' }).waitFor();
    expect(page.url()).not.toContain('-5');
  },
  TEST_MS,
);

test(
  'an invoice is paid once the bot agrees, and what is written in one chat and not sent stays there',
  async () => {
    const { id: chat } = await suite.control.createChat({
      type: 'supergroup',
      title: 'Pier',
      creator: ADA.id,
      members: [suite.bot.id],
    });
    const { page, complaints } = await suite.open();
    await page.getByRole('textbox', { name: 'Message' }).fill('half a thou');
    await page.getByRole('button', { name: /^Pier/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Pier' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('');
    await page.getByRole('button', { name: /^Demo/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Demo' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('half a thou');

    const price = { currency: 'XTR', prices: [{ label: 'Berth', amount: 7 }] };
    await suite.asBot('sendInvoice', {
      chat_id: ADA.id,
      title: 'Berth 7',
      description: 'A day',
      payload: 'b7',
      ...price,
    });
    await page.getByRole('button', { name: '💳 7 XTR' }).click();
    const query = await waitFor(async () => (await suite.updatesOfBot()).at(-1)?.pre_checkout_query);
    await suite.asBot('answerPreCheckoutQuery', { pre_checkout_query_id: query!.id, ok: true });
    await page.locator('#messages > .service').filter({ hasText: 'Payment received: 7 stars' }).waitFor();
    const pay = page.getByRole('button', { name: '💳 7 XTR' });
    await waitFor(async () => (await pay.getAttribute('aria-busy')) === null);
    await pay.click();
    const other = await waitFor(async () => {
      const asked = (await suite.updatesOfBot()).at(-1)?.pre_checkout_query;
      return asked?.id === query!.id ? null : asked;
    });
    const refusal = { pre_checkout_query_id: other!.id, ok: false, error_message: 'The berth is taken' };
    await suite.asBot('answerPreCheckoutQuery', refusal);
    await page.getByRole('status').getByText('The berth is taken').waitFor();
    expect((await suite.control.readChat({ chat })).messages).toEqual([]);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'the topics of a forum are kept apart, and one is made from the page',
  async () => {
    const admins = [{ bot: suite.bot.id }];
    const forum = { type: 'supergroup', forum: true, title: 'Docks', creator: ADA.id, admins } as const;
    const { id: chat } = await suite.control.createChat(forum);
    const { page, complaints } = await suite.open(`?lang=en&chat=${chat}`);
    await write(page, 'To everybody');
    await page.getByRole('button', { name: 'New topic' }).click();
    await page.getByRole('textbox', { name: 'Name of the topic' }).fill(HOSTILE);
    await page.keyboard.press('Enter');
    await page.getByText(`Ada made the topic “${HOSTILE}”`).last().waitFor();
    await write(page, 'In the topic');
    await page.locator('#messages > li').filter({ hasText: 'In the topic' }).waitFor();
    expect(await page.locator('#messages > li').filter({ hasText: 'To everybody' }).count()).toBe(0);
    const { topics, messages } = await suite.control.readChat({ chat });
    expect(messages.at(-1)).toMatchObject({ text: 'In the topic', message_thread_id: topics[0]!.topic });
    await suite.asBot('sendMessage', { chat_id: chat, message_thread_id: topics[0]!.topic, text: 'Heard' });
    await page.locator('#messages > li').filter({ hasText: 'Heard' }).waitFor();
    await page.getByRole('button', { name: 'General' }).click();
    await page.locator('#messages > li').filter({ hasText: 'To everybody' }).waitFor();
    await page.goBack();
    await page.locator('#messages > li').filter({ hasText: 'Heard' }).waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);
