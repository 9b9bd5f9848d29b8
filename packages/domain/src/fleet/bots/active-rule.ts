import type { ConditionType, RoutingAction, RoutingDelivery } from '@flotilla/contract/routing-rules.ts';

/** As a target chat, this id means the chat of the message. No chat of the platform has it. */
export const SOURCE_CHAT = 0;

/** An enabled routing rule, as the configuration of its source bot carries it. */
export type ActiveRule = {
  id: number;
  targetBotId: number;
  conditionType: ConditionType;
  conditionValue: string;
  /** Of a condition about a chat: the group that the chat was before, whose last updates may still come. */
  formerChatIds?: number[];
  action: RoutingAction;
  /** null for drop, which needs no target; SOURCE_CHAT for the chat of each message. */
  targetChatId: number | null;
  /** After a crash between sending and recording: send the message again, or leave it out. */
  delivery: RoutingDelivery;
};
