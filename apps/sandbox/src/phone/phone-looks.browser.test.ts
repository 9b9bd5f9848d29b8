import { ADA, HOSTILE, PIXEL, TEST_MS } from '@flotilla/testing/open-phone.ts';
import { phoneSuite } from '@flotilla/testing/phone-suite.ts';
import { expect, test } from '@jest/globals';
import { LOOKS } from '../../../console/tests/console-suite.ts';
import { faultsOf, picture } from '../../../console/tests/open-console.ts';
import { servePhone } from './serve-phone.ts';

const suite = phoneSuite(servePhone);

const NAMES = ['Βασίλης Παπαδόπουλος', 'ليلى حداد', '佐藤 結衣', `${HOSTILE} ${'W'.repeat(90)}`];

/** Parts that hide some of what they hold at their side. */
const WIDER = `['log', 'keyboard', 'suggestions', 'chats', 'dialog']
  .filter((id) => document.getElementById(id).scrollWidth > document.getElementById(id).clientWidth)`;

/** A group with names in four scripts, texts of all lengths, an album, and files that pretend to be something else. */
async function busyGroup(): Promise<number> {
  const people = await Promise.all(NAMES.map((firstName) => suite.control.createPerson({ firstName })));
  const members = people.map(({ id }) => id);
  const { id: chat } = await suite.control.createChat({
    type: 'supergroup',
    title: NAMES.join(', '),
    creator: ADA.id,
    members,
  });
  await suite.control.setMember({ chat, bot: suite.bot.id, status: 'member', by: ADA.id });
  for (const { id, first_name } of people)
    await suite.control.sendMessage({ person: id, chat, text: `${first_name}: ${'x'.repeat(200)}` });
  await suite.control.sendMessage({ person: ADA.id, chat, text: 'A paragraph of many words. '.repeat(150) });
  const photo = { kind: 'photo', name: 'a.png', base64: PIXEL } as const;
  for (const _ of 'ab') await suite.control.sendMessage({ person: ADA.id, chat, file: photo, mediaGroupId: 'both' });
  for (const kind of ['photo', 'video', 'voice', 'sticker', 'document'] as const) {
    const file = { kind, name: `${HOSTILE}.${'long'.repeat(40)}.svg`, base64: 'PHN2Zz4=', mime: 'image/svg+xml' };
    await suite.control.sendMessage({ person: ADA.id, chat, file });
  }
  const buttons = [
    [
      { text: 'W'.repeat(60), callback_data: '1' },
      { text: 'ليلى', callback_data: '2' },
      { text: '3', callback_data: '3' },
    ],
  ];
  await suite.asBot('sendMessage', { chat_id: chat, text: 'Buttons', reply_markup: { inline_keyboard: buttons } });
  return chat;
}

/** All that a bot can show in the private chat. */
async function busyBot(): Promise<void> {
  const told = { chat_id: ADA.id };
  await suite.asBot('setMyCommands', { commands: [{ command: 'tide', description: NAMES.join(', ') }] });
  await suite.asBot('sendPoll', { ...told, question: NAMES.join(', '), options: NAMES });
  const price = { currency: 'XTR', prices: [{ label: 'Berth', amount: 7 }] };
  await suite.asBot('sendInvoice', { ...told, title: NAMES[3], description: 'A day', payload: 'b7', ...price });
  const text = `<b>Bold</b> <tg-spoiler>hidden</tg-spoiler> <pre>${'x'.repeat(200)}</pre> <a href="https://example.com">link</a> /tide`;
  const reply_markup = {
    keyboard: [
      NAMES,
      [
        { text: 'Number', request_contact: true },
        { text: 'App', web_app: {} },
      ],
    ],
  };
  await suite.asBot('sendMessage', { ...told, text, parse_mode: 'HTML', reply_markup });
}

test(
  'the page is accessible and fits the window in every look, with whatever people are called and write',
  async () => {
    const chat = await busyGroup();
    await busyBot();
    for (const [look, colorScheme, width, height] of LOOKS) {
      const query = `?lang=en&theme=${colorScheme}&chat=${chat}`;
      const { page, complaints } = await suite.open(query, { viewport: { width, height } });
      if (look === 'right-to-left') await page.evaluate("document.documentElement.dir = 'rtl'");
      const isNarrow = width < 700;
      const check = async (what: string) => {
        expect([look, what, await faultsOf(page)]).toEqual([look, what, []]);
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
        expect([look, what, Math.max(wide, width)]).toEqual([look, what, width]);
        expect([look, what, await page.evaluate(WIDER)]).toEqual([look, what, []]);
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
      await page.getByRole('button', { name: 'Number' }).waitFor();
      await check('private');
      await page.getByRole('textbox', { name: 'Message' }).fill('/');
      await page
        .getByRole('button', { name: /^\/tide/ })
        .first()
        .waitFor();
      await check('commands');
      expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe(colorScheme);
      expect(await page.locator('#messages img[src="x"]').count()).toBe(0);
      expect(complaints).toEqual([]);
    }
  },
  3 * TEST_MS,
);
