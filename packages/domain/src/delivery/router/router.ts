import { MAX_CANDIDATES } from '@flotilla/contract/routing-rules.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { BackendPolicy } from '../../fleet/backend-policy/backend-policy.ts';
import type { ActiveRule } from '../../fleet/bots/active-rule.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { sharedLimiter } from '../lanes/shared-limiter.ts';
import { type Model, type ModelConfig, openModel } from './ask-model.ts';
import { type Candidate, candidateLists } from './candidate.ts';
import { chooseByWords } from './choose-by-words.ts';
import { rankByWords } from './rank-by-words.ts';
import type { Verdict } from './verdict.ts';

export type RouterConfig = {
  /** null: the built-in ranker by words decides. */
  model: ModelConfig | null;
  /** How often the model may be asked about messages to one bot in a day (UTC). */
  callsPerBotDay: number;
};

/** For what the router is asked: a message of a chat, or a trial of rules by an account. Each has its share of the calls. */
export type Asker = { chat_id: number; writerId: number | null } | { triedBy: number };

/** Room to ask about one message. */
export type Asking = {
  /** Asks about a text. Rejects only when Redis is away. */
  ask(rule: ActiveRule, text: string, signal: AbortSignal): Promise<Verdict>;
  end(): void;
};

/** Chooses bots for messages by the descriptions of the bots. */
export type Router = {
  /** null while as many questions as there may be wait for the model: ask again later. */
  begin(bot: Bot, asker: Asker): Asking | null;
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

/** Questions of a process that wait for the model; one bot, and who tries rules, has a quarter at most. */
export const ASKED_AT_ONCE = 400;
const DAY_MS = 86_400_000;

export function openRouter(deps: RouterDeps, config: RouterConfig): Router {
  const lists = candidateLists(deps.directory);
  const model = config.model === null ? null : openModel(config.model, deps.backendPolicy, ASKED_AT_ONCE);
  const room = sharedLimiter(ASKED_AT_ONCE);
  const decide = async (
    bot: Bot,
    asker: Asker,
    rule: ActiveRule,
    text: string,
    signal: AbortSignal,
  ): Promise<Verdict> => {
    const candidates = lists.of(bot, rule);
    const by = model === null ? 'words' : 'model';
    if (candidates.length === 0) {
      return { outcome: 'none', by, reason: 'no candidate has a description', ownWords: true };
    }
    if (model === null) return chooseByWords(candidates, text);
    const refused = await takeCall(deps, bot, asker, config.callsPerBotDay);
    if (refused !== null) return { outcome: 'failed', by, reason: refused, ownWords: true };
    return askModel(model, { text, instruction: rule.condition_value }, candidates, signal);
  };
  return {
    begin(bot, asker) {
      const holder = 'chat_id' in asker ? `bot ${bot.id}` : `account ${asker.triedBy}`;
      if (room.offer(1, holder) === 0) return null;
      room.take(holder);
      return {
        async ask(rule, text, signal) {
          const began = performance.now();
          const verdict = await decide(bot, asker, rule, text, signal);
          deps.measure.asked(verdict, performance.now() - began);
          return verdict;
        },
        end: () => room.giveBack(holder),
      };
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

/** A chat, and who writes in it, gets a tenth of the calls that are left, so that a few that ask on and on never use up what others need. */
const SHARE_OF_CHAT = 1 / 9;
/** Who tries rules gets half of the trials that are left. */
const SHARE_OF_ACCOUNT = 1;
const FEW_TRIALS = 20;

/** Trials of rules have calls of their own, a tenth as many as messages. */
function trialsOf(callsPerBotDay: number): number {
  return Math.min(callsPerBotDay, Math.max(FEW_TRIALS, Math.floor(callsPerBotDay / 10)));
}

/** Counts a call of the day; if there is none for who asks, says so. */
async function takeCall(
  { redis, clock }: RouterDeps,
  bot: Bot,
  asker: Asker,
  callsPerBotDay: number,
): Promise<string | null> {
  const day = Math.floor(clock.nowMs() / DAY_MS);
  const [kind, who, writer, atMost, share] =
    'chat_id' in asker
      ? (['live', `${asker.chat_id}`, writerOf(asker), callsPerBotDay, SHARE_OF_CHAT] as const)
      : (['trial', `${asker.triedBy}`, null, trialsOf(callsPerBotDay), SHARE_OF_ACCOUNT] as const);
  const keys = { calls: botKeys(bot.id).modelCalls(kind, day) };
  const limits = { atMost, share, keptMs: 2 * DAY_MS };
  const { outcome } = await scripts.takeModelCall(redis.commands, keys, { who, writer, ...limits });
  if (outcome === 'TAKEN') return null;
  const calls = kind === 'live' ? 'calls' : 'trials';
  if (outcome === 'NONE_LEFT') return `the ${atMost} ${calls} of this day are used up`;
  return `the share of this ${kind === 'live' ? 'chat or person' : 'account'} in the ${atMost} ${calls} of this day is used up`;
}

/** null in a private chat, which is that of its writer. */
function writerOf({ chat_id, writerId }: { chat_id: number; writerId: number | null }): string | null {
  return writerId === null || writerId === chat_id ? null : `${writerId}`;
}
