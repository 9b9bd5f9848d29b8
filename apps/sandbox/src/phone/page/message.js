import { inlineButtons } from './buttons.js';
import { clock, element, iconButton, named } from './elements.js';
import { formattedText } from './formatted-text.js';
import { mediaElement } from './media.js';
import { openMenu } from './message-menu.js';
import { post } from './server.js';
import { state, words } from './state.js';

/** The item of a message, or of an album: messages that belong together. `isFirst`: its author did not write just before. */
export function messageItem(album, { isFirst }) {
  const [message] = album;
  if (message.service !== null)
    return element('li', { className: 'service', data: { id: message.id } }, happened(message.service));
  const isShared = state.phone.chat.id !== null;
  const item = element('li', {
    className: `message ${message.mine ? 'mine' : ''} ${isFirst ? 'first' : ''}`,
    data: { id: message.id },
  });
  const author = message.by?.name ?? state.phone.chat.title;
  const isNamed = isShared && !message.mine && isFirst;
  const hue = `hue-${Math.abs(message.by?.id ?? 0) % 6}`;
  item.append(element('span', { className: isNamed ? `by ${hue}` : 'by unseen' }, named(author)));
  if (message.forwardedFrom)
    item.append(element('p', { className: 'muted small' }, words().forwarded(message.forwardedFrom)));
  if (message.reply !== null) item.append(replied(message.reply));
  item.append(...content(album), said(album), inlineButtons(message) ?? '');
  return item;
}

/** One line for a message: its text, or what else it is. */
export function lineText({ text, service, kind }) {
  if (service !== null) return happened(service);
  return text || (words().kinds[kind] ?? kind ?? '');
}

function happened(service) {
  return words().happened[service.kind]?.(service) ?? service.label;
}

function content(album) {
  const media = album.filter((one) => one.media !== null).map((one) => mediaElement(one.media));
  const parts =
    media.length > 1 ? [element('div', { className: `album of-${Math.min(media.length, 4)}` }, ...media)] : media;
  const [{ poll }] = album;
  if (poll !== null) parts.push(pollPart(poll));
  return parts;
}

/** The text of a message, and when it was sent: beside it if both fit in one line. */
function said(album) {
  const texts = album
    .filter(({ text }) => text)
    .map(({ text, entities }) => formattedText(text, entities, sendCommand));
  const [{ note }] = album;
  if (note !== null) texts.push(note);
  const parts = texts.map((text) => element('div', { className: 'text', dir: 'auto' }, text));
  return element('div', { className: 'said' }, ...parts, foot(album));
}

async function sendCommand(text) {
  const { bot, chat } = state.phone;
  await post('/say', { text: chat.id === null || text.includes('@') ? text : `${text}@${bot.username}` });
}

function replied(reply) {
  const line = element('span', { className: 'cut', dir: 'auto' }, lineText(reply));
  const button = element(
    'button',
    { type: 'button', className: 'replied' },
    element('strong', { className: 'cut', dir: 'auto' }, reply.by),
    line,
  );
  button.addEventListener('click', () => goToMessage(reply.id));
  return button;
}

function goToMessage(id) {
  const item = document.querySelector(`#messages > [data-id="${Number(id)}"]`);
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  item?.scrollIntoView({ block: 'center', behavior: isCalm ? 'instant' : 'smooth' });
  item?.classList.add('found');
  setTimeout(() => item?.classList.remove('found'), 1_500);
}

function foot(album) {
  const [message] = album;
  const date = new Date(message.date * 1000);
  const time = element('time', { dateTime: date.toISOString() }, clock(date));
  if (message.edited) time.prepend(`${words().edited} `);
  const more = iconButton('more', words().more, () => openMenu(more, album), { className: 'icon-button more' });
  return element('div', { className: 'foot' }, ...message.reactions.map((one) => reaction(message, one)), time, more);
}

function reaction(message, { emoji, count, mine }) {
  const others = message.reactions.filter((one) => one.mine && one.emoji !== emoji).map((one) => one.emoji);
  const onclick = () => post('/react', { message: message.id, emoji: mine ? others : [...others, emoji].slice(-3) });
  return element(
    'button',
    { type: 'button', className: 'reaction', ariaPressed: String(mine), onclick },
    `${emoji} ${count}`,
  );
}

function pollPart({ id, question, options, total, isClosed }) {
  const rows = options.map(({ text, votes }, at) => {
    const button = element(
      'button',
      { type: 'button', className: 'option', disabled: isClosed },
      named(text),
      element('span', { className: 'muted' }, String(votes)),
    );
    button.addEventListener('click', () => post('/vote', { poll: id, options: [at] }));
    return button;
  });
  const state_ = isClosed ? `, ${words().closedPoll}` : '';
  const about = element('p', { className: 'muted small' }, `${words().kinds.poll}, ${words().votes(total)}${state_}`);
  return element('div', { className: 'poll' }, element('strong', { dir: 'auto' }, question), about, ...rows);
}
