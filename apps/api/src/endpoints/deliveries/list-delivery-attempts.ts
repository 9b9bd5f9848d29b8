import { listDeliveryAttempts } from '@flotilla/contract/operations/deliveries.ts';
import { listAttempts } from '@flotilla/domain/deliveries/list-attempts.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { requireBot } from '../bots/require-bot.ts';

export const listDeliveryAttemptsEndpoint = defineEndpoint(listDeliveryAttempts, (context, { input }) =>
  listAttempts(context, requireBot(context, input.bot_id)),
);
