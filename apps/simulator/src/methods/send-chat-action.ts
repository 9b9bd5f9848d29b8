import { badRequest } from '../bot-api-error.ts';
import { findWritableChat } from '../chats/find-chat.ts';
import { text } from '../http/params.ts';
import type { Call } from './call.ts';

const ACTIONS = new Set([
  'typing',
  'upload_photo',
  'record_video',
  'upload_video',
  'record_voice',
  'upload_voice',
  'upload_document',
  'choose_sticker',
  'find_location',
  'record_video_note',
  'upload_video_note',
]);
const KEPT_ACTIONS = 100;

export function sendChatAction(call: Call): true {
  const chat = findWritableChat(call);
  const action = text(call.params, 'action').toLowerCase();
  if (!ACTIONS.has(action)) throw badRequest('wrong parameter action in request');
  chat.actions.push({ userId: call.bot.user.id, action, atMs: call.sim.clock.nowMs() });
  if (chat.actions.length > KEPT_ACTIONS) chat.actions.shift();
  return true;
}
