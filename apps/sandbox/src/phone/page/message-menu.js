import { copyText } from './buttons.js';
import { element } from './elements.js';
import { post } from './server.js';
import { part, state, words } from './state.js';

const EMOJI = ['👍', '❤', '🔥', '😢'];
let aboutMessage = () => {};

/** `onAbout` begins a reply to a message, or an edit of it. */
export function prepareMenu(onAbout) {
  aboutMessage = onAbout;
  part('menu').addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const items = [...part('menu').querySelectorAll('button')];
    items.at((items.indexOf(document.activeElement) + step) % items.length)?.focus();
  });
}

export function openMenu(opener, album) {
  const menu = part('menu');
  const [message] = album;
  const own = message.reactions.filter(({ mine }) => mine).map(({ emoji }) => emoji);
  const react = (emoji) =>
    post('/react', {
      message: message.id,
      emoji: own.includes(emoji) ? own.filter((one) => one !== emoji) : [...own, emoji].slice(-3),
    });
  const emoji = EMOJI.map((one) => item(opener, one, () => react(one)));
  menu.replaceChildren(
    element('div', { className: 'emoji-row', role: 'none' }, ...emoji),
    item(opener, words().reply, () => aboutMessage({ does: 'reply', message })),
    ...(message.text ? [item(opener, words().copy, () => copyText(message.text))] : []),
    ...(message.mine && message.text
      ? [item(opener, words().edit, () => aboutMessage({ does: 'edit', message }))]
      : []),
    ...(message.mine || state.phone.chat.id === null
      ? [item(opener, words().remove, () => post('/delete', { messages: album.map(({ id }) => id) }))]
      : []),
  );
  menu.showPopover();
  const [at, size] = [opener.getBoundingClientRect(), menu.getBoundingClientRect()];
  menu.style.left = `${Math.max(8, Math.min(at.left, innerWidth - size.width - 8))}px`;
  menu.style.top = `${at.bottom + size.height + 8 > innerHeight ? Math.max(8, at.top - size.height - 4) : at.bottom + 4}px`;
  menu.querySelector('button').focus();
}

function item(opener, text, act) {
  const button = element('button', { type: 'button', role: 'menuitem' }, text);
  button.addEventListener('click', () => {
    part('menu').hidePopover();
    opener.focus();
    act();
  });
  return button;
}
