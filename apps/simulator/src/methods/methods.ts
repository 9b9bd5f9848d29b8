import { answerCallbackQuery, answerInlineQuery } from './answer-query.ts';
import type { Method } from './call.ts';
import {
  leaveChat,
  pinChatMessage,
  setChatDescription,
  setChatTitle,
  setMessageReaction,
  unpinAllChatMessages,
  unpinChatMessage,
} from './change-chat.ts';
import { getChat, getChatAdministrators, getChatMember, getChatMemberCount } from './chat-info.ts';
import { deleteMyCommands, getMyCommands, setMyCommands } from './commands.ts';
import { deleteMessage, deleteMessages } from './delete-message.ts';
import { editMessageCaption, editMessageMedia, editMessageReplyMarkup, editMessageText } from './edit-message.ts';
import { copyMessage, copyMessages, forwardMessage, forwardMessages } from './forward-message.ts';
import { getFile } from './get-file.ts';
import { getMe } from './get-me.ts';
import { getWebhookInfo } from './get-webhook-info.ts';
import * as moderation from './moderate.ts';
import { sendChatAction } from './send-chat-action.ts';
import * as media from './send-media.ts';
import { sendMediaGroup } from './send-media-group.ts';
import { sendMessage } from './send-message.ts';
import { sendContact, sendDice, sendLocation, sendPoll, sendVenue } from './send-other.ts';
import { stopPoll } from './stop-poll.ts';

/** All methods except those whose result or waiting is special, which run-call.ts handles. */
const METHODS: Record<string, Method> = {
  getMe,
  getFile,
  getWebhookInfo,
  sendMessage,
  ...media,
  sendMediaGroup,
  sendLocation,
  sendVenue,
  sendContact,
  sendPoll,
  stopPoll,
  sendDice,
  sendChatAction,
  forwardMessage,
  forwardMessages,
  copyMessage,
  copyMessages,
  editMessageText,
  editMessageCaption,
  editMessageMedia,
  editMessageReplyMarkup,
  deleteMessage,
  deleteMessages,
  answerCallbackQuery,
  answerInlineQuery,
  getChat,
  getChatMember,
  getChatAdministrators,
  getChatMemberCount,
  getChatMembersCount: getChatMemberCount,
  ...moderation,
  kickChatMember: moderation.banChatMember,
  setChatTitle,
  setChatDescription,
  pinChatMessage,
  unpinChatMessage,
  unpinAllChatMessages,
  leaveChat,
  setMessageReaction,
  setMyCommands,
  getMyCommands,
  deleteMyCommands,
};

const BY_LOWER_CASE_NAME = new Map(Object.entries(METHODS).map(([name, method]) => [name.toLowerCase(), method]));

/** Finds a method by its name, ignoring case; undefined when the platform has none. */
export function findMethod(name: string): Method | undefined {
  return BY_LOWER_CASE_NAME.get(name.toLowerCase());
}
