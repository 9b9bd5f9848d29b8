import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { PollingClient } from '@flotilla/telegram/polling-client.ts';
import type { BotDeps } from '../../fleet/bots/bot-deps.ts';
import type { AcceptDeps } from '../intake/accept-updates.ts';

/** Dependencies of a request for a move. */
export type AskDeps = BotDeps & {
  /** Calls of a move itself, while `platform` answers that the bot moves. */
  duringMoves: PlatformClient;
};

/** Dependencies of a worker that carries moves out. */
export type MoveDeps = Omit<AskDeps, 'turns'> &
  Omit<AcceptDeps, 'turns'> & {
    turns: BotDeps['turns'] & AcceptDeps['turns'];
    pollingClient: PollingClient;
    /** How long (s) other processes may take to hear that the bot leaves. Default 5. */
    settleS?: number;
    /** How long (s) a step waits before it looks again. Default 5. */
    lookAgainS?: number;
  };

/** `signal` aborts when the process stops, or when another worker has taken the move. */
export type StepDeps = MoveDeps & { signal: AbortSignal };
