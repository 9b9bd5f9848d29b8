import type { chatDeskOperations } from '@flotilla/contract/chat-desk.ts';
import { releaseChat } from '@flotilla/domain/delivery/takeover/release-chat.ts';
import { inConversation } from '@flotilla/domain/records/chats/conversation.ts';
import { assignChat, requireChat } from '@flotilla/domain/records/desk/assign-chat.ts';
import { closeChat } from '@flotilla/domain/records/desk/close-chat.ts';
import { announceDesk } from '@flotilla/domain/records/desk/desk-news.ts';
import { deskStore } from '@flotilla/domain/records/desk/desk-store.ts';
import { listPresent, notePresence } from '@flotilla/domain/records/desk/presence.ts';
import { takeOverChat } from '@flotilla/domain/records/takeover/take-over-chat.ts';
import { requireBot, requireManagedBot, scopeIn } from '../operations/bot-of-call.ts';
import type { Handlers } from '../operations/handler.ts';
import { accountOf } from './account-of.ts';
import { conversationOf } from './conversation-of.ts';
import { presentChat } from './present-chat.ts';

export const chatDeskHandlers: Handlers<typeof chatDeskOperations> = {
  async listAssignees(context, { input }) {
    return deskStore(context.db).assignees(requireBot(context, input.bot_id).id);
  },

  async assignChat(context, { input, caller, by }) {
    const chat = await conversationOf(context, requireManagedBot(context, input.bot_id), input);
    const assigned = await assignChat(context, by, chat, input.account_id);
    await announceDesk(context, { kind: 'chat', action: 'assign', ...inConversation(chat), ...accountOf(caller) });
    return presentChat(context, assigned);
  },

  async markChatDone(context, { input, caller, by }) {
    const chat = await conversationOf(context, requireManagedBot(context, input.bot_id), input);
    const closed = await closeChat(context, by, chat, true);
    await announceDesk(context, { kind: 'chat', action: 'done', ...inConversation(chat), ...accountOf(caller) });
    return presentChat(context, closed);
  },

  async reopenChat(context, { input, caller, by }) {
    const chat = await conversationOf(context, requireManagedBot(context, input.bot_id), input);
    const opened = await closeChat(context, by, chat, false);
    await announceDesk(context, { kind: 'chat', action: 'reopen', ...inConversation(chat), ...accountOf(caller) });
    return presentChat(context, opened);
  },

  async notePresence(context, { input, caller }) {
    // Nobody can write an answer in chats that are not managed.
    const require = input.doing === 'typing' ? requireManagedBot : requireBot;
    const chat = await conversationOf(context, require(context, input.bot_id), input);
    await requireChat(context.db, chat);
    return notePresence(context, chat, accountOf(caller), input.doing);
  },

  async listPresence(context, { input, caller }) {
    return listPresent(context, scopeIn(context, caller, input.bot_id));
  },

  async takeOverChat(context, { input, by }) {
    const bot = requireManagedBot(context, input.bot_id);
    const chat = await conversationOf(context, bot, input);
    await requireChat(context.db, chat);
    const taken = { holder: { kind: 'account', by }, minutes: input.minutes } as const;
    const chat_id = await takeOverChat(context, bot, chat, taken);
    return presentChat(context, await requireChat(context.db, { ...chat, chat_id }));
  },

  async releaseChat(context, { input, by }) {
    const bot = requireManagedBot(context, input.bot_id);
    const { bot_id, ...chat } = await conversationOf(context, bot, input);
    const delivered = await releaseChat(context, bot, by, { ...chat, deliver_missed: input.deliver_missed });
    return { ok: true, delivered };
  },
};
