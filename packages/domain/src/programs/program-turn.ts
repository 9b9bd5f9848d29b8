import type { TurnLease, TurnOutcome } from '@flotilla/redis/turn-worker.ts';
import type { Actor } from '../audit/actor.ts';
import { programPushes } from '../bots/bot.ts';
import { runTurn } from '../lanes/run-turn.ts';
import { type Backend, backendOfProgram } from '../push/backend.ts';
import { type BackendOwner, backendReader, GONE } from '../push/backend-reader.ts';
import type { PushTurnDeps } from '../push/push-turn.ts';
import { updateProgram } from './update-program.ts';

/** Delivers updates to the backend of one program, lane by lane, for a while. */
export async function programTurn(deps: PushTurnDeps, programId: number, lease: TurnLease): Promise<TurnOutcome> {
  let backend = backendNow(deps, programId);
  if (backend === null) {
    // A wake may be ahead of this process's snapshot.
    await deps.directory.refresh();
    backend = backendNow(deps, programId);
  }
  if (backend === null) return { next: 'idle' };
  const appended = deps.pushable.listen(backend.id);
  try {
    return await runTurn(deps, backendReader(deps, backend, programBackend(deps, programId)), lease, appended);
  } finally {
    appended.stop();
  }
}

/** Null while nothing is sent to the program. */
function backendNow({ directory }: PushTurnDeps, programId: number): Backend | null {
  const bot = directory.byProgram(programId);
  const program = bot?.programs.find(({ id }) => id === programId);
  return bot && program && programPushes(bot, program) ? backendOfProgram(bot, program) : null;
}

function programBackend(deps: PushTurnDeps, programId: number): BackendOwner {
  return {
    newest: (known) => (deps.directory.ready() ? (backendNow(deps, programId) ?? known) : known),
    giveUp: async (backend) => {
      await updateProgram(deps, itself(backend), programId, { enabled: false }, GONE);
    },
    // Other programs of the same host have probes of their own.
    reached: async () => {},
  };
}

/** The actor in the audit log when 410 answers pause a program. */
function itself({ program }: Backend): Actor {
  return { kind: 'bot', address: null, ...(program && { program: { id: program.id, name: program.name } }) };
}
