import { setTimeout as delay } from 'node:timers/promises';
import type { TurnLease, TurnOutcome } from '@flotilla/redis/turn-worker.ts';
import { programReaderName } from '../../fleet/bots/active-program.ts';
import { programPushes } from '../../fleet/bots/bot.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { runTurn } from '../lanes/run-turn.ts';
import { type BotWithBackend, backendOfProgram, type ProgramBackend } from '../push/backend.ts';
import { type BackendOwner, backendReader, GONE } from '../push/backend-reader.ts';
import type { PushTurnDeps } from '../push/push-turn.ts';
import { NO_BACKEND } from './program.ts';
import { updateProgram } from './update-program.ts';
import { webhookTokenOf } from './webhook-token.ts';

const CATCH_UP_MS = 50;
const CATCH_UPS = 40;
/** Why a program pulls again, for the audit log. */
const REASONS = {
  ended: 'the token that set its webhook has ended',
  left: 'its filter has left the chats of the token that set its webhook',
};

/** Delivers updates to the backend of one program, lane by lane, for a while. */
export async function programTurn(deps: PushTurnDeps, programId: number, lease: TurnLease): Promise<TurnOutcome> {
  let backend = backendNow(deps, programId);
  if (backend === null) {
    // A wake may be ahead of this process's snapshot.
    await deps.directory.refresh();
    backend = backendNow(deps, programId);
  }
  if (backend === null) return { next: 'idle' };
  if (whyEnded(deps, backend) !== null) return endWebhook(deps, programId);
  const news = deps.turnNews.listen(backend.id, programReaderName(programId));
  try {
    return await runTurn(deps, backendReader(deps, backend, programBackend(deps, programId)), lease, news);
  } finally {
    news.stop();
  }
}

function whyEnded({ clock }: PushTurnDeps, { program }: ProgramBackend): string | null {
  const token = webhookTokenOf(program, clock.nowMs());
  return typeof token === 'string' ? REASONS[token] : null;
}

/** Somebody may have set another backend, which this process does not know yet. */
async function endWebhook(deps: PushTurnDeps, programId: number): Promise<TurnOutcome> {
  await deps.directory.refresh();
  const backend = backendNow(deps, programId);
  if (backend === null) return { next: 'idle' };
  const reason = whyEnded(deps, backend);
  if (reason === null) return { next: 'again' };
  await updateProgram(deps, itself(backend), programId, NO_BACKEND, { reason });
  return { next: 'idle' };
}

/** Null while nothing is sent to the program. */
function backendNow({ directory }: PushTurnDeps, programId: number): ProgramBackend | null {
  const bot = directory.byProgram(programId);
  const program = bot?.programs.find(({ id }) => id === programId);
  return bot && program && programPushes(bot, program) ? backendOfProgram(bot, program) : null;
}

function programBackend(deps: PushTurnDeps, programId: number): BackendOwner {
  let catchUps = 0;
  return {
    newest: (known) => (deps.directory.ready() ? (backendNow(deps, programId) ?? known) : known),
    giveUp: async (backend) => {
      await updateProgram(deps, itself(backend), programId, { enabled: false }, { reason: GONE });
    },
    catchUp: async () => {
      await delay(CATCH_UP_MS);
      await deps.directory.refresh().catch(() => undefined);
      catchUps += 1;
      // It may never come: the process that changed it may have ended before it published the change.
      return catchUps < CATCH_UPS;
    },
    // Other programs of the same host have probes of their own.
    reached: async () => {},
    mustEnd: () => {
      const backend = deps.directory.ready() ? backendNow(deps, programId) : null;
      return backend !== null && whyEnded(deps, backend) !== null;
    },
  };
}

/** The actor in the audit log when nobody asked for a change. */
function itself({ program }: BotWithBackend): Actor {
  return { kind: 'bot', address: null, ...(program && { program: { id: program.id, name: program.name } }) };
}
