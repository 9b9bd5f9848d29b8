import { expect, test } from '@jest/globals';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import type { StoredEvent } from '../../people/events/event-store.ts';
import { shownEvent } from './event-text.ts';

const directory = { byId: () => undefined } as unknown as BotDirectory;
const event: StoredEvent = {
  ...{ id: 311, kind: 'chat.awaits', bot_id: 7, program_id: null, chat_id: -42, text: 'waits', at: new Date(0) },
};
const linkOf = (fields: Partial<StoredEvent>, publicUrl: string | null = 'https://bots.example.com/') =>
  shownEvent({ directory, publicUrl }, { ...event, ...fields }, 0).link;

test('an event leads to its chat, or to its bot, or to itself', () => {
  expect(linkOf({})).toBe('https://bots.example.com/console/inbox/7/-42');
  expect(linkOf({ chat_id: null })).toBe('https://bots.example.com/console/bots/7');
  expect(linkOf({ chat_id: null, bot_id: null })).toBe('https://bots.example.com/console/events?open=311');
  expect(linkOf({}, null)).toBeNull();
});
