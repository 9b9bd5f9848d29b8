import type { MessageResource as Message } from '@flotilla/contract/messages.ts';

export type Entity = NonNullable<Message['entities']>[number];
export type TextNode = string | { entity: Entity; children: TextNode[] };

/** The text cut at its entities, which may lie in one another. What lies beyond its parent is cut off. */
export function entityTree(text: string, entities: readonly Entity[] = []): TextNode[] {
  const sorted = entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length);
  let next = 0;
  const build = (from: number, to: number): TextNode[] => {
    const nodes: TextNode[] = [];
    let position = from;
    for (let entity = sorted[next]; entity !== undefined && entity.offset < to; entity = sorted[next]) {
      next += 1;
      const start = Math.max(entity.offset, position);
      const end = Math.min(entity.offset + entity.length, to);
      if (end <= start) continue;
      if (start > position) nodes.push(text.slice(position, start));
      nodes.push({ entity, children: build(start, end) });
      position = end;
    }
    if (position < to) nodes.push(text.slice(position, to));
    return nodes;
  };
  return build(0, text.length);
}

export function plainText(nodes: readonly TextNode[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : plainText(node.children))).join('');
}

const TAGS: Readonly<Record<string, string>> = {
  bold: 'b',
  italic: 'i',
  underline: 'u',
  strikethrough: 's',
  spoiler: 'tg-spoiler',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
};

/** The text in the HTML of the Bot API, for a message that is edited. Format: https://core.telegram.org/bots/api#html-style */
export function botApiHtml(nodes: readonly TextNode[]): string {
  return nodes.map((node) => (typeof node === 'string' ? escaped(node) : tagged(node))).join('');
}

function tagged({ entity, children }: Exclude<TextNode, string>): string {
  const inner = botApiHtml(children);
  const { type, url, user, custom_emoji_id: emoji } = entity as Entity & { user?: { id?: number } };
  const tag = TAGS[type];
  if (tag !== undefined) return `<${tag}>${inner}</${tag}>`;
  if (type === 'expandable_blockquote') return `<blockquote expandable>${inner}</blockquote>`;
  if (type === 'text_link' && url) return `<a href="${escaped(url)}">${inner}</a>`;
  if (type === 'text_mention' && user?.id) return `<a href="tg://user?id=${user.id}">${inner}</a>`;
  if (type === 'custom_emoji' && emoji) return `<tg-emoji emoji-id="${escaped(emoji)}">${inner}</tg-emoji>`;
  return inner;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
