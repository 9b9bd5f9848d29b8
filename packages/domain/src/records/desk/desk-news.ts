import { type Announcements, announcements } from '@flotilla/redis/announcements.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { channels } from '@flotilla/redis/keys.ts';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { InConversation } from '../chats/conversation.ts';

/** How somebody of the team is in a chat. */
export type Doing = 'viewing' | 'typing' | 'left';

/** Changes of a chat without a message of its people: by an account, or by a rule or the owner of a business account. */
export type DeskAct = 'takeover' | 'release' | 'assign' | 'done' | 'reopen' | 'send';

/** The account that did something; without one, a rule or the owner of a business account did. */
export type ByAccount = { account_id?: number; account?: string };

/** The data of live events: somebody of the team did something in a conversation. */
export type DeskNews = InConversation &
  ByAccount & {
    kind: 'chat' | 'note' | 'presence';
    action?: DeskAct;
    note_id?: number;
    change?: 'added' | 'updated' | 'deleted';
    mentions?: number[];
    doing?: Doing;
  };

type Deps = { redis: RedisHandles };

/** Never rejects: what was done is stored, so it succeeds even if others are told late. */
export async function announceDesk({ redis, log }: Deps & { log: Logger }, news: DeskNews): Promise<void> {
  await redis.commands.publish(channels.desk, JSON.stringify(news)).catch((error: unknown) => {
    log.debug({ reason: String(error) }, 'what somebody did in a chat cannot be announced');
  });
}

export function deskNews(deps: Deps): Announcements<DeskNews> {
  return announcements(deps, channels.desk, (payload) => JSON.parse(payload) as DeskNews);
}
