import { z } from 'zod';
import type { SimBot } from '../bots/sim-bot.ts';
import { mayAsk, type Widget } from '../methods/widgets.ts';
import { publishUpdate } from '../updates/publish-update.ts';
import { ControlError } from './control-error.ts';
import { inChat, MESSAGE_ID } from './fields.ts';
import { botOf, messageOf, placeOf } from './lookups.ts';
import { operation } from './operation.ts';
import { authorOf, chatInstance, openQuery } from './queries.ts';

const TAPS = { atMost: 5, inMs: 5_000 };
const TAP_LIVES_MS = 15_000;
const TAP_BYTES = 64;

export const tapWidget = operation(
  'A person taps a widget of a bot; answers the id of the query, which the bot has 15 s to answer',
  {
    input: inChat({
      messageId: MESSAGE_ID,
      data: z.string().default('tap').describe('what the widget asks the bot'),
      forwarded: z.boolean().default(false).describe('the tap is on a shared widget in a forwarded message'),
    }),
    example: { person: 424_242, bot: 1_000_000_001, messageId: 2, data: 'berth:7' },
  },
  (sim, input): { queryId: string } => {
    const { person, chat } = placeOf(sim, input);
    const message = messageOf(chat, input.messageId);
    const widget = message.widget as Widget | undefined;
    if (widget === undefined) throw new ControlError(`message ${input.messageId} has no widget`);
    const bot = botOf(sim, authorOf(sim, message));
    if (!mayAsk(bot, message)) throw new ControlError('the bot did not allow this widget to ask');
    const bytes = Buffer.byteLength(input.data);
    if (bytes === 0 || bytes > TAP_BYTES) throw new ControlError(`data must have 1 to ${TAP_BYTES} bytes`);
    if (input.forwarded && widget.id === undefined) throw new ControlError('the widget is not shared');
    const nowMs = sim.clock.nowMs();
    countTap(bot, person.id, nowMs);
    const untilMs = nowMs + TAP_LIVES_MS;
    const queryId = openQuery(sim, { botId: bot.user.id, kind: 'widget', answer: null, untilMs });
    const asked = {
      type: { type: 'data' },
      data: input.data,
      ...(widget.id !== undefined && { widget_id: widget.id }),
    };
    if (input.forwarded) publishUpdate(sim, bot, 'shared_widget_query', { id: queryId, from: person, ...asked });
    else {
      const place = { chat: message.chat, message_id: message.message_id, chat_instance: chatInstance(chat) };
      publishUpdate(sim, bot, 'widget_query', { id: queryId, from: person, ...place, ...asked });
    }
    return { queryId };
  },
);

/** Over all widgets of the bot. */
function countTap(bot: SimBot, person: number, nowMs: number): void {
  const recent = (bot.taps.get(person) ?? []).filter((tapMs) => tapMs > nowMs - TAPS.inMs);
  if (recent.length >= TAPS.atMost) {
    throw new ControlError(`a person may tap ${TAPS.atMost} times in ${TAPS.inMs / 1000} s`);
  }
  bot.taps.set(person, [...recent, nowMs]);
}
