import type { Method } from './call.ts';
import { getFile } from './get-file.ts';
import { getMe } from './get-me.ts';
import { getWebhookInfo } from './get-webhook-info.ts';
import {
  sendAnimation,
  sendAudio,
  sendDocument,
  sendPhoto,
  sendSticker,
  sendVideo,
  sendVideoNote,
  sendVoice,
} from './send-media.ts';
import { sendMessage } from './send-message.ts';

const METHODS: Record<string, Method> = {
  getMe,
  getFile,
  getWebhookInfo,
  sendMessage,
  sendPhoto,
  sendDocument,
  sendVideo,
  sendAnimation,
  sendAudio,
  sendVoice,
  sendVideoNote,
  sendSticker,
};

const BY_LOWER_CASE_NAME = new Map(Object.entries(METHODS).map(([name, method]) => [name.toLowerCase(), method]));

/** The method of that name in any case; undefined when the platform has none. */
export function findMethod(name: string): Method | undefined {
  return BY_LOWER_CASE_NAME.get(name.toLowerCase());
}
