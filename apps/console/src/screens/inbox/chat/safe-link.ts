import type { Entity } from './entity-tree.ts';

const PROTOCOLS = ['http:', 'https:', 'tg:'];

/** The address as a link may have it; null for one that a browser must not follow, such as `javascript:`. */
export function safeLink(address: string): string | null {
  const { protocol, href } = URL.parse(address) ?? {};
  return protocol !== undefined && PROTOCOLS.includes(protocol) ? href! : null;
}

/** Where a part of a text leads, if anywhere. */
export function linkOf({ type, url }: Entity, text: string): string | null {
  switch (type) {
    case 'text_link':
      return url === undefined ? null : safeLink(url);
    case 'url':
      return safeLink(/^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`);
    case 'mention':
      return /^@\w+$/.test(text) ? `https://t.me/${text.slice(1)}` : null;
    default:
      return null;
  }
}
