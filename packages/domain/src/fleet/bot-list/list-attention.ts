import type { AttentionKind } from '@flotilla/contract/attention.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { Bot } from '../bots/bot.ts';
import { type Attention, byUrgency, type KnownFloods } from './attention.ts';
import { readBotStatuses } from './bot-status.ts';
import type { StatusColumns } from './status-columns.ts';

export type AttentionOfBot = Attention & { bot: Bot; text: string };
type Deps = { redis: RedisHandles; floods: KnownFloods; statusColumns: StatusColumns };

/**
 * The faults of these bots, the worst first. The columns, which may be some seconds old, say which bots to look at;
 * the bots in `also` are looked at in any case. What is answered is of this moment.
 */
export async function listAttention(
  deps: Deps,
  bots: readonly Bot[],
  kinds: readonly AttentionKind[],
  also: ReadonlySet<number> = new Set(),
): Promise<AttentionOfBot[]> {
  const isWanted = ({ kind }: Attention) => kinds.includes(kind);
  const { value: known } = await deps.statusColumns.attention(bots);
  const affected = bots.filter(({ id }, at) => also.has(id) || known[at]!.some(isWanted));
  const statuses = await readBotStatuses(deps, affected);
  const all = affected.flatMap((bot, at) =>
    statuses[at]!.attention.filter(isWanted).map((attention) => ({ ...attention, bot })),
  );
  return all.toSorted((one, other) => byUrgency(one, other) || one.bot.id - other.bot.id);
}
