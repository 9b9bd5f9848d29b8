import type { ReplyResource } from '@flotilla/contract/replies.ts';
import type { Format } from '../compose/content.ts';

export type Person = { first_name?: string | undefined; username?: string | undefined };

/** A saved reply as it is written to a person: their names in place of {first_name} and {username}, safe in its format. */
export function fillReply({ text, parse_mode: mode }: ReplyResource, person: Person): { text: string; format: Format } {
  const format: Format = mode === 'HTML' || mode === 'MarkdownV2' ? mode : 'plain';
  const filled = text.replace(/\{(first_name|username)\}/g, (_, name: keyof Person) =>
    escaped(person[name] ?? '', format),
  );
  return { text: filled, format };
}

function escaped(value: string, format: Format): string {
  switch (format) {
    case 'HTML':
      return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    case 'MarkdownV2':
      return value.replace(/[\\_*[\]()~`>#+\-=|{}.!]/g, '\\$&');
    case 'plain':
      return value;
  }
}
