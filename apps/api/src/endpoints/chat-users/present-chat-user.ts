import type { ChatUserResource } from '@flotilla/contract/resources/chat-user.ts';
import type { ChatUser } from '@flotilla/domain/chat-users/chat-user-store.ts';
import { withoutNulls } from '../without-nulls.ts';

export function presentChatUser(user: ChatUser): ChatUserResource {
  return {
    id: user.user_id,
    ...withoutNulls({ username: user.username, first_name: user.first_name, last_name: user.last_name }),
    is_bot: user.is_bot,
  };
}
