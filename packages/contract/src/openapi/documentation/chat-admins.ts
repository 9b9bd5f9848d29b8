import { demoteChatAdmin, listChatAdmins, promoteChatUser, setChatAdminTitle } from '../../operations/chat-admins.ts';
import { documentOperation, PLATFORM_ERRORS } from '../document-operation.ts';
import { CHAT_ID, PERMISSIONS } from './resource-examples.ts';

const ADA = { bot_id: 7, chat_id: CHAT_ID, user_id: 424242 };

export const chatAdminsDocumentation = [
  documentOperation(listChatAdmins, {
    description: 'The platform is asked every time.',
    errors: PLATFORM_ERRORS,
    example: {
      input: { bot_id: 7, chat_id: CHAT_ID },
      output: [
        {
          id: 424242,
          username: 'ada',
          first_name: 'Ada',
          is_bot: false,
          status: 'administrator',
          custom_title: 'Moderator',
          can_be_edited: true,
          permissions: PERMISSIONS,
        },
      ],
    },
  }),
  documentOperation(setChatAdminTitle, {
    errors: PLATFORM_ERRORS,
    example: { input: { ...ADA, title: 'Moderator' }, output: { ok: true } },
  }),
  documentOperation(promoteChatUser, {
    errors: PLATFORM_ERRORS,
    example: {
      input: { ...ADA, permissions: { can_delete_messages: true, can_restrict_members: true } },
      output: { ok: true },
    },
  }),
  documentOperation(demoteChatAdmin, { errors: PLATFORM_ERRORS, example: { input: ADA, output: { ok: true } } }),
];
