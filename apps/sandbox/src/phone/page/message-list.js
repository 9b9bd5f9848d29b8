import { element } from './elements.js';
import { messageItem } from './message.js';
import { part, state, words } from './state.js';

const TOGETHER_S = 300;
const AT_END_PX = 80;
/** Key → the item that shows it, and what it was made of. */
let shown = new Map();
let chatShown = '';
let isAtEnd = true;
let sizeSeen = '';

/** Who is at the end stays there, whatever grows: a message, the keyboard, a picture that has come. */
export function prepareMessages() {
  const log = part('log');
  log.addEventListener('scroll', () => {
    // The browser also scrolls when something grows; the observer sees to that.
    if (sizeOf(log) === sizeSeen) isAtEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - AT_END_PX;
  });
  const observer = new ResizeObserver(() => {
    sizeSeen = sizeOf(log);
    if (isAtEnd) scrollToEnd();
  });
  for (const grown of [log, part('messages')]) observer.observe(grown);
}

function sizeOf({ clientHeight, scrollHeight }) {
  return `${clientHeight}/${scrollHeight}`;
}

/** Items stay that did not change: a screen reader says new ones only, and nothing moves under the pointer. */
export function showMessages() {
  const { chat, person } = state.phone;
  const here = JSON.stringify([chat.id, chat.topic, person.id, state.language]);
  const isOther = here !== chatShown;
  if (isOther) [shown, chatShown, isAtEnd] = [new Map(), here, true];
  const items = itemsOf(chat.messages);
  const list = part('messages');
  const isSame = list.children.length === items.length && items.every((item, at) => list.children[at] === item);
  if (isSame) return;
  for (const item of [...list.children]) if (!items.includes(item)) item.remove();
  for (const [at, item] of items.entries()) {
    if (list.children[at] !== item) list.insertBefore(item, list.children[at] ?? null);
  }
  if (isAtEnd) scrollToEnd();
}

export function scrollToEnd() {
  const log = part('log');
  log.scrollTo(0, log.scrollHeight);
  isAtEnd = true;
}

function itemsOf(messages) {
  const known = shown;
  shown = new Map();
  const keep = (key, content, make) => {
    const text = JSON.stringify(content);
    const before = known.get(key);
    const entry = before?.text === text ? before : { text, item: make() };
    shown.set(key, entry);
    return entry.item;
  };
  const items = [];
  let last = null;
  for (const album of albumsOf(messages)) {
    const [message] = album;
    const day = new Date(message.date * 1000).toDateString();
    if (last === null || day !== new Date(last.date * 1000).toDateString()) {
      items.push(keep(`day ${day}`, day, () => element('li', { className: 'day' }, dayText(message.date))));
      last = null;
    }
    const isFirst =
      last === null || last.service !== null || last.by?.id !== message.by?.id || message.date - last.date > TOGETHER_S;
    items.push(keep(message.id, [album, isFirst], () => messageItem(album, { isFirst })));
    last = message;
  }
  if (items.length === 0)
    items.push(keep('empty', emptyText(), () => element('li', { className: 'empty' }, emptyText())));
  return items;
}

function emptyText() {
  const { id, started } = state.phone.chat;
  if (id !== null) return words().emptyGroup;
  return started ? words().empty : words().emptyStart;
}

/** Messages of one album follow each other and are shown as one. */
function albumsOf(messages) {
  const albums = [];
  for (const message of messages) {
    const before = albums.at(-1);
    if (message.album !== null && before?.[0].album === message.album) before.push(message);
    else albums.push([message]);
  }
  return albums;
}

function dayText(dateS) {
  const date = new Date(dateS * 1000);
  if (date.toDateString() === new Date().toDateString()) return words().today;
  return date.toLocaleDateString(state.language, { day: 'numeric', month: 'long', year: 'numeric' });
}
