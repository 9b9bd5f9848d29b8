import { z } from 'zod';
import { listOf, ownId } from '../input-types.ts';
import { defineOperation } from '../operation.ts';
import { pagedInputs } from '../paging.ts';
import { attemptResource, deliveryResource } from '../resources/delivery.ts';

export const listDeliveries = defineOperation({
  name: 'listDeliveries',
  method: 'GET',
  paths: ['/api/deliveries'],
  role: 'any',
  summary: 'Updates that have not reached their reader: those tried again first, then dead letters, newest first.',
  input: z.object({
    bot_id: ownId(),
    state: z.enum(['retrying', 'dead']).optional(),
    ...pagedInputs({ default: 50, max: 200 }),
  }),
  output: z.array(deliveryResource),
  botInputs: ['bot_id'],
});

export const listDeliveryAttempts = defineOperation({
  name: 'listDeliveryAttempts',
  method: 'GET',
  paths: ['/api/deliveries/attempts'],
  role: 'any',
  summary: "The last 100 tries to deliver this bot's updates, newest first.",
  input: z.object({ bot_id: ownId() }),
  output: z.array(attemptResource),
  botInputs: ['bot_id'],
});

const MAX_IDS = 1000;

export const redriveDeliveries = defineOperation({
  name: 'redriveDeliveries',
  method: 'POST',
  audit: ['redrive'],
  paths: ['/api/deliveries/redrive'],
  role: 'admin',
  summary:
    'Sends dead letters of push and of rules again, in the order of their updates; all of the bot where no ids are given.',
  input: z.object({ bot_id: ownId(), ids: listOf(ownId(), MAX_IDS).optional() }),
  output: z.strictObject({ ok: z.literal(true), redriven: z.int() }).meta({ id: 'Redriven' }),
  botInputs: ['bot_id'],
});
