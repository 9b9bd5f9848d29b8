import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { Attempt } from '../push/attempt.ts';
import { type BotWithBackend, backendOfProgram, deliveryIdOf, keysOfProgram, webhookIdOf } from '../push/backend.ts';
import type { KeptExcerpt } from '../push/keep-excerpts.ts';
import { type ShownRequest, shownRequest } from '../push/shown-request.ts';
import { signDelivery } from '../push/sign-delivery.ts';

export type ListedAttempt = Attempt & {
  id: string;
  programName: string | null;
  /** The request is not stored but derived from the bot's settings: null when they have changed since. */
  request: ShownRequest | null;
  excerpt: KeptExcerpt | null;
};

const LISTED_AT_MOST = 100;

/** The last 100 attempts to deliver an update of this bot, or of one of its programs, newest first. */
export async function listAttempts(
  deps: { redis: RedisHandles },
  bot: Bot,
  programId: number | null,
): Promise<ListedAttempt[]> {
  const programs = bot.programs.filter(({ id, mode }) => (programId === null ? mode === 'push' : id === programId));
  const backends: BotWithBackend[] = programs.map((program) => backendOfProgram(bot, program));
  if (programId === null) backends.push(bot);
  const keys = backends.map((backend) => keysOfProgram(backend) ?? botKeys(bot.id));
  const found = (await deps.redis.runMany(
    keys.flatMap(({ attempts, excerpts }) => [
      ['lrange', attempts, 0, LISTED_AT_MOST - 1],
      ['lrange', excerpts, 0, -1],
    ]),
  )) as string[][];
  const listed = backends.flatMap((backend, at) => attemptsOf(backend, found[2 * at]!, found[2 * at + 1]!));
  return listed.sort((one, other) => Date.parse(other.at) - Date.parse(one.at)).slice(0, LISTED_AT_MOST);
}

function attemptsOf(backend: BotWithBackend, attempts: string[], excerpts: string[]): ListedAttempt[] {
  const { program } = backend;
  const excerptOf = new Map(excerpts.map((text) => JSON.parse(text) as KeptExcerpt).map((kept) => [idOf(kept), kept]));
  return attempts.map((text) => {
    const attempt = JSON.parse(text) as Attempt;
    const id = idOf(attempt);
    const isCurrent = attempt.revision === backend.revision;
    const headers = {
      ...signatureHeaders(backend, attempt),
      'Flotilla-Delivery-Id': deliveryIdOf(backend, attempt.update_id),
    };
    const request = isCurrent ? shownRequest(backend, headers) : null;
    const excerpt = excerptOf.get(id) ?? null;
    const name = program === undefined ? id : `${program.id}-${id}`;
    return { ...attempt, id: name, programName: program?.name ?? null, request, excerpt };
  });
}

/** What signed the attempt; the signature itself is not kept, and is shown masked. */
function signatureHeaders(bot: BotWithBackend, { at, update_id: updateId }: Attempt): Record<string, string> {
  return signDelivery(bot.signing, { id: webhookIdOf(bot, updateId), atMs: Date.parse(at), body: '' }) ?? {};
}

/** An update is not sent twice in one millisecond. */
function idOf({ at, update_id: updateId }: Pick<Attempt, 'at' | 'update_id'>): string {
  return `${updateId}-${Date.parse(at)}`;
}
