import { describe, expect, test } from '@jest/globals';
import type { ActiveRule } from '../../fleet/bots/active-rule.ts';
import { meets } from './matching-rules.ts';

const rule = (conditionType: ActiveRule['conditionType'], conditionValue: string): ActiveRule => ({
  ...{ id: 1, targetBotId: 2, action: 'copy', targetChatId: 5, delivery: 'at_least_once' },
  ...{ conditionType, conditionValue },
});
const chat = { id: -1_001, type: 'supergroup', title: 'Harbour' };
const anonymous = { id: 1_087_968_824, is_bot: true, first_name: 'Group' };

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
