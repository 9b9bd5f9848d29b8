import type { ChannelWaiters } from '@flotilla/redis/channel-waiters.ts';
import type { TurnLease, TurnOutcome } from '@flotilla/redis/turn-worker.ts';
import { type Bot, pushes } from '../../fleet/bots/bot.ts';
import type { BotDeps } from '../../fleet/bots/bot-deps.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { botForTurn } from '../../fleet/bots/bot-for-turn.ts';
import { clearBackend } from '../../fleet/bots/clear-backend.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { runTurn } from '../lanes/run-turn.ts';
import { type BackendOwner, type BackendReaderDeps, backendReader, GONE, logClosed } from './backend-reader.ts';
import { closeOtherBreakers } from './close-other-breakers.ts';

export type PushTurnDeps = BackendReaderDeps &
  BotDeps & {
    directory: BotDirectory;
    /** Tells a running turn about new updates. */
    turnNews: ChannelWaiters;
  };

/** The actor in the audit log when 410 answers remove the backend. */
const BOT_ITSELF: Actor = { kind: 'bot', address: null };

/** Delivers one bot's updates to its backend, lane by lane, for a while; then the next bot has its turn. */
export async function pushTurn(deps: PushTurnDeps, botId: number, lease: TurnLease): Promise<TurnOutcome> {
  const bot = await botForTurn(deps, botId, pushes);
  if (!bot) return { next: 'idle' };
  const news = deps.turnNews.listen(bot.id, 'push');
  try {
    return await runTurn(deps, backendReader(deps, bot, ownBackend(deps)), lease, news);
  } finally {
    news.stop();
  }
}

function ownBackend(deps: PushTurnDeps): BackendOwner {
  return {
    newest: (known) => {
      const newest = deps.directory.ready() ? deps.directory.byId(known.id) : undefined;
      return newest && pushes(newest) ? newest : known;
    },
    giveUp: async (bot) => {
      await clearBackend(deps, BOT_ITSELF, bot, { dropPending: false, reason: GONE });
    },
    reached: (bot) => resumeOthers(deps, bot),
  };
}

/** A failure here must not fail this bot's turn: the other bots have probes of their own. */
async function resumeOthers(deps: PushTurnDeps, bot: Bot): Promise<void> {
  try {
    for (const other of await closeOtherBreakers(deps, bot)) logClosed(deps.log, other);
  } catch (error) {
    deps.log.warn(
      { bot: bot.id, reason: String(error) },
      'other bots of this backend could not be woken: they wait for their own probes',
    );
  }
}
