import { hasPrivacyMode } from '../bots/privacy-mode.ts';
import { hasPrivateTopics } from '../chats/topic.ts';
import type { Call } from './call.ts';

export function getMe({ bot }: Call): unknown {
  return {
    ...bot.user,
    can_join_groups: true,
    can_read_all_group_messages: !hasPrivacyMode(bot),
    supports_inline_queries: true,
    can_connect_to_business: true,
    has_main_web_app: false,
    has_topics_enabled: hasPrivateTopics(bot),
    allows_users_to_create_topics: hasPrivateTopics(bot),
  };
}
