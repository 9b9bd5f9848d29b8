import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { botApiHtml, entityTree } from '../chat/entity-tree.ts';
import { type Markup, markupOf, replyMarkupOf } from './markup.ts';

export const FORMATS = ['plain', 'HTML', 'MarkdownV2'] as const;
export type Format = (typeof FORMATS)[number];

/** Written text, for a new message or for a change of one. */
export type Content = { text: string; format: Format; markup: Markup };

/** The platform finds these by itself. */
const PLAIN = ['url', 'email', 'mention', 'hashtag', 'cashtag', 'bot_command', 'phone_number'];

/** Formatted texts are edited as HTML, or the formatting would be lost. */
export function contentOf({ text = '', entities = [], buttons }: Message): Content {
  const markup = markupOf(buttons);
  const isFormatted = entities.some(({ type, length }) => length > 0 && !PLAIN.includes(type));
  if (!isFormatted) return { text, format: 'plain', markup };
  return { text: botApiHtml(entityTree(text, entities)), format: 'HTML', markup };
}

export function parseModeOf(format: Format) {
  return format === 'plain' ? {} : { parse_mode: format };
}

export function isSameMarkup(one: Markup, other: Markup): boolean {
  return JSON.stringify(replyMarkupOf(one)) === JSON.stringify(replyMarkupOf(other));
}

export function isSameContent(one: Content, other: Content): boolean {
  return one.text === other.text && one.format === other.format && isSameMarkup(one.markup, other.markup);
}
