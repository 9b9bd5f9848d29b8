import type { EventKind, EventRow } from '@flotilla/contract/events.ts';
import { expect, test } from '@jest/globals';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { type ShownEvent, shownEvent, textOfEvents } from './event-text.ts';

const event = (id: number, kind: EventKind, text = 'no answer'): ShownEvent => ({
  resource: { id, kind, at: '2026-01-02T10:20:00.000Z', bot_id: id, text },
  ...{ repeats: 0, botName: `Bot ${id}` },
  ...{ link: `https://bots.example.com/console/bots/${id}`, listLink: 'https://bots.example.com/console/events' },
});
const some = (count: number, kind: EventKind, text?: string) =>
  Array.from({ length: count }, (_, at) => event(at + 1, kind, text));

test('one event names its bot and its kind, and leads to the bot', () => {
  expect(textOfEvents([{ ...event(7, 'poller.silent'), repeats: 2 }])).toBe(
    '🔴 Bot 7: no answer (and 2 more)\npoller.silent\nhttps://bots.example.com/console/bots/7',
  );
});

test('several are one message: each kind with its number and its first ones, and the way to all of them', () => {
  expect(textOfEvents([...some(300, 'backend.failing'), event(9, 'poller.back', 'polled')]).split('\n')).toEqual([
    'backend.failing: 300',
    ...[1, 2, 3, 4, 5].map((id) => `🔴 Bot ${id}: no answer`),
    '… and 295 more',
    'poller.back: 1',
    '🟢 Bot 9: polled',
    'https://bots.example.com/console/events',
  ]);
});

test('a message is never longer than the platform takes', () => {
  const kinds: EventKind[] = ['backend.failing', 'poller.silent', 'program.silent', 'program.parked', 'intake.refused'];
  const events = kinds.flatMap((kind) => some(100, kind, '👍'.repeat(500)));
  expect(textOfEvents(events).length).toBeLessThanOrEqual(4096);
  expect(textOfEvents(events)).toMatch(/console\/events$/);
});

test('an event leads to its chat, or to its bot, or to itself', () => {
  const stored: EventRow = {
    ...{ id: 311, kind: 'chat.awaits', bot_id: 7, program_id: null, chat_id: -42, text: 'waits', at: new Date(0) },
    ...{ business_connection_id: '', request_id: null },
  };
  const directory = { byId: () => undefined } as unknown as BotDirectory;
  const linkOf = (fields: Partial<EventRow>, publicUrl: string | null = 'https://bots.example.com/') =>
    shownEvent({ directory, publicUrl }, { ...stored, ...fields }, 0).link;
  expect(linkOf({})).toBe('https://bots.example.com/console/inbox/7/-42');
  expect(linkOf({ chat_id: 5, business_connection_id: 'c/1' })).toBe(
    'https://bots.example.com/console/inbox/7/5?connection=c%2F1',
  );
  expect(linkOf({ chat_id: null })).toBe('https://bots.example.com/console/bots/7');
  expect(linkOf({ chat_id: null, bot_id: null })).toBe('https://bots.example.com/console/events?open=311');
  expect(linkOf({}, null)).toBeNull();
});
