import { OK } from '@flotilla/contract/fields.ts';
import type { programOperations } from '@flotilla/contract/program-operations.ts';
import { program as declared, type ProgramResource } from '@flotilla/contract/programs.ts';
import { answerOf, settable } from '@flotilla/contract/resource.ts';
import { addProgram } from '@flotilla/domain/delivery/programs/add-program.ts';
import { deleteProgram } from '@flotilla/domain/delivery/programs/delete-program.ts';
import type { Program } from '@flotilla/domain/delivery/programs/program.ts';
import { type ProgramState, programStates } from '@flotilla/domain/delivery/programs/program-states.ts';
import { programStore } from '@flotilla/domain/delivery/programs/program-store.ts';
import { updateProgram } from '@flotilla/domain/delivery/programs/update-program.ts';
import type { ActiveProgram } from '@flotilla/domain/fleet/bots/active-program.ts';
import { type Bot, DEFAULT_MAX_CONNECTIONS } from '@flotilla/domain/fleet/bots/bot.ts';
import { maskedBackend } from '@flotilla/domain/fleet/bots/masked-secrets.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { z } from 'zod';
import type { Context } from '../context.ts';
import { matchOf, tagAnswer, type Version } from '../http/etag.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Call, Handlers } from '../operations/handler.ts';
import { seesSecrets } from '../present/present-bot.ts';
import { presentQuality } from '../present/present-quality.ts';

export const programHandlers: Handlers<typeof programOperations> = {
  async listPrograms(context, { input, caller }) {
    const { bot_id, limit, offset } = input;
    const bot = requireBot(context, bot_id);
    const [afterId = null] = decodeCursor(input.before, ['id']) ?? [];
    const programs = programStore(context.db, context.secrets);
    const [rows, total, stateOf] = await Promise.all([
      programs.list(bot_id, { limit: limit + 1, offset, afterId }),
      programs.count(bot_id),
      programStates(context, bot),
    ]);
    const shown = rows.map((program) => presentProgram(caller, program, stateOf(program.id)));
    return cutPage(shown, limit, total, (program) => [program.id]);
  },

  showProgram: {
    findBots: findBotOfProgram,
    async handle(context, { input, ...call }) {
      const program = await programStore(context.db, context.secrets).find(input.id);
      if (program === null) throw new FlotillaError('not_found', 'Program not found');
      return presentTagged(context, call, program);
    },
  },

  async addProgram(context, { input, by, ...call }) {
    const { bot_id, backend_url = '', secret_token = '', max_connections = DEFAULT_MAX_CONNECTIONS, ...given } = input;
    requireBot(context, bot_id);
    const { mode = backend_url === '' ? 'pull' : 'push' } = given;
    const backend = { backend_url, secret_token, max_connections, backend_certificate: '', backend_ip_address: '' };
    const content = { ...given, ...backend, mode, backend_role: call.caller.role };
    return presentTagged(context, call, await addProgram(context, by, bot_id, content));
  },

  updateProgram: {
    findBots: findBotOfProgram,
    async handle(context, { input: { id, ...given }, by, ...call }) {
      const changes = { ...given, backend_role: call.caller.role };
      const check = matchOf(context, call, versionOf);
      return presentTagged(context, call, await updateProgram(context, by, id, changes, { check }));
    },
  },

  toggleProgram: {
    findBots: findBotOfProgram,
    async handle(context, { input, by, caller }) {
      const { id, enabled } = input;
      return present(context, caller, await updateProgram(context, by, id, { enabled }));
    },
  },

  deleteProgram: {
    findBots: findBotOfProgram,
    async handle(context, { input, by, request }) {
      await deleteProgram(context, by, input.id, matchOf(context, { request }, versionOf));
      return OK;
    },
  },
};

/** The bot of a program; nothing if there is no such program. */
export async function findBotOfProgram({ db, secrets }: Context, id: number): Promise<number[]> {
  const program = await programStore(db, secrets).find(id);
  return program === null ? [] : [program.bot_id];
}

/** A program with its bot. Refreshes the directory, because another process may just have made it. Throws 'not_found'. */
export async function requireProgram(
  { directory }: Context,
  id: number,
): Promise<{ bot: Bot; program: ActiveProgram }> {
  if (directory.byProgram(id) === undefined) await directory.refresh();
  const bot = directory.byProgram(id);
  const program = bot?.programs.find((known) => known.id === id);
  if (bot === undefined || program === undefined) throw new FlotillaError('not_found', 'Program not found');
  return { bot, program };
}

function versionOf(program: Program): Version {
  return { kind: 'program', id: program.id, fields: settable(declared, program) };
}

function presentTagged(
  context: Context,
  { caller, response }: Pick<Call<z.ZodObject>, 'caller' | 'response'>,
  program: Program,
): Promise<ProgramResource> {
  tagAnswer(context, { response }, versionOf(program));
  return present(context, caller, program);
}

async function present(context: Context, caller: Caller, program: Program): Promise<ProgramResource> {
  const stateOf = await programStates(context, requireBot(context, program.bot_id));
  return presentProgram(caller, program, stateOf(program.id));
}

function presentProgram(caller: Caller, program: Program, state: ProgramState): ProgramResource {
  const { pending, state: readerState, polledAtMs, backendState, error, quality } = state;
  const pushes = program.mode === 'push';
  const dateOf = (ms: number | undefined | null) => (typeof ms === 'number' ? new Date(ms) : null);
  return answerOf(declared, {
    ...program,
    ...(seesSecrets(caller) ? {} : maskedBackend(program)),
    signing_enabled: program.signing !== null,
    webhook_kinds: pushes ? program.webhook_kinds : null,
    pending_update_count: pending,
    state: readerState,
    parked: readerState === 'parked',
    backend_state: pushes ? backendState : null,
    last_error: error?.message ?? '',
    last_error_at: dateOf(error?.atMs),
    success_ratio: undefined,
    p95_ms: undefined,
    ...presentQuality(quality),
    last_polled_at: pushes ? null : dateOf(polledAtMs),
  });
}
