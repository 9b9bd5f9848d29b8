import type { PlatformAnswer } from '@flotilla/telegram/platform-answer.ts';
import type { PollingClient } from '@flotilla/telegram/polling-client.ts';
import { type SlicedUpdate, sliceResult } from '@flotilla/telegram/slice-updates.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { BotDeps } from '../../fleet/bots/bot-deps.ts';
import { askedKinds } from '../../fleet/bots/named-kinds.ts';
import { TOKEN_REFUSED } from '../../fleet/bots/validate-token.ts';
import { serverWords } from '../../fleet/upstreams/server-words.ts';

export type AskedFor =
  | { outcome: 'updates'; updates: SlicedUpdate[]; pollOffset: number | null }
  /** The platform refused, was unreachable, or answered garbage; `retryAfterS` when it named a time. */
  | FailedPoll
  | { outcome: 'aborted' };

export type FailedPoll = {
  outcome: 'failed';
  reason: string;
  pause: 'short' | 'long';
  retryAfterS?: number;
  /** Another way of intake is in use at the platform: a webhook, or another getUpdates. */
  isConflict?: boolean;
  isTokenRefused?: boolean;
};

const LIMIT = 100;
/** How much longer than its own timeout the platform may take to answer. */
const SLACK_MS = 10_000;

/** One getUpdates at the platform, for every kind of update. `offset` 0 asks from the oldest it keeps. */
export async function askForUpdates(
  deps: { pollingClient: PollingClient } & Pick<BotDeps, 'extraKinds'>,
  bot: Bot,
  request: { offset: number; timeoutS: number; signal: AbortSignal },
): Promise<AskedFor> {
  const answer = await deps.pollingClient.getUpdates(
    bot.token,
    {
      ...(request.offset > 0 ? { offset: request.offset } : {}),
      limit: LIMIT,
      timeout: request.timeoutS,
      allowed_updates: askedKinds(deps, bot),
    },
    { timeoutMs: request.timeoutS * 1000 + SLACK_MS, signal: request.signal, at: bot },
  );
  if (request.signal.aborted) return { outcome: 'aborted' };
  if (answer.outcome !== 'ok') return failureOf(answer, bot);
  const sliced = sliceResult(answer.text, answer.result);
  if (sliced === null)
    return { outcome: 'failed', reason: 'The platform sent an answer that cannot be read', pause: 'short' };
  const newest = sliced.updates.at(-1);
  return { outcome: 'updates', updates: sliced.updates, pollOffset: newest ? newest.updateId + 1 : null };
}

function failureOf(answer: Exclude<PlatformAnswer, { outcome: 'ok' }>, bot: Bot): AskedFor {
  switch (answer.outcome) {
    case 'refused': {
      const hopeless = answer.errorCode === 401 || answer.errorCode === 403 || answer.errorCode === 404;
      const said = `${answer.errorCode} ${answer.description}`;
      return {
        outcome: 'failed',
        reason: answer.errorCode === 401 ? `${TOKEN_REFUSED} (${said})` : said,
        pause: hopeless ? 'long' : 'short',
        isConflict: answer.errorCode === 409,
        isTokenRefused: answer.errorCode === 401,
        ...(answer.retryAfterS === undefined ? {} : { retryAfterS: answer.retryAfterS }),
      };
    }
    case 'unreachable':
      return {
        outcome: 'failed',
        reason: `${capitalized(serverWords(bot))} could not be reached: ${answer.reason}`,
        pause: 'short',
      };
    case 'garbage':
      return {
        outcome: 'failed',
        reason: `${capitalized(serverWords(bot))} answered with status ${answer.status}: ${answer.reason}`,
        pause: 'short',
      };
  }
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
