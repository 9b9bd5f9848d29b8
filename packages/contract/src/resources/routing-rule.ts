import { z } from 'zod';

export const CONDITION_TYPES = ['chat_id', 'user_id', 'keyword', 'text', 'all'] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

export const ROUTING_ACTIONS = ['forward', 'copy', 'drop'] as const;
export type RoutingAction = (typeof ROUTING_ACTIONS)[number];

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
    description: z.string(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Route' });

export type RoutingRuleResource = z.infer<typeof routingRuleResource>;
