import { MAX_CANDIDATES } from '@flotilla/contract/routing-rules.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { BackendPolicy } from '../../fleet/backend-policy/backend-policy.ts';
import type { ActiveRule } from '../../fleet/bots/active-rule.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { type Model, type ModelConfig, openModel } from './ask-model.ts';
import { type Candidate, candidateLists } from './candidate.ts';
import { chooseByWords } from './choose-by-words.ts';
import { rankByWords } from './rank-by-words.ts';
import type { Verdict } from './verdict.ts';

export type RouterConfig = {
  /** null: the built-in ranker by words decides. */
  model: ModelConfig | null;
  /** How often the model may be asked for one bot in a day (UTC). */
  callsPerBotDay: number;
};

/** Chooses bots for messages by the descriptions of the bots. */
export type Router = {
  /** Asks about a text. Rejects only when Redis is away. */
  ask(bot: Bot, rule: ActiveRule, text: string, signal: AbortSignal): Promise<Verdict>;
  /** True if the rule may choose this bot now. */
  mayChoose(bot: Bot, rule: ActiveRule, targetBotId: number): boolean;
  close(): Promise<void>;
};

type RouterDeps = {
  redis: RedisHandles;
  directory: BotDirectory;
  clock: Clock;
  backendPolicy: BackendPolicy;
  measure: MeasureRouter;
};

export type MeasureRouter = {
  /** Somebody was asked; `tookMs` is how long the answer took. */
  asked(verdict: Verdict, tookMs: number): void;
};

const DAY_MS = 86_400_000;

export function openRouter(deps: RouterDeps, config: RouterConfig): Router {
  const lists = candidateLists(deps.directory);
  const model = config.model === null ? null : openModel(config.model, deps.backendPolicy);
  const decide = async (bot: Bot, rule: ActiveRule, text: string, signal: AbortSignal): Promise<Verdict> => {
    const candidates = lists.of(bot, rule);
    const by = model === null ? 'words' : 'model';
    if (candidates.length === 0) {
      return { outcome: 'none', by, reason: 'no candidate has a description', ownWords: true };
    }
    if (model === null) return chooseByWords(candidates, text);
    if (!(await mayAsk(deps, bot, config.callsPerBotDay))) {
      return {
        ...{ outcome: 'failed', by, ownWords: true },
        reason: `the ${config.callsPerBotDay} calls of this day are used up`,
      };
    }
    return askModel(model, { text, instruction: rule.conditionValue }, candidates, signal);
  };
  return {
    async ask(bot, rule, text, signal) {
      const began = performance.now();
      const verdict = await decide(bot, rule, text, signal);
      deps.measure.asked(verdict, performance.now() - began);
      return verdict;
    },
    mayChoose: (bot, rule, targetBotId) => lists.of(bot, rule).some(({ id }) => id === targetBotId),
    async close() {
      lists.close();
      await model?.close();
    },
  };
}

/** Of many candidates the model reads those whose words fit best, and others until the list is full. */
function askModel(
  model: Model,
  question: { text: string; instruction: string },
  candidates: readonly Candidate[],
  signal: AbortSignal,
): Promise<Verdict> {
  if (candidates.length <= MAX_CANDIDATES) return model.ask(question, candidates, signal);
  const places = new Map(rankByWords(candidates, question.text).map(({ id }, place) => [id, place]));
  const placeOf = ({ id }: Candidate) => places.get(id) ?? places.size;
  const fitting = [...candidates].sort((one, other) => placeOf(one) - placeOf(other)).slice(0, MAX_CANDIDATES);
  return model.ask(question, fitting, signal);
}

/** Counts a call of the day, unless they are used up. */
async function mayAsk({ redis, clock }: RouterDeps, bot: Bot, atMost: number): Promise<boolean> {
  const key = botKeys(bot.id).modelCalls(Math.floor(clock.nowMs() / DAY_MS));
  const [count] = await redis.runMany([
    ['incr', key],
    ['pexpire', key, 2 * DAY_MS],
  ]);
  return Number(count) <= atMost;
}
