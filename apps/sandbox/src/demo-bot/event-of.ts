import { readMessageMedia } from '@flotilla/telegram/message-media.ts';
import { type MessageService, readMessageService, SAID_SERVICES } from '@flotilla/telegram/message-service.ts';
import { readMessageText } from '@flotilla/telegram/message-text.ts';

/** The event of a chat (somebody joined, a message was pinned); null for a message that somebody wrote or sent. */
export function eventOf(message: Record<string, unknown>): MessageService | null {
  if (readMessageMedia(message) !== null) return null;
  const service = readMessageService(message, readMessageText(message));
  return service === null || [...SAID_SERVICES, 'invoice'].includes(service.service) ? null : service;
}
