import { badRequest } from '../bot-api-error.ts';
import type { Chat } from '../chats/chat.ts';
import { findGovernedChat } from '../chats/chat-admin.ts';
import { readFile } from '../files/read-file.ts';
import { showMedia } from '../files/show-media.ts';
import { postMessage } from '../messages/post-message.ts';
import type { Simulator } from '../simulator.ts';
import type { Call } from './call.ts';

const NO_RIGHTS = 'not enough rights to change chat photo';

export async function setChatPhoto(call: Call): Promise<true> {
  const chat = findGovernedChat(call, 'can_change_info', NO_RIGHTS);
  const file = await readFile(call, 'photo', 'photo');
  chat.photo = file.fileId;
  call.sim.storage.saveChat(chat);
  postMessage(call.sim, chat, { user: call.bot.user }, { new_chat_photo: showMedia('photo', file).photo });
  return true;
}

export function deleteChatPhoto(call: Call): true {
  const chat = findGovernedChat(call, 'can_change_info', NO_RIGHTS);
  if (chat.photo === '') throw badRequest('CHAT_NOT_MODIFIED');
  chat.photo = '';
  call.sim.storage.saveChat(chat);
  postMessage(call.sim, chat, { user: call.bot.user }, { delete_chat_photo: true });
  return true;
}

/** The photo of getChat. The simulator has one size of each. */
export function shownChatPhoto(sim: Simulator, { photo }: Chat): Record<string, unknown> {
  const file = sim.files.get(photo);
  if (file === undefined) return {};
  const { fileId, uniqueId } = file;
  const ids = {
    small_file_id: fileId,
    small_file_unique_id: uniqueId,
    big_file_id: fileId,
    big_file_unique_id: uniqueId,
  };
  return { photo: ids };
}
