import type { ConditionType, RoutingAction, RoutingDelivery } from '@flotilla/contract/routing-rules.ts';

/** In place of a target chat, this id means the chat of the message. No chat of the platform has it. */
export const SOURCE_CHAT = 0;

/** In place of a target bot, this id means the one that the router chooses for each message. No bot has it. */
export const CHOSEN_BOT = 0;

/** An enabled routing rule, as the configuration of its source bot carries it. */
export type ActiveRule = {
  id: number;
  /** CHOSEN_BOT for a rule whose target the router chooses. */
  target_bot_id: number;
  /** Of a rule whose target the router chooses: the bots it chooses from; null: all with a description. */
  candidate_bot_ids?: number[] | null;
  condition_type: ConditionType;
  condition_value: string;
  /** Of a condition about a chat: the group that the chat was before, whose last updates may still come. */
  formerChatIds?: number[];
  action: RoutingAction;
  /** Of hold: for how long it takes a chat over. */
  action_minutes?: number | null;
  /** null for drop and hold, which need no target; SOURCE_CHAT for the chat of each message. */
  target_chat_id: number | null;
  /** After a crash between sending and recording: send the message again, or leave it out. */
  delivery: RoutingDelivery;
};

/** Of rules with other actions, nothing is sent. */
export function sendsMessages(action: RoutingAction): boolean {
  return action === 'forward' || action === 'copy';
}
