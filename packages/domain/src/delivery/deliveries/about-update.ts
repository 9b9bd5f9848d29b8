import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, programKeys } from '@flotilla/redis/keys.ts';
import type { KeyCommand } from '@flotilla/redis/redis-commands.ts';
import { chatIdOfUpdate } from '@flotilla/telegram/chat-id.ts';
import { readAuthorFacts, readUserFacts } from '@flotilla/telegram/message-facts.ts';
import { readMessageText } from '@flotilla/telegram/message-text.ts';
import { type Fields, readObject, readText } from '@flotilla/telegram/platform-fields.ts';
import { readUpdateFacts } from '@flotilla/telegram/update-facts.ts';
import { programOfReader } from '../../fleet/bots/active-program.ts';
import type { Retrying } from './list-retrying.ts';

/** By which people recognise an update. */
export type AboutUpdate = {
  chat_id: number | null;
  kind: string | null;
  person_name: string | null;
  excerpt: string | null;
};

const EXCERPT_LENGTH = 120;

/** Null for a text that is no update. */
export function aboutUpdate(raw: string): AboutUpdate | null {
  let update: Fields;
  try {
    update = JSON.parse(raw) as Fields;
  } catch {
    return null;
  }
  const { kind } = readUpdateFacts(update);
  const payload = readObject(update, kind) ?? {};
  const from = readObject(payload, 'from');
  const author = from === null ? readAuthorFacts(payload) : readUserFacts(from);
  const text = readMessageText(payload) ?? readText(payload, 'data') ?? readText(payload, 'query');
  const name = author === null ? '' : [author.first_name, author.last_name].filter(Boolean).join(' ');
  return {
    chat_id: chatIdOfUpdate(update, kind),
    kind: kind || null,
    person_name: name || null,
    excerpt: text === null ? null : text.slice(0, EXCERPT_LENGTH).toWellFormed(),
  };
}

/** The JSON texts of updates that are retried, in their order; null for one that has reached its reader since. */
export async function textsOfRetrying(
  { redis }: { redis: RedisHandles },
  updates: readonly Pick<Retrying, 'botId' | 'reader' | 'unitId'>[],
): Promise<(string | null)[]> {
  if (updates.length === 0) return [];
  const looks = updates.map(({ botId, reader, unitId }): KeyCommand => {
    if (!unitId.startsWith('r')) return ['xrange', botKeys(botId).log, `${unitId}-0`, `${unitId}-0`];
    return ['hget', redrivenOf(botId, reader), unitId];
  });
  const found = await redis.runMany(looks);
  return found.map((answer) => {
    if (typeof answer === 'string') return (JSON.parse(answer) as { raw: string }).raw;
    const [entry] = (answer ?? []) as [id: string, fields: string[]][];
    return entry?.[1][1] ?? null;
  });
}

function redrivenOf(botId: number, reader: string): string {
  const programId = programOfReader(reader);
  if (programId !== null) return programKeys(botId, programId).redriven;
  return reader === 'rules' ? botKeys(botId).rulesRedriven : botKeys(botId).redriven;
}
