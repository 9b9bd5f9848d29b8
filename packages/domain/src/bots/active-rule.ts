import type { ConditionType, RoutingAction, RoutingDelivery } from '@flotilla/contract/routing-rules.ts';

/** As a rule's target chat: the chat that the message came from. No chat of the platform has this id. */
export const SOURCE_CHAT = 0;

/** An enabled routing rule, as the configuration of its source bot carries it. */
export type ActiveRule = {
  id: number;
  targetBotId: number;
  conditionType: ConditionType;
  conditionValue: string;
  action: RoutingAction;
  /** null for drop, which needs no target; SOURCE_CHAT for the chat of each message. */
  targetChatId: number | null;
  /** What a crash between sending and recording does: sends that one message again, or leaves it out. */
  delivery: RoutingDelivery;
};
