import { describe, expect, test } from '@jest/globals';
import type { ActiveRule } from '../../fleet/bots/active-rule.ts';
import { meets } from './matching-rules.ts';

const rule = (conditionType: ActiveRule['condition_type'], conditionValue: string): ActiveRule => ({
  ...{ id: 1, target_bot_id: 2, action: 'copy', target_chat_id: 5, delivery: 'at_least_once' },
  ...{ condition_type: conditionType, condition_value: conditionValue },
});
const chat = { id: -1_001, type: 'supergroup', title: 'Harbour' };
const anonymous = { id: 1_087_968_824, is_bot: true, first_name: 'Group' };

describe('a rule by topic', () => {
  const inTopic = (id: number) => ({ chat, message_thread_id: id, is_topic_message: true });
  const forum = { ...chat, is_forum: true };

  test('matches messages of that topic of that chat', () => {
    expect(meets(rule('thread_id', ' -1001:120 '), inTopic(120))).toBe(true);
    expect(meets(rule('thread_id', '-1001:120'), inTopic(121))).toBe(false);
    expect(meets(rule('thread_id', '-1002:120'), inTopic(120))).toBe(false);
    expect(meets(rule('thread_id', '-1001:120'), { chat, message_thread_id: 120 })).toBe(false);
  });

  test('of 0 matches what is outside topics and General, of 1 General alone', () => {
    expect(meets(rule('thread_id', '-1001:0'), { chat })).toBe(true);
    expect(meets(rule('thread_id', '-1001:0'), { chat: forum })).toBe(true);
    expect(meets(rule('thread_id', '-1001:1'), { chat: forum })).toBe(true);
    expect(meets(rule('thread_id', '-1001:1'), { chat })).toBe(false);
    expect(meets(rule('thread_id', '-1001:0'), inTopic(120))).toBe(false);
  });

  test('means the group that its chat was, too', () => {
    const moved = { ...rule('thread_id', '-1001:0'), formerChatIds: [-41] };
    expect(meets(moved, { chat: { id: -41, type: 'group' } })).toBe(true);
  });
});

describe('a rule by author', () => {
  test('matches a user', () => {
    expect(meets(rule('user_id', ' 7'), { chat, from: { id: 7 } })).toBe(true);
    expect(meets(rule('user_id', '8'), { chat, from: { id: 7 } })).toBe(false);
    expect(meets(rule('user_id', ''), { chat })).toBe(false);
  });

  test('matches the chat in whose name a message is written, not the platform’s stand-in', () => {
    const message = { chat, from: anonymous, sender_chat: chat };
    expect(meets(rule('user_id', String(chat.id)), message)).toBe(true);
    expect(meets(rule('user_id', String(anonymous.id)), message)).toBe(false);
  });
});
