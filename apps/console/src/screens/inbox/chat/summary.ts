import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import type { Words } from '../../../words/en.ts';

type Summed = Pick<Message, 'text' | 'media_type' | 'service'>;

/** A message in one line. */
export function summaryOf({ text, media_type: media, service }: Summed, { inbox: words }: Words): string {
  if (media === 'callback') return words.pressed(text ?? '');
  if (service !== undefined) return serviceLine(service, text ?? '', words);
  if (media !== undefined) return text ? `${words.media[media]}: ${text}` : words.media[media];
  return text ?? '';
}

/** The api says in English what a service message is; what follows the colon is of the chat. */
export function serviceLine(service: string, text: string, { services }: Words['inbox']): string {
  const label = services[service as keyof typeof services];
  if (label === undefined) return text || service;
  const colon = text.indexOf(': ');
  return colon < 0 ? label : `${label}: ${text.slice(colon + 2)}`;
}
