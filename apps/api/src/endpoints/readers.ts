import { OK } from '@flotilla/contract/fields.ts';
import type { ReaderResource, readerOperations } from '@flotilla/contract/readers.ts';
import type { Breaker } from '@flotilla/domain/delivery/readers/breaker.ts';
import { forgetConsumer } from '@flotilla/domain/delivery/readers/forget-consumer.ts';
import { listReaders, type Reader } from '@flotilla/domain/delivery/readers/list-readers.ts';
import { resumeBackend } from '@flotilla/domain/delivery/readers/resume-backend.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { maskedBackendUrl } from '@flotilla/domain/fleet/bots/masked-backend-url.ts';
import { pageOf } from '../http/page.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { presentQuality } from '../present/present-quality.ts';
import { findBotOfProgram, requireProgram } from './programs.ts';
import { withoutNulls } from './without-nulls.ts';

export const readerHandlers: Handlers<typeof readerOperations> = {
  async listReaders(context, { input }) {
    const bot = requireBot(context, input.bot_id);
    const readers = (await listReaders(context, bot)).map((reader) => presentReader(bot, reader));
    return pageOf(readers, input, ({ reader }) => reader);
  },

  async listProgramReaders(context, { input }) {
    const bot = requireBot(context, input.bot_id);
    const readers = await listReaders(context, bot);
    const programs = readers.filter(({ program }) => program !== null).map((reader) => presentReader(bot, reader));
    return pageOf(programs, input, ({ reader }) => reader);
  },

  async resumeBackend(context, { input, by }) {
    await resumeBackend(context, by, requireBot(context, input.bot_id));
    return OK;
  },

  resumeProgramBackend: {
    findBots: findBotOfProgram,
    async handle(context, { input, by }) {
      const { bot, program } = await requireProgram(context, input.id);
      await resumeBackend(context, by, bot, program);
      return OK;
    },
  },

  async forgetConsumer(context, { input, by }) {
    await forgetConsumer(context, by, requireBot(context, input.bot_id), input.consumer);
    return OK;
  },
};

function presentReader(bot: Bot, reader: Reader): ReaderResource {
  const { state, cursor, behind, keeps, inFlight, breaker, program } = reader;
  return {
    reader: reader.reader,
    state,
    behind,
    keeps,
    ...withoutNulls({
      program_id: program?.id ?? null,
      program_name: program?.name ?? null,
      cursor,
      oldest_at: iso(reader.oldestAtMs),
      in_flight: inFlight,
      next_attempt_at: iso(reader.nextTryAtMs),
      last_polled_at: iso(reader.polledAtMs),
      last_polled_by: reader.polledBy,
      parked_until: iso(reader.parkedUntilMs),
    }),
    ...presentQuality(reader.quality),
    ...(breaker === null ? {} : presentBreaker(program ?? bot, breaker)),
  };
}

function presentBreaker(backend: Pick<Bot, 'backend_url' | 'secret_token'>, breaker: Breaker): Partial<ReaderResource> {
  return withoutNulls({
    next_probe_at: iso(breaker.nextProbeAtMs),
    failing_since: iso(breaker.failingSinceMs),
    last_error: breaker.error?.message ?? null,
    last_error_at: iso(breaker.error?.atMs ?? null),
    last_success_at: iso(breaker.succeededAtMs),
    backend_url: backend.backend_url === '' ? null : maskedBackendUrl(backend),
  });
}

function iso(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}
