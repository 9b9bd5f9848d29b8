import { redriveDeliveries as operation } from '@flotilla/contract/operations/deliveries.ts';
import { redriveDeliveries } from '@flotilla/domain/deliveries/redrive-deliveries.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireBot } from '../bots/require-bot.ts';

export const redriveDeliveriesEndpoint = defineEndpoint(operation, async (context, { input, by }) => {
  const redriven = await redriveDeliveries(context, by, requireBot(context, input.bot_id), input.ids);
  return { ok: true as const, redriven };
});
