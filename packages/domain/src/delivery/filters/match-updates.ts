import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { programKeys } from '@flotilla/redis/keys.ts';
import { chatIdOfUpdate, connectionOfUpdate } from '@flotilla/telegram/chat-id.ts';
import type { MatchInput, UpdateMatcher } from './update-matcher.ts';

/** By which filters updates were matched, and the mark of each of them, as scripts take them. */
export type Matched = { filtersDigest: string; marksJson: string };

const NO_FILTERS: Matched = { filtersDigest: '', marksJson: '' };
const NOT_BOUND: ReadonlySet<number> = new Set();

/** Matches updates of a bot. Asks Redis which of their chats are bound to programs, if the bot has such programs. */
export async function matchUpdates(
  redis: Pick<RedisHandles, 'runMany'>,
  botId: number,
  matcher: UpdateMatcher | null,
  updates: MatchInput[],
): Promise<Matched> {
  if (matcher === null) return NO_FILTERS;
  const bound = matcher.binding.length === 0 ? null : await boundPrograms(redis, botId, matcher.binding, updates);
  return { filtersDigest: matcher.digest, marksJson: JSON.stringify(await matcher.marks(updates, bound)) };
}

/** The programs to which the chat of each update is bound. */
async function boundPrograms(
  redis: Pick<RedisHandles, 'runMany'>,
  botId: number,
  programs: readonly number[],
  updates: MatchInput[],
): Promise<ReadonlySet<number>[]> {
  const chatOfUpdate = updates.map(bindableChat);
  const chats = [...new Set(chatOfUpdate.filter((chat) => chat !== null))];
  const [first, ...others] = chats.map(String);
  if (first === undefined) return updates.map(() => NOT_BOUND);
  const found = (await redis.runMany(
    programs.map((id) => ['smismember', programKeys(botId, id).chats, first, ...others]),
  )) as number[][];
  const programsOf = new Map(
    chats.map((chat, at) => [chat, new Set(programs.filter((_, program) => found[program]?.[at] === 1))]),
  );
  return chatOfUpdate.map((chat) => (chat === null ? NOT_BOUND : (programsOf.get(chat) ?? NOT_BOUND)));
}

/** A person binds the chat with the bot, and not the one with the owner of a business account, which has the same id. */
function bindableChat({ kind, value }: MatchInput): number | null {
  return connectionOfUpdate(value, kind) === '' ? chatIdOfUpdate(value, kind) : null;
}
