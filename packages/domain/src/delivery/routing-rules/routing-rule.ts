import type { ConditionType, RoutingAction, RoutingDelivery } from '@flotilla/contract/routing-rules.ts';

/** A rule that passes messages of one bot on through another, or drops them. */
export interface RoutingRule {
  id: number;
  source_bot_id: number;
  /** The source bot itself for `drop` and `hold`, which send nothing; CHOSEN_BOT if the router chooses it. */
  target_bot_id: number;
  /** The bots that the router chooses from; null: all with a description. Of other rules always null. */
  candidate_bot_ids: number[] | null;
  condition_type: ConditionType;
  /** An id in decimal, a phrase or a regular expression, as the type says; an instruction for the model of `llm`; '' for `all`. */
  condition_value: string;
  action: RoutingAction;
  /** For how long `hold` takes a chat over; null for other actions. */
  action_minutes: number | null;
  /** null for `drop` and `hold`; 0 for the chat of each message. */
  target_chat_id: number | null;
  enabled: boolean;
  delivery: RoutingDelivery;
  description: string;
  created_at: Date;
  /** On how many messages it has acted, and when it last did. */
  hits: number;
  last_hit_at: Date | null;
  /** The rules of a bot run by it, the lowest first. */
  position: number;
}

/** The fields of a rule that its author chooses. */
export type RoutingRuleContent = Omit<RoutingRule, 'id' | 'created_at' | 'position' | 'hits' | 'last_hit_at'>;

/** A requested rule. A field that is left out keeps its value, or has none in a new rule. */
export type RoutingRuleChanges = { [Name in keyof RoutingRuleContent]?: RoutingRuleContent[Name] | undefined };
