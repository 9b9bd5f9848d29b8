import { type Caller, seesBot } from '../../people/accounts/caller.ts';
import { NAMED_PARENT } from '../../people/audit/actor.ts';

/** In place of a bot that the caller does not see. No bot has it. */
const UNSEEN_BOT = 0;
/** The bot that the router chose, in the name of a destination (`choiceIn`) and in the id of an attempt. */
const CHOSEN = /\b(rule[ -]\d+),[ -]bot[ -](\d+)/g;
/** The bots of a rule, as the audit log describes it. */
const BOTS_OF_RULE = /\b(?:source_bot_id|target_bot_id|candidate_bot_ids): [^;]*/g;

/** The id of a rule's bot, as a caller may know it. */
export function shownBot(caller: Caller, botId: number): number {
  return seesBot(caller, botId) ? botId : UNSEEN_BOT;
}

/** A text of Flotilla about rules or an adoption, without the bots that the caller does not see. */
export function withoutUnseenBots(caller: Caller, text: string): string {
  if (caller.scope.bots === 'all') return text;
  return text
    .replace(CHOSEN, (whole, rule: string, bot: string) => (seesBot(caller, Number(bot)) ? whole : rule))
    .replace(NAMED_PARENT, (whole, before: string, bot: string) =>
      seesBot(caller, Number(bot)) ? whole : `${before} another bot`,
    )
    .replace(BOTS_OF_RULE, (bots) => bots.replace(/\d+/g, (id) => `${shownBot(caller, Number(id))}`));
}
