import { badRequest } from '../bot-api-error.ts';
import { type Params, text } from '../http/params.ts';
import { addFoundEntities } from '../text/find-entities.ts';
import { parseHtml } from '../text/parse-html.ts';
import { parseMarkdown } from '../text/parse-markdown.ts';
import { parseMarkdownV2 } from '../text/parse-markdown-v2.ts';
import type { FormattedText, TextEntity } from '../text/text-entity.ts';
import { trimFormatted } from '../text/text-entity.ts';

/** Parses a text with its parse_mode, or with explicit entities, into plain text and entities. */
export function formatText(raw: string, parseMode: string, explicit: unknown): FormattedText {
  return trimFormatted(addFoundEntities(parse(raw, parseMode, explicit)));
}

function parse(raw: string, parseMode: string, explicit: unknown): FormattedText {
  switch (parseMode.toLowerCase()) {
    case '':
    case 'none':
      return { text: raw, entities: Array.isArray(explicit) ? (explicit as TextEntity[]) : [] };
    case 'html':
      return parseHtml(raw);
    case 'markdown':
      return parseMarkdown(raw);
    case 'markdownv2':
      return parseMarkdownV2(raw);
    default:
      throw badRequest('unsupported parse_mode');
  }
}

/** `text` of sendMessage and editMessageText, as message fields. */
export function readText(params: Params): { text: string; entities?: TextEntity[] } {
  const raw = text(params, 'text');
  const formatted = formatText(raw, text(params, 'parse_mode'), parseArray(text(params, 'entities')));
  if (formatted.text === '') throw badRequest('message text is empty');
  if (formatted.text.length > 4096) throw badRequest('message is too long');
  return { text: formatted.text, ...(formatted.entities.length > 0 && { entities: formatted.entities }) };
}

/** `caption` with its entities and options, as message fields. */
export function readCaption(params: Params): Record<string, unknown> {
  return showCaption(
    text(params, 'caption'),
    text(params, 'parse_mode'),
    parseArray(text(params, 'caption_entities')),
    text(params, 'show_caption_above_media') === 'true',
  );
}

export function showCaption(
  raw: string,
  parseMode: string,
  entities: unknown,
  above: boolean,
): Record<string, unknown> {
  const formatted = formatText(raw, parseMode, entities);
  if (formatted.text.length > 1024) throw badRequest('message caption is too long');
  if (formatted.text === '') return {};
  return {
    caption: formatted.text,
    ...(formatted.entities.length > 0 && { caption_entities: formatted.entities }),
    ...(above && { show_caption_above_media: true }),
  };
}

function parseArray(raw: string): unknown {
  if (raw === '') return undefined;
  try {
    return JSON.parse(raw);
  } catch {
    throw badRequest("can't parse entities: can't parse entities JSON object");
  }
}
