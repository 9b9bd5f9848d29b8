import type { ConditionType, RoutingAction, RoutingDelivery } from '@flotilla/contract/routing-rules.ts';

/** A rule that passes messages of one bot on through another, or drops them. */
export interface RoutingRule {
  id: number;
  sourceBotId: number;
  /** The source bot itself for `drop` and `hold`, which send nothing; CHOSEN_BOT if the router chooses it. */
  targetBotId: number;
  /** The bots that the router chooses from; null: all with a description. Of other rules always null. */
  candidateBotIds: number[] | null;
  conditionType: ConditionType;
  /** An id in decimal, a phrase or a regular expression, as the type says; an instruction for the model of `llm`; '' for `all`. */
  conditionValue: string;
  action: RoutingAction;
  /** For how long `hold` takes a chat over; null for other actions. */
  actionMinutes: number | null;
  /** null for `drop` and `hold`; 0 for the chat of each message. */
  targetChatId: number | null;
  enabled: boolean;
  delivery: RoutingDelivery;
  description: string;
  createdAt: Date;
  /** On how many messages it has acted, and when it last did. */
  hits: number;
  lastHitAt: Date | null;
  /** The rules of a bot run by it, the lowest first. */
  position: number;
}

/** The fields of a rule that its author chooses. */
export type RoutingRuleContent = Omit<RoutingRule, 'id' | 'createdAt' | 'position' | 'hits' | 'lastHitAt'>;

/** A requested rule. A field that is left out keeps its value, or has none in a new rule. */
export type RoutingRuleChanges = { [Name in keyof RoutingRuleContent]?: RoutingRuleContent[Name] | undefined };
