import type { RoutingRuleRow, routingRule } from '@flotilla/contract/routing-rules.ts';

/** A rule that passes messages of one bot on through another, or drops them. */
export type RoutingRule = Omit<RoutingRuleRow, 'target_bot_id' | 'position'> & {
  /** The source bot itself for `drop` and `hold`, which send nothing; CHOSEN_BOT if the router chooses it. */
  target_bot_id: number;
  /** On how many messages it has acted, and when it last did. */
  hits: number;
  last_hit_at: Date | null;
  /** The rules of a bot run by it, the lowest first. */
  position: number;
};

/** The fields of a rule that its author chooses. */
export type RoutingRuleContent = Pick<RoutingRule, keyof (typeof routingRule)['changeInputs']>;

/** A requested rule. A field that is left out keeps its value, or has none in a new rule. */
export type RoutingRuleChanges = { [Name in keyof RoutingRuleContent]?: RoutingRuleContent[Name] | undefined };
