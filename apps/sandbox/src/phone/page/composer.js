import { acceptFiles, detachAll, hasAttached, sendAttached, showAttached } from './attachments.js';
import { element, icon, iconButton, redraw } from './elements.js';
import { showKeyboard } from './keyboard.js';
import { lineText } from './message.js';
import { scrollToEnd } from './message-list.js';
import { post } from './server.js';
import { part, state, words } from './state.js';
import { hideSuggestions, prepareSuggestions, showSuggestions, toggleCommands } from './suggestions.js';

const CAPTION_AT_MOST = 1024;
const TEXT_AT_MOST = 4096;
const field = part('text');
/** Chat and topic → what is written there and not sent; `textOf` is where the field stands now. */
const texts = new Map();
let textOf = '';
let isSending = false;
let changed = async () => {};

/** Makes the field and its buttons work. `onChange` looks for what is new. */
export function prepareComposer(onChange) {
  changed = onChange;
  part('attach').append(icon('attach'));
  part('commands').append(icon('slash'));
  part('send').append(icon('send'));
  part('attach').addEventListener('click', () => part('files').click());
  part('commands').addEventListener('click', () => toggleCommands(sayCommand));
  part('say').addEventListener('submit', (event) => {
    event.preventDefault();
    submit();
  });
  field.addEventListener('input', () => {
    grow();
    hideSuggestions();
    showSuggestions(sayCommand);
  });
  field.addEventListener('keydown', onKey);
  acceptFiles();
  prepareSuggestions();
}

export function showComposer() {
  const { chat, commands } = state.phone;
  keepText();
  const instead = insteadOf(chat);
  part('say').hidden = instead !== null;
  redraw(part('instead'), [instead, state.language, chat.id], () => (instead === null ? [] : instead.parts()));
  for (const [id, label] of [
    ['attach', words().attach],
    ['commands', words().commands],
    ['send', words().send],
  ]) {
    part(id).ariaLabel = label;
    part(id).title = label;
  }
  field.ariaLabel = words().text;
  field.maxLength = hasAttached() ? CAPTION_AT_MOST : TEXT_AT_MOST;
  part('commands').hidden = commands.length === 0;
  showAbout();
  showAttached();
  showKeyboard(sayText);
}

/** A text that is not sent stays with its chat; files do not go to another one. */
function keepText() {
  const { bot, chat } = state.phone;
  const here = `${bot.id} ${chat.id} ${chat.topic}`;
  if (here === textOf) return;
  texts.set(textOf, state.about?.does === 'edit' ? '' : field.value);
  if (textOf !== '') {
    field.value = texts.get(here) ?? '';
    state.about = null;
    detachAll();
    hideSuggestions();
    grow();
  }
  textOf = here;
}

/** Begins a reply to a message, or an edit of it; null ends it. */
export function aboutMessage(about) {
  const wasEdit = state.about?.does === 'edit';
  state.about = about;
  if (about?.does === 'edit') field.value = about.message.text;
  else if (wasEdit) field.value = '';
  grow();
  showAbout();
  field.focus();
}

function showAbout() {
  const { about } = state;
  redraw(part('about-message'), [about?.does, about?.message.id, state.language], () => {
    if (about === null) return [];
    const title = about.does === 'edit' ? words().editing : words().replyTo(about.message.by?.name ?? '');
    const line = lineText({ ...about.message, kind: about.message.media?.kind ?? about.message.note });
    return [
      element(
        'p',
        {},
        element('strong', { className: 'cut', dir: 'auto' }, title),
        element('span', { className: 'cut muted', dir: 'auto' }, line),
      ),
      iconButton('close', words().cancel, () => aboutMessage(null)),
    ];
  });
}

/** The notice in place of the field, if a person cannot write here; `shown` tells one from the other. */
function insteadOf(chat) {
  const { bot } = state.phone;
  const act = (path, body) => async () => {
    await post(path, body);
    await changed();
    field.focus();
  };
  const offer = (shown, text, label, does) => ({
    shown,
    parts: () => [
      text === '' ? null : element('p', { dir: 'auto' }, text),
      label === null
        ? null
        : element('button', { type: 'button', className: 'main', onclick: does, data: { key: shown } }, label),
    ],
  });
  if (chat.id === null && chat.blocked)
    return offer('blocked', words().blocked, words().unblock, act('/block', { blocked: false }));
  if (chat.id === null && !chat.started) return offer('start', '', words().start, act('/start'));
  if (chat.isBanned) return offer('banned', words().banned, null);
  if (!chat.isIn) return offer('join', '', words().join, act('/member', { status: 'member' }));
  if (!chat.hasBot)
    return offer('gone', words().botGone(bot.name), words().addAgain, act('/member', { bot: true, status: 'member' }));
  return null;
}

async function submit() {
  const text = field.value.trim();
  if (isSending || (text === '' && !hasAttached())) return;
  isSending = true;
  part('send').disabled = true;
  field.value = '';
  const isSent = await sent(text);
  if (!isSent && field.value === '') field.value = text;
  if (isSent) state.about = null;
  isSending = false;
  part('send').disabled = false;
  hideSuggestions();
  grow();
  await changed();
  scrollToEnd();
  field.focus();
}

async function sent(text) {
  const { about } = state;
  if (about?.does === 'edit') {
    const isCaption = about.message.media !== null;
    return (await post('/edit', { message: about.message.id, text, isCaption })) !== null;
  }
  const reply = about?.message.id;
  if (hasAttached()) return sendAttached(text, reply);
  return (await post('/say', { text, ...(reply !== undefined && { reply }) })) !== null;
}

async function sayText(text) {
  await post('/say', { text });
  await changed();
  scrollToEnd();
  field.focus();
}

/** In a group a command names the bot that it is for. */
async function sayCommand(command) {
  const { bot, chat } = state.phone;
  field.value = '';
  await sayText(chat.id === null ? command : `${command}@${bot.username}`);
}

function onKey(event) {
  const isPlain = !event.shiftKey && !event.isComposing;
  if (event.key === 'Enter' && isPlain) {
    event.preventDefault();
    submit();
  } else if (event.key === 'Escape') {
    if (!hideSuggestions() && state.about !== null) aboutMessage(null);
  } else if (event.key === 'ArrowUp' && part('suggestions').children.length > 0) {
    event.preventDefault();
    [...part('suggestions').querySelectorAll('button')].at(-1).focus();
  } else if (event.key === 'ArrowUp' && field.value === '') editLast(event);
}

function editLast(event) {
  const last = state.phone.chat.messages.findLast(({ mine, text }) => mine && text);
  if (last === undefined) return;
  event.preventDefault();
  aboutMessage({ does: 'edit', message: last });
}

function grow() {
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight + 2}px`;
}
