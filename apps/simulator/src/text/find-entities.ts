import type { FormattedText, TextEntity } from './text-entity.ts';

const FINDERS: [type: string, pattern: RegExp][] = [
  [
    'url',
    /(?<![\w@.])(?:https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]]|(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|me|ru|de)\b(?:\/[^\s<>"]*[^\s<>".,;:!?)\]])?)/gi,
  ],
  ['email', /(?<![\w.@])[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b/g],
  ['mention', /(?<![\w@.])@[a-zA-Z]\w{2,31}\b(?!\.\w)/g],
  ['hashtag', /(?<![\p{L}\p{N}_#])#(?=[\p{L}\p{N}_]*\p{L})[\p{L}\p{N}_]+/gu],
  ['cashtag', /(?<![\w$])\$[A-Z]{3,8}\b/g],
  ['bot_command', /(?<![\w/<>])\/[a-zA-Z0-9_]{1,64}(?:@[a-zA-Z]\w{2,31})?\b(?![/<>])/g],
];
const OPAQUE = new Set(['code', 'pre', 'text_link', 'text_mention', 'url']);

/** Adds the entities that the platform finds by itself: links, mentions, hashtags, commands. */
export function addFoundEntities({ text, entities }: FormattedText): FormattedText {
  if (!/[./@#$]/.test(text)) return { text, entities };
  const all = [...entities];
  for (const [type, pattern] of FINDERS) {
    for (const match of text.matchAll(pattern)) {
      const found: TextEntity = { type, offset: match.index, length: match[0].length };
      if (!all.some((entity) => OPAQUE.has(entity.type) && overlap(entity, found))) all.push(found);
    }
  }
  return { text, entities: all };
}

function overlap(a: TextEntity, b: TextEntity): boolean {
  return a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}
