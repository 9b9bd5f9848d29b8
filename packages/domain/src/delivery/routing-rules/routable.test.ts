import { aBot } from '@flotilla/testing/a-bot.ts';
import { expect, test } from '@jest/globals';
import type { ActiveRule } from '../../fleet/bots/active-rule.ts';
import { readRoutable } from './route-unit.ts';
import type { RoutingDeps } from './routing-deps.ts';
import { rulesForMessage } from './rules-for-message.ts';

const rule: ActiveRule = {
  ...{ id: 5, target_bot_id: 0, candidate_bot_ids: [2, 3], condition_type: 'llm', condition_value: '' },
  ...{ action: 'copy', target_chat_id: 0, delivery: 'at_least_once' },
};
const bot = aBot({ rules: [rule] });
const message = {
  message_id: 9,
  chat: { id: 42, type: 'private' },
  text: 'Refund',
  media_group_id: '77',
  reply_to_message: { message_id: 8, from: { id: bot.telegram_id } },
};

test.each(['edited_message', 'edited_channel_post', 'edited_business_message'])(
  'an update of the kind %s is not routed, though one that a parked program took alone is shown',
  (kind) => {
    const shown = (of: string) => ({
      id: 1,
      lane: '42',
      kind: of,
      raw: JSON.stringify({ update_id: 1, [of]: message }),
    });
    expect(readRoutable(bot, shown('message'))).toEqual({ lane: '42', album: '77' });
    expect(readRoutable(bot, shown(kind))).toBeNull();
  },
);

/** A bot that the router chose before is read from the progress, without stores. */
const sendersOf = async (rules: ActiveRule[], progress: Parameters<typeof rulesForMessage>[3]) => {
  const found = await rulesForMessage(
    {} as RoutingDeps,
    aBot({ rules }),
    { kind: 'message', messages: [message] },
    progress,
    AbortSignal.timeout(1),
  );
  return typeof found === 'string' ? found : found.map(({ target_bot_id }) => target_bot_id);
};

test.each([
  ['a retry', { to: {}, chosen: { ruleId: 5, targetBotId: 2 } }],
  ['a redrive', { to: {}, only: ['rule 5, bot 2'] }],
])('%s sends by the chosen bot, but not once it was taken from the rule', async (_, progress) => {
  expect(await sendersOf([rule], { ...progress })).toEqual([2]);
  expect(await sendersOf([{ ...rule, candidate_bot_ids: null }], { ...progress })).toEqual([2]);
  expect(await sendersOf([{ ...rule, candidate_bot_ids: [3] }], { ...progress })).toEqual([]);
  expect(await sendersOf([{ ...rule, target_bot_id: 3, candidate_bot_ids: null }], { ...progress })).toEqual([]);
  expect(await sendersOf([{ ...rule, id: 6 }], { ...progress })).toEqual([]);
});
