import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { PRESENT_KEY } from '@flotilla/redis/keys.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { type Scope, sees } from '../../people/accounts/scope.ts';
import { type Conversation, type InConversation, inConversation } from '../chats/conversation.ts';
import { heldKey } from '../takeover/held-chats.ts';
import { announceDesk, type Doing } from './desk-news.ts';

type Deps = { redis: RedisHandles; clock: Clock };
type Who = { account_id: number; account: string };

/** Somebody of the team who has a conversation open. */
export type Present = InConversation & Who & { doing: Exclude<Doing, 'left'> };

/** A page says that it is still there every 20 s. */
const VIEWING_MS = 45_000;
const TYPING_MS = 6_000;

/** Notes what an account does in a conversation, and tells the others. Returns who else has it open. */
export async function notePresence(deps: Deps, chat: Conversation, who: Who, doing: Doing): Promise<Present[]> {
  const { commands } = deps.redis;
  const field = `${who.account_id} ${heldKey(chat)}`;
  if (doing === 'left') await commands.hdel(PRESENT_KEY, field);
  else await commands.hset(PRESENT_KEY, field, `${deps.clock.nowMs()} ${doing} ${who.account}`);
  await commands.pexpire(PRESENT_KEY, VIEWING_MS);
  const at = inConversation(chat);
  await announceDesk(deps, { kind: 'presence', ...at, ...who, doing });
  const isThere = (one: Present) =>
    one.bot_id === at.bot_id && one.chat_id === at.chat_id && one.business_connection_id === at.business_connection_id;
  return (await readPresent(deps)).filter((one) => isThere(one) && one.account_id !== who.account_id);
}

/** All who have a conversation of these bots open. */
export async function listPresent(deps: Deps, scope: Scope): Promise<Present[]> {
  return (await readPresent(deps)).filter(({ bot_id }) => sees(scope, bot_id));
}

/** They are as many as open pages, so all are read at once. */
async function readPresent({ redis, clock }: Deps): Promise<Present[]> {
  const nowMs = clock.nowMs();
  const fields = Object.entries(await redis.commands.hgetall(PRESENT_KEY));
  const read = fields.map(([field, value]) => ({ field, present: presentOf(field, value, nowMs) }));
  const gone = read.filter(({ present }) => present === null).map(({ field }) => field);
  if (gone.length > 0) await redis.commands.hdel(PRESENT_KEY, ...gone);
  return read.flatMap(({ present }) => present ?? []);
}

function presentOf(field: string, value: string, nowMs: number): Present | null {
  const [, id, bot, chat, business_connection_id = ''] = /^(\d+) (\d+) (-?\d+)(?::(.*))?$/s.exec(field) ?? [];
  const [, since, doing, name = ''] = /^(\d+) (\w+) (.*)$/s.exec(value) ?? [];
  const ageMs = nowMs - Number(since);
  if (id === undefined || !(ageMs <= VIEWING_MS)) return null;
  return {
    ...inConversation({ bot_id: Number(bot), chat_id: Number(chat), business_connection_id }),
    ...{ account_id: Number(id), account: name },
    doing: doing === 'typing' && ageMs < TYPING_MS ? 'typing' : 'viewing',
  };
}
