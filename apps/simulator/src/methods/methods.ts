import { answerCallbackQuery, answerInlineQuery } from './answer-query.ts';
import { BUSINESS } from './business.ts';
import type { Method } from './call.ts';
import {
  deleteAllMessageReactions,
  deleteMessageReaction,
  leaveChat,
  pinChatMessage,
  setChatDescription,
  setChatTitle,
  setMessageReaction,
  unpinAllChatMessages,
  unpinChatMessage,
} from './change-chat.ts';
import { getChat, getChatAdministrators, getChatMember, getChatMemberCount } from './chat-info.ts';
import { deleteChatPhoto, setChatPhoto } from './chat-photo.ts';
import { deleteMyCommands, getMyCommands, setMyCommands } from './commands.ts';
import { deleteMessage, deleteMessages } from './delete-message.ts';
import {
  editMessageCaption,
  editMessageChecklist,
  editMessageLiveLocation,
  editMessageMedia,
  editMessageReplyMarkup,
  editMessageText,
  stopMessageLiveLocation,
} from './edit-message.ts';
import { copyMessage, copyMessages, forwardMessage, forwardMessages } from './forward-message.ts';
import { getFile, uploadStickerFile } from './get-file.ts';
import { getMe, setMySettings } from './get-me.ts';
import { getWebhookInfo } from './get-webhook-info.ts';
import { INVITE_LINKS } from './invite-links.ts';
import * as moderation from './moderate.ts';
import { PAYMENTS } from './payments.ts';
import { RICH_MESSAGES } from './rich-messages.ts';
import { sendChatAction } from './send-chat-action.ts';
import * as media from './send-media.ts';
import { sendMediaGroup } from './send-media-group.ts';
import { sendMessage } from './send-message.ts';
import { sendChecklist, sendContact, sendDice, sendGame, sendLocation, sendPoll, sendVenue } from './send-other.ts';
import { SETTINGS_OF_BOT } from './settings-of-bot.ts';
import { stopPoll } from './stop-poll.ts';
import { TOPICS } from './topics.ts';
import { UNKEPT_METHODS } from './unkept-methods.ts';
import { WIDGETS } from './widgets.ts';

/** All methods except those whose result or waiting is special, which run-call.ts handles. */
const METHODS: Record<string, Method> = {
  getMe,
  setMySettings,
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
  sendGame,
  sendChecklist,
  uploadStickerFile,
  sendChatAction,
  forwardMessage,
  forwardMessages,
  copyMessage,
  copyMessages,
  editMessageText,
  editMessageCaption,
  editMessageMedia,
  editMessageReplyMarkup,
  editMessageChecklist,
  editMessageLiveLocation,
  stopMessageLiveLocation,
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
  setChatPhoto,
  deleteChatPhoto,
  setMessageReaction,
  deleteMessageReaction,
  deleteAllMessageReactions,
  ...INVITE_LINKS,
  ...TOPICS,
  ...PAYMENTS,
  ...RICH_MESSAGES,
  ...WIDGETS,
  ...BUSINESS,
  ...SETTINGS_OF_BOT,
  ...UNKEPT_METHODS,
  setMyCommands,
  getMyCommands,
  deleteMyCommands,
};

const BY_LOWER_CASE_NAME = new Map(Object.entries(METHODS).map(([name, method]) => [name.toLowerCase(), method]));

/** Finds a method by its name, ignoring case; undefined when the platform has none. */
export function findMethod(name: string): Method | undefined {
  return BY_LOWER_CASE_NAME.get(name.toLowerCase());
}
