import type { OutboxEntryResource as Entry } from '@flotilla/contract/outbox.ts';
import { readFormatted } from '../../parts/formatted-text.ts';
import type { OutboxWords } from './outbox-words.ts';

/** Parameters that are read by people, in the order in which they say most. */
const TEXTS = ['text', 'caption', 'question', 'title', 'address', 'emoji', 'first_name'];
const LONGEST = 300;

/** The text of an entry in one line; '' if it has none. */
export function excerptOf({ params }: Pick<Entry, 'params'>, words: OutboxWords): string {
  const text = TEXTS.map((name) => params[name]).find((value) => typeof value === 'string' && value.trim() !== '');
  if (typeof text === 'string') return plain(text, params.parse_mode).slice(0, LONGEST);
  const { media, message_ids: messages, message_id: message } = params;
  if (Array.isArray(media)) return words.albumOf(media.length);
  if (Array.isArray(messages)) return words.messagesOf(messages.length);
  return message === undefined ? '' : `#${String(message)}`;
}

function plain(text: string, parseMode: unknown): string {
  const formatted = readFormatted(text, parseMode);
  return ('text' in formatted ? formatted.text : text).replace(/\s+/g, ' ').trim();
}
