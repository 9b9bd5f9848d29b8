import { OK } from '@flotilla/contract/fields.ts';
import type { ProgramResource, programOperations } from '@flotilla/contract/programs.ts';
import type { Caller } from '@flotilla/domain/accounts/caller.ts';
import { DEFAULT_MAX_CONNECTIONS } from '@flotilla/domain/bots/bot.ts';
import { maskedBackendUrl } from '@flotilla/domain/bots/masked-backend-url.ts';
import { addProgram } from '@flotilla/domain/programs/add-program.ts';
import { deleteProgram } from '@flotilla/domain/programs/delete-program.ts';
import type { Program } from '@flotilla/domain/programs/program.ts';
import { type ProgramState, programStates } from '@flotilla/domain/programs/program-states.ts';
import { programStore } from '@flotilla/domain/programs/program-store.ts';
import { updateProgram } from '@flotilla/domain/programs/update-program.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../context.ts';
import { requireBot } from '../http/bot-of-call.ts';
import type { Handlers } from '../http/handler.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { withoutNulls } from './without-nulls.ts';

export const programHandlers: Handlers<typeof programOperations> = {
  async listPrograms(context, { input }) {
    const { bot_id: botId, limit, offset } = input;
    const bot = requireBot(context, botId);
    const [afterId = null] = decodeCursor(input.before, ['number']) ?? [];
    const programs = programStore(context.db, context.secrets);
    const [rows, total, stateOf] = await Promise.all([
      programs.list(botId, { limit: limit + 1, offset, afterId }),
      programs.count(botId),
      programStates(context, bot),
    ]);
    const shown = rows.map((program) => presentProgram(program, stateOf(program.id)));
    return cutPage(shown, limit, total, (program) => [program.id]);
  },

  showProgram: {
    findBots: findBotOfProgram,
    async handle(context, { input }) {
      const program = await programStore(context.db, context.secrets).find(input.id);
      if (program === null) throw new FlotillaError('not_found', 'Program not found');
      return present(context, program);
    },
  },

  async addProgram(context, { input, by, caller }) {
    if (input.exclusive) requireTaker(caller);
    const { bot_id: botId, name, mode, kinds, filter, exclusive, position, enabled } = input;
    requireBot(context, botId);
    const content = {
      ...{ name, mode, kinds, filter, exclusive, position, enabled, backendCertificate: '' },
      backendUrl: input.backend_url ?? '',
      secretToken: input.secret_token ?? '',
      maxConnections: input.max_connections ?? DEFAULT_MAX_CONNECTIONS,
    };
    return present(context, await addProgram(context, by, botId, content));
  },

  updateProgram: {
    findBots: findBotOfProgram,
    async handle(context, { input, by, caller }) {
      if (input.exclusive) requireTaker(caller);
      await requireChanger(context, caller, input.id);
      const {
        id,
        backend_url: backendUrl,
        secret_token: secretToken,
        max_connections: maxConnections,
        ...plain
      } = input;
      const changes = { ...plain, backendUrl, secretToken, maxConnections };
      return present(context, await updateProgram(context, by, id, changes));
    },
  },

  toggleProgram: {
    findBots: findBotOfProgram,
    async handle(context, { input, by }) {
      const { id, enabled } = input;
      return present(context, await updateProgram(context, by, id, { enabled }));
    },
  },

  deleteProgram: {
    findBots: findBotOfProgram,
    async handle(context, { input, by, caller }) {
      await requireChanger(context, caller, input.id);
      await deleteProgram(context, by, input.id);
      return OK;
    },
  },
};

/** Throws 'forbidden' unless the caller is an admin, who alone may keep updates from the backend. */
function requireTaker({ role }: Caller): void {
  if (role !== 'admin') throw new FlotillaError('forbidden', 'Admin role required for exclusive programs');
}

/** Throws 'forbidden' unless the caller may change this program. */
export async function requireChanger(context: Context, caller: Caller, id: number): Promise<void> {
  if (await isExclusive(context, id)) requireTaker(caller);
}

async function isExclusive({ db, secrets }: Context, id: number): Promise<boolean> {
  return (await programStore(db, secrets).find(id))?.exclusive ?? false;
}

/** The bot of a program; nothing if there is no such program. */
export async function findBotOfProgram({ db, secrets }: Context, id: number): Promise<number[]> {
  const program = await programStore(db, secrets).find(id);
  return program === null ? [] : [program.botId];
}

async function present(context: Context, program: Program): Promise<ProgramResource> {
  const stateOf = await programStates(context, requireBot(context, program.botId));
  return presentProgram(program, stateOf(program.id));
}

function presentProgram(program: Program, state: ProgramState): ProgramResource {
  const { id, botId, name, mode, kinds, filter, exclusive, position, enabled, createdAt } = program;
  const { pending, parked, polledAtMs, backendState, error } = state;
  const pushes = mode === 'push';
  return {
    ...{ id, bot_id: botId, name, mode, kinds, filter, exclusive, position, enabled },
    backend_url: maskedBackendUrl(program),
    has_secret_token: program.secretToken !== '',
    signing_enabled: program.signing !== null,
    max_connections: program.maxConnections,
    pending_update_count: pending,
    parked,
    last_error: error?.message ?? '',
    ...withoutNulls({
      backend_state: pushes ? backendState : null,
      last_error_at: error === null ? null : new Date(error.atMs).toISOString(),
      last_polled_at: pushes || polledAtMs === null ? null : new Date(polledAtMs).toISOString(),
    }),
    created_at: createdAt.toISOString(),
  };
}
