import { type ActiveRule, CHOSEN_BOT } from '../../fleet/bots/active-rule.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';

/** A bot that the router may choose. */
export type Candidate = { id: number; name: string; description: string };

export type CandidateRule = Pick<ActiveRule, 'id' | 'target_bot_id' | 'candidate_bot_ids'>;

export type CandidateLists = {
  /** The bots that a rule may choose now: enabled ones with a description, in the order of their ids. */
  of(source: Bot, rule: CandidateRule): readonly Candidate[];
  close(): void;
};

/** Keeps the list of each rule until a bot changes: to look through ten thousand bots takes milliseconds. */
export function candidateLists(directory: BotDirectory): CandidateLists {
  const lists = new Map<string, readonly Candidate[]>();
  const stop = directory.onChange(() => lists.clear());
  return {
    of(source, rule) {
      const key = `${rule.id}:${source.revision}`;
      const list = lists.get(key) ?? listOf(directory, source, rule);
      lists.set(key, list);
      return list;
    },
    close: stop,
  };
}

/** True if a rule names a bot as one that may send, also if that bot is disabled now or has no description any more. */
export function namesBot(source: Pick<Bot, 'id'>, rule: CandidateRule, botId: number): boolean {
  if (rule.target_bot_id !== CHOSEN_BOT) return botId === rule.target_bot_id;
  return rule.candidate_bot_ids?.includes(botId) ?? botId !== source.id;
}

function listOf(directory: BotDirectory, source: Bot, rule: CandidateRule): Candidate[] {
  return botsOf(directory, source, rule)
    .filter((bot) => !bot.disabled && bot.description.trim() !== '')
    .sort((one, other) => one.id - other.id)
    .map(({ id, name, description }) => ({ id, name, description }));
}

function botsOf(directory: BotDirectory, source: Bot, { target_bot_id, candidate_bot_ids }: CandidateRule): Bot[] {
  const named = target_bot_id === CHOSEN_BOT ? (candidate_bot_ids ?? null) : [target_bot_id];
  if (named === null) return directory.all().filter(({ id }) => id !== source.id);
  return named.flatMap((id) => directory.byId(id) ?? []);
}
