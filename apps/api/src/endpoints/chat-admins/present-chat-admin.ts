import type { ChatAdminResource } from '@flotilla/contract/resources/chat-admin.ts';
import type { ChatAdmin } from '@flotilla/domain/chat-actions/chat-admin.ts';
import { withoutNulls } from '../without-nulls.ts';

export function presentChatAdmin({ user, ...admin }: ChatAdmin): ChatAdminResource {
  return {
    id: user.id,
    ...withoutNulls({ username: user.username, first_name: user.firstName, last_name: user.lastName }),
    is_bot: user.isBot,
    status: admin.status,
    ...withoutNulls({ custom_title: admin.customTitle }),
    can_be_edited: admin.canBeEdited,
    permissions: admin.permissions,
  };
}
