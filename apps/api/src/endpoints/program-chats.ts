import { OK } from '@flotilla/contract/fields.ts';
import type { ProgramChatResource, programChatOperations } from '@flotilla/contract/program-chats.ts';
import {
  addProgramLink,
  revokeProgramLinks,
  unbindChat,
} from '@flotilla/domain/delivery/programs/change-program-links.ts';
import { type ProgramChat, programChatStore } from '@flotilla/domain/delivery/programs/program-chat-store.ts';
import { cutPage, decodeCursor } from '../http/page.ts';
import type { Handlers } from '../operations/handler.ts';
import { findBotOfProgram, requireProgram } from './programs.ts';
import { withoutNulls } from './without-nulls.ts';

const ofProgram = { findBots: findBotOfProgram, findBotsBy: 'program_id' } as const;

export const programChatHandlers: Handlers<typeof programChatOperations> = {
  addProgramLink: {
    ...ofProgram,
    async handle(context, { input, by }) {
      const { program_id, uses, expires_in_s } = input;
      const { token, expires_at, username } = await addProgramLink(context, by, program_id, { uses, expires_in_s });
      const bot = `https://t.me/${username}`;
      return {
        link: `${bot}?start=${token}`,
        group_link: `${bot}?startgroup=${token}`,
        expires_at: expires_at.toISOString(),
      };
    },
  },

  revokeProgramLinks: {
    ...ofProgram,
    async handle(context, { input, by }) {
      await revokeProgramLinks(context, by, input.program_id);
      return OK;
    },
  },

  listProgramChats: {
    ...ofProgram,
    async handle(context, { input }) {
      const { program_id, limit, offset } = input;
      await requireProgram(context, program_id);
      const [afterId = null] = decodeCursor(input.before, ['id']) ?? [];
      const chats = programChatStore(context.db);
      const [rows, total] = await Promise.all([
        chats.list(program_id, { limit: limit + 1, offset, afterId }),
        chats.count(program_id),
      ]);
      return cutPage(rows.map(presentChat), limit, total, ({ chat_id }) => [chat_id]);
    },
  },

  unbindProgramChat: {
    ...ofProgram,
    async handle(context, { input, by }) {
      await unbindChat(context, by, input.program_id, input.chat_id);
      return OK;
    },
  },
};

function presentChat(chat: ProgramChat): ProgramChatResource {
  const { program_id, bot_id, chat_id, title, type, user_id, user_name, bound_at } = chat;
  const found = withoutNulls({ title, type, user_id, user_name: user_name || null });
  return { program_id, bot_id, chat_id, ...found, bound_at: bound_at.toISOString() };
}
