import { expect, test } from '@jest/globals';
import { botApiHtml, entityTree } from '../src/screens/inbox/chat/entity-tree.ts';
import { itemsOf } from '../src/screens/inbox/chat/message-items.ts';
import {
  cutAt,
  type MessagePage,
  windowOf,
  withMessage,
  withPage,
  withTold,
} from '../src/screens/inbox/chat/message-window.ts';
import { linkOf, safeLink } from '../src/screens/inbox/chat/safe-link.ts';

const message = (n: number, text = `message ${n}`) => ({
  ...{ id: n, chat_id: 1, bot_id: 1, user_id: 7, date: 1_767_348_900 + n, text, outgoing: false },
});

/** A page of the api: the messages from `first` to `last`, the newest first. */
function page(first: number, last: number, { total = 1_000 } = {}): MessagePage {
  const rows = Array.from({ length: last - first + 1 }, (_, at) => message(last - at));
  return { rows, total, hasOlder: first > 1, hasNewer: last < total };
}

const idsOf = ({ messages }: { messages: readonly { id: number }[] }) => messages.map(({ id }) => id);
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

test('pages that overlap make one window without gaps and without doubles, whichever side they come from', () => {
  const middle = windowOf(page(400, 450));
  const wider = withPage(withPage(middle, page(350, 400)), page(440, 480));
  expect(idsOf(wider)).toEqual(range(350, 480));
  expect([wider.hasOlder, wider.hasNewer]).toEqual([true, true]);
  const whole = withPage(withPage(wider, page(480, 1_000)), page(1, 360));
  expect(idsOf(whole)).toEqual(range(1, 1_000));
  expect([whole.hasOlder, whole.hasNewer]).toEqual([false, false]);
});

test('a page that was read later replaces what changed and removes what is gone, but keeps what came since', () => {
  const sent = withMessage(windowOf(page(1, 10, { total: 10 })), message(11));
  expect(idsOf(withMessage(sent, message(11)))).toEqual(range(1, 11));
  const read = page(1, 10, { total: 10 });
  const changed = { ...read, rows: [message(10, 'edited'), ...read.rows.slice(2)] };
  const window = withPage(sent, changed);
  expect(idsOf(window)).toEqual([...range(1, 8), 10, 11]);
  expect(window.messages.at(-2)?.text).toBe('edited');
  expect(window.hasNewer).toBe(false);
});

test('when more came than a page holds, the window says that there is more, and leaves no gap', () => {
  const known = windowOf(page(1, 50, { total: 50 }));
  const window = withPage(known, page(300, 400, { total: 400 }));
  expect(idsOf(window)).toEqual(range(1, 50));
  expect([window.hasNewer, window.total]).toEqual([true, 400]);
});

test('a window that grew is cut at its far end, and knows that there is more', () => {
  const window = cutAt('newer', windowOf(page(1, 900, { total: 900 })));
  expect(idsOf(window)).toEqual(range(1, 600));
  expect(window.hasNewer).toBe(true);
});

test('an album is one item, and a name is said once in a row', () => {
  const album = { media_group_id: 'a', media_type: 'photo' } as const;
  const items = itemsOf([message(1), { ...message(2), ...album }, { ...message(3), ...album }, message(4)]);
  expect(items.map(({ messages }) => messages.length)).toEqual([1, 2, 1]);
  expect(items.map(({ startsDay, continues }) => [startsDay, continues])).toEqual([
    [true, false],
    [false, true],
    [false, true],
  ]);
});

test('entities lie in one another, are cut to their parents, and become HTML of the Bot API for an edit', () => {
  const entities = [
    { type: 'italic', offset: 5, length: 4 },
    { type: 'bold', offset: 0, length: 7 },
    { type: 'text_link', offset: 9, length: 3, url: 'https://a.example/?b="c"' },
    { type: 'code', offset: 90, length: 3 },
  ];
  expect(botApiHtml(entityTree('Hi, <you> all', entities))).toBe(
    '<b>Hi, &lt;<i>yo</i></b>u&gt;<a href="https://a.example/?b=&quot;c&quot;"> al</a>l',
  );
});

test('only http, https and tg lead anywhere', () => {
  expect(safeLink('javascript:alert(1)')).toBeNull();
  expect(safeLink(' java\nscript:alert(1)')).toBeNull();
  expect(safeLink('data:text/html,x')).toBeNull();
  expect(safeLink('tg://resolve?domain=a')).toBe('tg://resolve?domain=a');
  expect(linkOf({ type: 'url', offset: 0, length: 9 }, 'a.example')).toBe('https://a.example/');
  expect(linkOf({ type: 'mention', offset: 0, length: 4 }, '@ada')).toBe('https://t.me/ada');
});

test('a message that the live stream told is counted once, before and after the history has it', () => {
  const before = windowOf(page(1, 10, { total: 10 }));
  const told = withTold(before, message(11));
  expect([idsOf(told), told.total]).toEqual([range(1, 11), 11]);
  const asked = withPage(told, page(1, 10, { total: 10 }));
  expect([idsOf(asked), asked.total, asked.messages.at(-1)?.told]).toEqual([range(1, 11), 11, true]);
  const stored = withPage(asked, page(1, 11, { total: 11 }));
  expect([idsOf(stored), stored.total, stored.messages.at(-1)?.told]).toEqual([range(1, 11), 11, undefined]);
  expect(withTold(stored, message(11))).toBe(stored);
});

test('a message that was told stays when the history has stored a newer one before it', () => {
  const told = withTold(windowOf(page(1, 10, { total: 10 })), message(11));
  const { rows, ...ends } = page(1, 12, { total: 11 });
  const without = withPage(told, { ...ends, rows: rows.filter(({ id }) => id !== 11) });
  expect([idsOf(without), without.total]).toEqual([range(1, 12), 12]);
  const stored = withPage(without, page(1, 12, { total: 12 }));
  expect([idsOf(stored), stored.total, stored.messages.some(({ told }) => told)]).toEqual([range(1, 12), 12, false]);
});

test('the presses of one second stand behind the message that came before them, in the order in which they came', () => {
  const of20 = (id: number, position?: number) => ({
    ...message(20),
    id,
    ...(position === undefined ? {} : { position }),
  });
  const rows = [of20(21), of20(-7, 20 * 1_024 + 2), of20(-9, 20 * 1_024 + 1), of20(20)];
  const known = windowOf({ rows, total: 4, hasOlder: false, hasNewer: false });
  const again = withPage(known, { rows: rows.slice(0, 3), total: 4, hasOlder: true, hasNewer: false });
  expect(again.messages.map(({ id }) => id)).toEqual([20, -9, -7, 21]);
});
