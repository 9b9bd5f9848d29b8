import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, PRESENT_BOTS_KEY } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import { type Scope, sees } from '../../people/accounts/scope.ts';
import { type Conversation, type InConversation, inConversation } from '../chats/conversation.ts';
import { heldAs } from '../takeover/held-chats.ts';
import { announceDesk, type Doing } from './desk-news.ts';

type Deps = { redis: RedisHandles; clock: Clock; log: Logger };
type Who = { account_id: number; account: string };

/** Somebody of the team who has a conversation open. */
export type Present = InConversation & Who & { doing: Exclude<Doing, 'left'> };

/** A page says that it is still there every 10 s. */
const VIEWING_MS = 25_000;
const TYPING_MS = 6_000;
/** Conversations of a bot that an account has open; the oldest of more are dropped, so that nobody fills Redis. */
const OPEN_AT_MOST = 8;

/** Notes what an account does in a conversation that is known, and tells the others. Returns who else has it open. */
export async function notePresence(deps: Deps, chat: Conversation, who: Who, doing: Doing): Promise<Present[]> {
  const { commands } = deps.redis;
  const { present } = botKeys(chat.bot_id);
  const field = `${who.account_id} ${heldAs(chat)}`;
  const nowMs = deps.clock.nowMs();
  if (doing === 'left') await commands.hdel(present, field);
  else {
    await commands.hset(present, field, `${nowMs} ${doing} ${who.account}`);
    await commands.pexpire(present, VIEWING_MS);
    await commands.zadd(PRESENT_BOTS_KEY, String(nowMs), String(chat.bot_id));
    await commands.pexpire(PRESENT_BOTS_KEY, VIEWING_MS);
  }
  const at = inConversation(chat);
  await announceDesk(deps, { kind: 'presence', ...at, ...who, doing });
  const isThere = (one: Present) =>
    one.chat_id === at.chat_id && one.business_connection_id === at.business_connection_id;
  return (await readPresent(deps, chat.bot_id)).filter((one) => isThere(one) && one.account_id !== who.account_id);
}

/** All who have a conversation of these bots open. */
export async function listPresent(deps: Deps, scope: Scope): Promise<Present[]> {
  const { commands } = deps.redis;
  await commands.zremrangebyscore(PRESENT_BOTS_KEY, '-inf', `(${deps.clock.nowMs() - VIEWING_MS}`);
  const bots = (await commands.zrange(PRESENT_BOTS_KEY, '0', '-1')).map(Number).filter((id) => sees(scope, id));
  return (await Promise.all(bots.map((id) => readPresent(deps, id)))).flat();
}

async function readPresent({ redis, clock }: Deps, botId: number): Promise<Present[]> {
  const { present: key } = botKeys(botId);
  const fields = Object.entries(await redis.commands.hgetall(key)).toSorted(
    ([, one], [, other]) => sinceMs(other) - sinceMs(one),
  );
  const nowMs = clock.nowMs();
  const open = new Map<number, number>();
  const [kept, gone]: [Present[], string[]] = [[], []];
  for (const [field, value] of fields) {
    const present = presentOf(botId, field, value, nowMs);
    const count = (open.get(present?.account_id ?? 0) ?? 0) + 1;
    if (present === null || count > OPEN_AT_MOST) gone.push(field);
    else {
      open.set(present.account_id, count);
      kept.push(present);
    }
  }
  if (gone.length > 0) await redis.commands.hdel(key, ...gone);
  return kept;
}

/** A value begins with the time. */
function sinceMs(value: string): number {
  return Number.parseInt(value, 10);
}

function presentOf(bot_id: number, field: string, value: string, nowMs: number): Present | null {
  const [, id, chat, business_connection_id = ''] = /^(\d+) (-?\d+)(?::(.*))?$/s.exec(field) ?? [];
  const [, since, doing, name = ''] = /^(\d+) (\w+) (.*)$/s.exec(value) ?? [];
  const ageMs = nowMs - Number(since);
  if (id === undefined || !(ageMs <= VIEWING_MS)) return null;
  return {
    ...inConversation({ bot_id, chat_id: Number(chat), business_connection_id }),
    ...{ account_id: Number(id), account: name },
    doing: doing === 'typing' && ageMs < TYPING_MS ? 'typing' : 'viewing',
  };
}
