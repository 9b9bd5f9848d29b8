import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';

/** The person of a private chat; in other chats, all are null. */
export type Named = { first_name: string | null; last_name: string | null; username: string | null };

const NAMES: readonly string[] = ['first_name', 'last_name', 'username'] satisfies (keyof Named)[];
/** `{first_name}` or `{first_name|friend}`; also what looks like one and is none. */
const PLACEHOLDER = /\{([A-Za-z_]+)(?:\|([^{}]*))?\}/g;
const TEXTS = ['text', 'caption'] as const;

/** True if each person gets a text of their own. */
export function hasNames(params: Fields): boolean {
  return placesIn(params).some(({ text }) => text.search(PLACEHOLDER) !== -1);
}

/** Throws 'bad_request' for a placeholder that nothing is known of, or whose replacement would move entities. */
export function requireFillable(params: Fields): void {
  for (const { path, text, hasEntities } of placesIn(params)) {
    for (const [found, name] of text.matchAll(PLACEHOLDER)) {
      const known = NAMES.map((one) => `{${one}}`).join(', ');
      if (!NAMES.includes(name!)) throw refusedInput(path, `has ${found}; what can be filled in is ${known}`);
      if (hasEntities)
        throw refusedInput(path, `has ${found}: give a parse_mode, not entities, whose places would move`);
    }
  }
}

/** The parameters with the names of a person, escaped for their parse mode. */
export function fillTexts(params: Fields, person: Named): Fields {
  const filled = filledIn(params, person);
  const media = mediaIn(params);
  if (media === null) return filled;
  const each = Array.isArray(media) ? media.map((one) => filledIn(one, person)) : filledIn(media, person);
  return { ...filled, media: typeof params.media === 'string' ? JSON.stringify(each) : each };
}

function filledIn(fields: Fields, person: Named): Fields {
  const texts = TEXTS.flatMap((name) => {
    const text = fields[name];
    return typeof text === 'string' ? [[name, fill(text, fields.parse_mode, person)]] : [];
  });
  return { ...fields, ...Object.fromEntries(texts) };
}

/** A fallback is of the author, and may have formatting. */
function fill(text: string, parseMode: unknown, person: Named): string {
  return text.replace(PLACEHOLDER, (found, name: string, fallback = '') => {
    if (!NAMES.includes(name)) return found;
    const value = person[name as keyof Named];
    return value === null || value === '' ? fallback : escaped(value, parseMode);
  });
}

/** See "Formatting options" of the Bot API. Markdown of the first version cannot escape within entities. */
function escaped(value: string, parseMode: unknown): string {
  switch (typeof parseMode === 'string' ? parseMode.toLowerCase() : '') {
    case 'html':
      return value.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
    case 'markdownv2':
      return value.replace(/[_*[\]()~`>#+\-=|{}.!\\]/g, '\\$&');
    case 'markdown':
      return value.replace(/[_*[`]/g, '');
    default:
      return value;
  }
}

type Place = { path: string; text: string; hasEntities: boolean };

function placesIn(params: Fields): Place[] {
  const media = mediaIn(params);
  const all = media === null ? [] : Array.isArray(media) ? media : [media];
  return [params, ...all].flatMap((fields, at) =>
    TEXTS.flatMap((name) => {
      const text = fields[name];
      const entities = fields[name === 'text' ? 'entities' : 'caption_entities'];
      const path = at === 0 ? `params.${name}` : 'params.media';
      return typeof text === 'string' ? [{ path, text, hasEntities: entities !== undefined }] : [];
    }),
  );
}

/** The media of `sendMediaGroup` and the like, which may be JSON text. */
function mediaIn({ media }: Fields): Fields | Fields[] | null {
  const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
  let read: unknown = media;
  if (typeof media === 'string') {
    try {
      read = JSON.parse(media);
    } catch {
      return null;
    }
  }
  if (Array.isArray(read)) return read.filter(isObject);
  return isObject(read) ? read : null;
}
