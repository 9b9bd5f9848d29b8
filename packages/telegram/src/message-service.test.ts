import { documentedFields } from '@flotilla/testing/documented-methods.ts';
import { describe, expect, test } from '@jest/globals';
import { readMessageFacts } from './message-facts.ts';
import { isReadField, readMemberService } from './message-service.ts';

const chat = { id: -1001234567890, type: 'supergroup', title: 'Harbour' };
const base = { message_id: 5, date: 1_780_000_000, chat, from: { id: 77, first_name: 'Ada' } };
const ben = { id: 78, first_name: 'Ben', last_name: 'Keel' };

describe('a message without words', () => {
  test.each([
    [{ new_chat_members: [ben, { id: 79, username: 'bot' }] }, 'joined', 'Joined: Ben Keel, bot'],
    [{ left_chat_member: { id: 80 } }, 'left', 'Left: 80'],
    [{ pinned_message: { message_id: 4, photo: [] } }, 'pinned', 'Pinned: message 4'],
    [{ new_chat_title: 'Quay' }, 'title_changed', 'Title changed: Quay'],
    [{ delete_chat_photo: true }, 'photo_deleted', 'Photo deleted'],
    [{ supergroup_chat_created: true }, 'chat_created', 'Supergroup created'],
    [{ migrate_to_chat_id: -1009 }, 'migrated', 'Became the supergroup: -1009'],
    [{ location: { latitude: 54.32, longitude: 10.1349991 } }, 'location', 'Location: 54.32, 10.134999'],
    [{ venue: { title: 'Lock' }, location: { latitude: 1, longitude: 2 } }, 'venue', 'Venue: Lock'],
    [{ dice: { emoji: '🎲', value: 4 } }, 'dice', 'Dice 🎲: 4'],
    [{ poll: { question: 'Who sails?' } }, 'poll', 'Poll: Who sails?'],
    [
      {
        checklist: {
          title: 'Before the tide',
          tasks: [
            { id: 1, text: 'fuel', completion_date: 0 },
            { id: 2, text: 'bread', completion_date: 1_780_000_000 },
          ],
        },
      },
      'checklist',
      'Checklist: Before the tide: fuel, ✓ bread',
    ],
    [{ game: { title: 'Lock', description: 'Raise it' } }, 'game', 'Game: Lock, Raise it'],
    [{ invoice: { title: 'Berth', description: 'One night' } }, 'invoice', 'Invoice: Berth, One night'],
    [{ checklist_tasks_added: { tasks: [{ id: 1, text: 'fuel' }] } }, 'checklist_tasks_added', 'Tasks added: fuel'],
    [{ successful_payment: { currency: 'XTR', total_amount: 5 } }, 'successful_payment', 'Payment received: 5 stars'],
    [
      { refunded_payment: { currency: 'EUR', total_amount: 4200 } },
      'refunded_payment',
      'Payment refunded: 4200 smallest units of EUR',
    ],
    [
      { video_chat_scheduled: { start_date: 1_780_000_000 } },
      'video_chat_scheduled',
      'Video chat scheduled: 2026-05-28T20:26:40.000Z',
    ],
    [{ general_forum_topic_unhidden: {} }, 'general_forum_topic_unhidden', 'General topic shown'],
    [{ web_app_data: { button_text: 'Book', data: '{"berth":\n7}' } }, 'web_app_data', 'Web app data: {"berth": 7}'],
    [{ paid_media: { star_count: 5, paid_media: [{ type: 'preview' }] } }, 'paid_media', 'Paid media: 5 stars'],
    [
      {
        suggested_post_approved: {
          suggested_post_message: { message_id: 3, text: 'tides' },
          price: { currency: 'XTR', amount: 50 },
          send_date: 1_780_000_000,
        },
      },
      'suggested_post_approved',
      'Suggested post approved: tides, 50 stars, 2026-05-28T20:26:40.000Z',
    ],
    [
      { suggested_post_approval_failed: { price: { currency: 'TON', amount: 2_500_000_000 } } },
      'suggested_post_approval_failed',
      'Approval of the suggested post failed: 2.5 TON',
    ],
    [
      { suggested_post_declined: { comment: 'too late' } },
      'suggested_post_declined',
      'Suggested post declined: too late',
    ],
    [
      { suggested_post_paid: { currency: 'XTR', star_amount: { amount: 50 } } },
      'suggested_post_paid',
      'Suggested post paid: 50 stars',
    ],
    [{ suggested_post_paid: { currency: 'TON', amount: 1e9 } }, 'suggested_post_paid', 'Suggested post paid: 1 TON'],
    [
      { suggested_post_refunded: { reason: 'post_deleted' } },
      'suggested_post_refunded',
      'Suggested post refunded: post deleted',
    ],
    [{ gift: { gift: { star_count: 15 }, text: 'for you' } }, 'gift', 'Gift: for you, 15 stars'],
    [{ gift_upgrade_sent: { gift: { star_count: 15 } } }, 'gift_upgrade_sent', 'Upgrade of a gift paid: 15 stars'],
    [
      {
        checklist_tasks_done: {
          checklist_message: { message_id: 4, checklist: { tasks: [{ id: 1, text: 'fuel' }] } },
          marked_as_done_task_ids: [1],
          marked_as_not_done_task_ids: [2],
        },
      },
      'checklist_tasks_done',
      'Tasks done: fuel; Tasks not done: task 2',
    ],
    [{ checklist_tasks_done: {} }, 'checklist_tasks_done', 'Tasks done'],
    [{ write_access_allowed: { web_app_name: 'Berths' } }, 'write_access_allowed', 'Allowed the bot to write: Berths'],
    [{ chat_background_set: { type: { type: 'wallpaper' } } }, 'chat_background_set', 'Background changed: wallpaper'],
    [{ giveaway_created: {} }, 'giveaway_created', 'Giveaway created'],
    [{ author_signature: 'A', hologram_beamed: { beam: 1 } }, 'hologram_beamed', 'Hologram beamed'],
    [{ poll: 'no object', has_protected_content: true }, 'poll', 'Poll'],
    [{}, 'unsupported', 'Unsupported message'],
    [{ text: '', hologram: null, delete_chat_photo: false }, 'unsupported', 'Unsupported message'],
  ])('%j is %s', (content, service, text) => {
    expect(readMessageFacts({ ...base, ...content })).toMatchObject({ service, text, media_type: null });
  });

  test('has a label and a service of bounded length', () => {
    const { text } = readMessageFacts({ ...base, poll: { question: '😀'.repeat(9000) } });
    expect([text?.length, text?.isWellFormed()]).toEqual([4096, true]);
    const facts = readMessageFacts({ ...base, [`x${'y'.repeat(300)}\u0000`]: 1 });
    expect([facts.service?.length, facts.text?.length]).toEqual([64, 64]);
  });
});

test('every documented field of a message is known: as an attribute, a medium, or a service with words', () => {
  const media = ['animation', 'audio', 'document', 'live_photo', 'photo', 'sticker', 'video', 'video_note', 'voice'];
  const read = [...media, 'rich_message'];
  const unread = documentedFields('Message').filter((field) => !read.includes(field) && !isReadField(field));
  expect(unread).toEqual([]);
});

test.each([
  ['a text', { text: 'hi', poll: { question: '?' } }],
  ['a medium', { photo: [{ file_id: 'p', width: 1, height: 1 }], location: { latitude: 1, longitude: 2 } }],
  ['a rich message', { rich_message: { blocks: [{ type: 'paragraph', text: 'tides' }] } }],
])('%s is no service', (_, content) => {
  expect(readMessageFacts({ ...base, ...content }).service).toBeNull();
});

test('words under something else stand before its label', () => {
  const paid = { caption: 'behind the wall', paid_media: { star_count: 5, paid_media: [{ type: 'preview' }] } };
  expect(readMessageFacts({ ...base, ...paid })).toMatchObject({ service: 'paid_media', text: 'behind the wall' });
});

test.each([
  ['member', 'kicked', { service: 'ban', label: 'Banned: Ben Keel' }],
  ['kicked', 'member', { service: 'unban', label: 'Unbanned: Ben Keel' }],
  ['left', 'member', null],
  ['kicked', 'kicked', null],
])('a member who was %s and is %s', (before, after, event) => {
  const change = {
    chat,
    old_chat_member: { user: ben, status: before },
    new_chat_member: { user: ben, status: after },
  };
  expect(readMemberService(change)).toEqual(event);
});
