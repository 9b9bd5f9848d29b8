import { botKeys, shardOf } from '@flotilla/redis/keys.ts';
import { type ReleaseChatArgs, type ReleaseChatReply, scripts } from '@flotilla/redis/script-calls.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { registrationOf } from '../../fleet/bots/registration.ts';
import { type Actor, accountOf } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { chatStore } from '../../records/chats/chat-store.ts';
import { type Conversation, inConversation } from '../../records/chats/conversation.ts';
import { announceDesk } from '../../records/desk/desk-news.ts';
import { heldAs } from '../../records/takeover/held-chats.ts';
import type { TakeoverDeps } from '../../records/takeover/take-over-chat.ts';
import { matchUpdates } from '../filters/match-updates.ts';
import { matcherInForce, matcherOf } from '../filters/update-matcher.ts';
import type { AcceptDeps } from '../intake/accept-updates.ts';

type ReleaseDeps = TakeoverDeps & Pick<AcceptDeps, 'turns' | 'idReserve'>;

const NOT_HELD = 'The chat is not taken over, and nothing that its bot missed is kept';
const AT_ONCE = 100;
const REPEATED_AT_MOST = 10;

/**
 * Gives a conversation back to its bot, also within a day after its hold ended by itself. `deliverMissed`: the bot gets what was held, in order,
 * under new ids; rules do not. Until the last of it the chat stays held, so that nothing newer comes before. Returns how many were
 * delivered. Throws 'conflict' if the chat is not held and nothing is kept, 'not_found' or 'bad_request'. If it ends in between, it can
 * be called again.
 */
export async function releaseChat(
  deps: ReleaseDeps,
  bot: Bot,
  by: Actor,
  { deliver_missed, ...named }: Omit<Conversation, 'bot_id'> & { deliver_missed: boolean },
): Promise<number> {
  const chat_id = named.chat_id > 0 ? named.chat_id : await chatStore(deps.db).currentOf(bot.id, named.chat_id);
  const delivered = await deliverAndEnd(deps, bot, heldAs({ ...named, chat_id }), deliver_missed);
  const details = deliver_missed ? `what was missed was delivered: ${delivered}` : '';
  await recordAction(deps, by, {
    ...{ action: 'chat_release', bot_id: bot.id, ...named, chat_id, details },
  });
  const at = inConversation({ bot_id: bot.id, ...named, chat_id });
  await announceDesk(deps, { kind: 'chat', action: 'release', ...at, ...accountOf(by) });
  return delivered;
}

async function deliverAndEnd(deps: ReleaseDeps, bot: Bot, conversation: string, delivers: boolean): Promise<number> {
  let [members, delivered]: [string[], number] = [[], 0];
  for (;;) {
    const reply = await step(deps, bot, { conversation, delivers, members });
    if (reply.outcome === 'GONE') throw new FlotillaError('not_found', 'Bot not found');
    if (reply.outcome === 'OFF') throw new FlotillaError('bad_request', 'The bot is disabled');
    if (reply.outcome === 'FREE') {
      // After the first call, somebody else has ended the hold meanwhile.
      if (members.length > 0) return delivered;
      throw new FlotillaError('conflict', NOT_HELD);
    }
    delivered += reply.delivered;
    await wakeReaders(deps, bot, reply);
    if (reply.outcome === 'OK') return delivered;
    members = reply.members;
  }
}

type Wanted = { conversation: string; delivers: boolean; members: string[] };
type Step = Exclude<ReleaseChatReply, { outcome: 'DOUBT' | 'FILTERS' }>;

/** Repeats the call when the script needs the reserved id from Postgres, or updates matched by other filters. */
async function step(deps: ReleaseDeps, bot: Bot, { conversation, delivers, members }: Wanted): Promise<Step> {
  const args: ReleaseChatArgs = {
    ...{ ...registrationOf(bot), conversation, delivers, limit: AT_ONCE, reservedId: null },
    ...(await matchUpdates(deps.redis, bot.id, matcherOf(bot), members.map(readMember))),
    updates: members.map((member) => ({ member })),
  };
  for (let calls = 1; ; calls += 1) {
    const reply = await scripts.releaseChat(deps.redis.commands, botKeys(bot.id), args);
    if (reply.outcome === 'DOUBT') args.reservedId = (await deps.idReserve?.reservedFor(bot)) ?? 0;
    else if (reply.outcome === 'FILTERS') {
      const other = matcherInForce(bot, { digest: reply.digest, text: reply.filters });
      Object.assign(args, await matchUpdates(deps.redis, bot.id, other, members.map(readMember)));
    } else return reply;
    if (calls > REPEATED_AT_MOST) {
      throw new FlotillaError('unavailable', 'Redis or the filters of the bot keep changing; try again');
    }
  }
}

/** The form that lib/hold.lua writes: `<conversation>|<id>|<expires>|<offset>|<kind>|<lane>|<raw>`. */
function readMember(member: string): { kind: string; value: Fields } {
  const [, kind = '', raw = '{}'] = /^[^|]*\|\d+\|\d+\|\d+\|([^|]*)\|[^|]*\|(.*)$/s.exec(member) ?? [];
  return { kind, value: JSON.parse(raw) as Fields };
}

async function wakeReaders(
  deps: ReleaseDeps,
  bot: Bot,
  reply: Extract<Step, { outcome: 'MORE' | 'OK' }>,
): Promise<void> {
  if (reply.reserveIds) deps.idReserve?.reserveAbove(bot, reply.lastId);
  await Promise.all([
    reply.wakePush ? deps.turns.push.wake(bot.id) : null,
    reply.wakePrograms.length > 0 ? deps.turns.programs.wakeAll(reply.wakePrograms) : null,
    reply.wakeHistory ? deps.turns.history.wake(shardOf(bot.id)) : null,
  ]);
}
