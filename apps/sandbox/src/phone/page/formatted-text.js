import { element } from './elements.js';

const TAGS = {
  bold: 'strong',
  italic: 'em',
  underline: 'u',
  strikethrough: 's',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
  expandable_blockquote: 'blockquote',
};
const LINKS = ['url', 'text_link', 'email'];

/** A text with its entities as elements. Offsets count UTF-16 units, as strings of JavaScript do. */
export function formattedText(text, entities, onCommand) {
  const known = entities.filter(({ offset, length }) => offset >= 0 && length > 0 && offset + length <= text.length);
  return piece(
    text,
    0,
    text.length,
    [...known].sort((a, b) => a.offset - b.offset || b.length - a.length),
    onCommand,
  );
}

function piece(text, from, to, entities, onCommand) {
  const made = document.createDocumentFragment();
  let at = from;
  for (let next = 0; next < entities.length; next += 1) {
    const entity = entities[next];
    const end = Math.min(entity.offset + entity.length, to);
    if (entity.offset < at || entity.offset >= end) continue;
    made.append(text.slice(at, entity.offset));
    const inner = entities
      .slice(next + 1)
      .filter(({ offset, length }) => offset >= entity.offset && offset + length <= end);
    const holder = elementOf(entity, text.slice(entity.offset, end), onCommand);
    holder.append(piece(text, entity.offset, end, inner, onCommand));
    made.append(holder);
    at = end;
  }
  made.append(text.slice(at, to));
  return made;
}

function elementOf(entity, text, onCommand) {
  if (LINKS.includes(entity.type)) return link(entity, text);
  if (entity.type === 'bot_command')
    return element('button', { type: 'button', className: 'link', onclick: () => onCommand(text) });
  if (entity.type === 'spoiler') return spoiler();
  const isName = ['mention', 'text_mention', 'hashtag', 'cashtag'].includes(entity.type);
  return element(TAGS[entity.type] ?? 'span', { className: isName ? 'mention' : '' });
}

/** Only what a browser opens as a page or as a letter becomes a link. */
function link({ type, url }, text) {
  const address = type === 'email' ? `mailto:${text}` : (url ?? (/^[a-z]+:/i.test(text) ? text : `https://${text}`));
  return opened(address) ?? element('span');
}

export function opened(address) {
  if (!URL.canParse(address) || !/^(https?|mailto):$/.test(new URL(address).protocol)) return null;
  return element('a', { href: address, target: '_blank', rel: 'noopener noreferrer' });
}

function spoiler() {
  const made = element('span', { className: 'spoiler', tabIndex: 0, role: 'button' });
  const show = () => {
    made.classList.add('shown');
    made.removeAttribute('role');
  };
  made.addEventListener('click', show);
  made.addEventListener('keydown', ({ key }) => key === 'Enter' && show());
  return made;
}
