import { avatar, clock, element, iconButton, named, redraw } from './elements.js';
import { lineText } from './message.js';
import { openNewGroup } from './new-group.js';
import { goTo, part, state, words } from './state.js';

const DAY = { day: 'numeric', month: 'short' };

/** The chats of the bot, and who writes in them. */
export function showChatList({ onChange, onLanguage }) {
  const { chats, chat, consoleUrl } = state.phone;
  state.seen.set(chat.id, chats.find(({ id }) => id === chat.id)?.last?.id ?? 0);
  const rows = chats.map((one) => ({ ...one, isOpen: one.id === chat.id, isNew: isNew(one) }));
  redraw(part('chats'), [rows, consoleUrl, state.language], () => [
    element(
      'header',
      {},
      element('h2', {}, words().chats),
      iconButton('group', words().newGroup, openNewGroup(onChange), { data: { key: 'new-group' } }),
    ),
    element('nav', { ariaLabel: words().chats }, element('ul', {}, ...rows.map((row) => chatRow(row, onChange)))),
    outside(consoleUrl, onLanguage),
  ]);
}

/** Messages from before the page was opened count as seen. */
function isNew({ id, last }) {
  if (!state.seen.has(id)) state.seen.set(id, last?.id ?? 0);
  return (last?.id ?? 0) > state.seen.get(id);
}

function chatRow({ id, title, last, isOpen, isNew: hasNew }, onChange) {
  const line = last === null ? '' : [last.author && id !== null ? `${last.author}: ` : '', lineText(last)].join('');
  const button = element(
    'button',
    { type: 'button', className: 'chat-row', ariaCurrent: isOpen ? 'true' : null, data: { key: `chat ${id}` } },
    avatar(id ?? state.phone.bot.id, title),
    element(
      'span',
      { className: 'chat-text' },
      named(title, 'cut chat-title'),
      element('span', { className: 'cut muted small', dir: 'auto' }, line),
    ),
    element(
      'span',
      { className: 'chat-side muted small' },
      last === null ? '' : timeOf(last.date),
      hasNew ? element('span', { className: 'dot' }, element('span', { className: 'unseen' }, words().unread)) : null,
    ),
  );
  button.addEventListener('click', async () => {
    state.layer = 'chat';
    goTo({ chat: id, topic: null });
    await onChange();
  });
  return element('li', {}, button);
}

function timeOf(dateS) {
  const date = new Date(dateS * 1000);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? clock(date) : date.toLocaleDateString(state.language, DAY);
}

/** The links that lead away from the chats. */
export function outside(consoleUrl, onLanguage) {
  return element(
    'footer',
    { className: 'outside' },
    element('a', { href: consoleUrl, target: '_blank', rel: 'noopener' }, words().console),
    element(
      'button',
      { type: 'button', className: 'quiet', onclick: onLanguage, data: { key: 'language' } },
      words().other,
    ),
  );
}
