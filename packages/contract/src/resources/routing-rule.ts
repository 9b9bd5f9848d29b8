import { z } from 'zod';

export const CONDITION_TYPES = ['chat_id', 'user_id', 'keyword', 'text', 'all'] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

export const ROUTING_ACTIONS = ['forward', 'copy', 'drop'] as const;
export type RoutingAction = (typeof ROUTING_ACTIONS)[number];

/** What a crash between sending a message and recording it does: sends it again, or leaves it out. */
export const ROUTING_DELIVERIES = ['at_least_once', 'at_most_once'] as const;
export type RoutingDelivery = (typeof ROUTING_DELIVERIES)[number];

export const routingRuleResource = z
  .strictObject({
    id: z.int(),
    source_bot_id: z.int(),
    target_bot_id: z.int(),
    condition_type: z.enum(CONDITION_TYPES),
    condition_value: z.string(),
    action: z.enum(ROUTING_ACTIONS),
    target_chat_id: z.int().optional().describe('Absent only where the action is drop.'),
    enabled: z.boolean(),
    delivery: z
      .enum(ROUTING_DELIVERIES)
      .describe('Whether the one message that is under way in a crash may be sent twice or not at all.'),
    description: z.string(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Route' });

export type RoutingRuleResource = z.infer<typeof routingRuleResource>;
