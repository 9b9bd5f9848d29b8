import { UPDATE_KINDS } from '@flotilla/contract/bot-api/update-kinds.ts';
import { describe, expect, test } from '@jest/globals';
import { readUpdateFacts } from './update-facts.ts';

const DAY_S = 86_400;
const nowS = 1_780_000_000;
const chat = { id: -1001234567890, type: 'supergroup' };
const user = { id: 77, is_bot: false };

function facts(kind: string, payload: Record<string, unknown>) {
  return readUpdateFacts({ update_id: 1, [kind]: payload });
}

describe('lanes', () => {
  test.each([
    ['message', { chat }, 'c:-1001234567890'],
    ['edited_message', { chat }, 'c:-1001234567890'],
    ['channel_post', { chat }, 'c:-1001234567890'],
    ['edited_channel_post', { chat }, 'c:-1001234567890'],
    ['guest_message', { chat }, 'c:-1001234567890'],
    ['my_chat_member', { chat, from: user }, 'c:-1001234567890'],
    ['business_message', { chat }, 'bm:-1001234567890'],
    ['edited_business_message', { chat }, 'bm:-1001234567890'],
    ['deleted_business_messages', { chat }, 'bm:-1001234567890'],
    ['inline_query', { from: user }, 'iq:77'],
    ['chosen_inline_result', { from: user }, 'ci:77'],
    ['callback_query', { from: user, message: { chat } }, 'cb:77'],
    ['shipping_query', { from: user }, 'pay:77'],
    ['pre_checkout_query', { from: user }, 'pay:77'],
    ['poll', { id: '5' }, 'poll:5'],
    ['poll_answer', { poll_id: '5', user }, 'poll:5'],
    ['chat_member', { chat, from: user }, 'mem:77'],
    ['chat_join_request', { chat, from: user }, 'mem:77'],
    ['chat_boost', { chat }, 'boost:-1001234567890'],
    ['removed_chat_boost', { chat }, 'boost:-1001234567890'],
    ['message_reaction', { chat }, 'react:-1001234567890'],
    ['message_reaction_count', { chat }, 'rcount:-1001234567890'],
    ['business_connection', { id: 'b', user }, 'bc:77'],
    ['purchased_paid_media', { from: user }, 'paid:77'],
    ['managed_bot', { user, bot: { id: 78 } }, 'mb:78'],
    ['subscription', { user, invoice_payload: 'p', state: 'canceled' }, 'sub:77'],
    ['stopped_message_generation', { chat, draft_id: 5 }, 'stop:-1001234567890'],
    ['widget_query', { chat, from: user }, 'wq:77'],
    ['shared_widget_query', { from: user }, 'sw:77'],
    ['hologram', { chat, from: user }, 'k:hologram:-1001234567890:77'],
    ['hologram', { message: { chat } }, 'k:hologram:-1001234567890:'],
  ])('%s', (kind, payload, lane) => {
    expect(facts(kind, payload)).toMatchObject({ kind, lane });
  });

  test('every kind has one even when its payload is empty', () => {
    for (const kind of UPDATE_KINDS) expect(facts(kind, {}).lane).toBe(`k:${kind}`);
  });

  test('unknown kinds, hostile names and empty updates have one too', () => {
    expect(facts('hologram', { beam: 1 })).toEqual({
      kind: 'hologram',
      lane: 'k:hologram',
      keepMs: 864e5,
      expiresAtMs: null,
    });
    expect(facts('constructor', {}).lane).toBe('k:constructor');
    expect(readUpdateFacts({ update_id: 1 })).toMatchObject({ kind: '', lane: 'k:' });
    expect(readUpdateFacts({ update_id: 1, message: null })).toMatchObject({ lane: 'k:message' });
  });
});

describe('expiry', () => {
  const day = (eventS: number | null) => ({
    keepMs: DAY_S * 1000,
    expiresAtMs: eventS === null ? null : (eventS + DAY_S) * 1000,
  });

  test('a message lives a day from its date, or from its edit; without a date, from its arrival', () => {
    expect(facts('message', { chat, date: nowS - 600 })).toMatchObject(day(nowS - 600));
    const edited = { chat, date: nowS - 5 * DAY_S, edit_date: nowS - 60 };
    expect(facts('edited_message', edited)).toMatchObject(day(nowS - 60));
    expect(facts('message', { chat })).toMatchObject(day(null));
  });

  test('boosts are dated by their own fields', () => {
    expect(facts('chat_boost', { chat, boost: { add_date: nowS - 60 } })).toMatchObject(day(nowS - 60));
    expect(facts('removed_chat_boost', { chat, remove_date: nowS - 9 })).toMatchObject(day(nowS - 9));
  });

  test.each([
    ['callback_query', 150],
    ['shipping_query', 150],
    ['pre_checkout_query', 150],
    ['chosen_inline_result', 600],
    ['inline_query', 30],
    ['poll', DAY_S],
    ['poll_answer', DAY_S],
    ['business_connection', DAY_S],
    ['deleted_business_messages', DAY_S],
    ['purchased_paid_media', DAY_S],
    ['managed_bot', DAY_S],
    ['subscription', DAY_S],
    ['stopped_message_generation', DAY_S],
    ['widget_query', 15],
    ['shared_widget_query', 15],
    ['hologram', DAY_S],
    ['hologram_query', 30],
  ])('%s lives %i s from its arrival', (kind, seconds) => {
    expect(facts(kind, { from: user, date: 1 })).toMatchObject({ keepMs: seconds * 1000, expiresAtMs: null });
  });
});
