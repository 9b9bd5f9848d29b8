import { element, redraw } from './elements.js';
import { part, state } from './state.js';

const MOST = 8;
let isForced = false;

/** Commands while a text begins with a slash, and names of the group while one is typed after an @. */
export function showSuggestions(onCommand) {
  const field = part('text');
  const found = isForced ? commands('') : suggested(field.value.slice(0, field.selectionStart));
  redraw(part('suggestions'), found, () => found.map((one) => suggestion(one, onCommand)));
}

/** Shows all commands, or hides them again. */
export function toggleCommands(onCommand) {
  isForced = !isForced;
  showSuggestions(onCommand);
  if (isForced) part('suggestions').querySelector('button')?.focus();
}

/** The arrows go through the suggestions, and Escape back to the text. */
export function prepareSuggestions() {
  part('suggestions').addEventListener('keydown', (event) => {
    const buttons = [...part('suggestions').querySelectorAll('button')];
    const next = buttons.indexOf(document.activeElement) + ({ ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0);
    if (event.key === 'Escape') hideSuggestions();
    else if (!['ArrowDown', 'ArrowUp'].includes(event.key)) return;
    event.preventDefault();
    (event.key === 'Escape' ? part('text') : (buttons[next] ?? part('text'))).focus();
  });
}

/** True if there were some. */
export function hideSuggestions() {
  const list = part('suggestions');
  const had = list.children.length > 0;
  isForced = false;
  list.shownText = undefined;
  list.replaceChildren();
  return had;
}

function suggested(before) {
  if (/^\/\w*$/.test(before)) return commands(before.slice(1));
  const name = /(?:^|\s)@(\w*)$/.exec(before)?.[1];
  const { chat } = state.phone;
  if (name === undefined || chat.id === null) return [];
  const members = chat.members.filter(
    ({ username }) => username.toLowerCase().startsWith(name.toLowerCase()) && username !== '',
  );
  return members.slice(0, MOST).map((one) => ({ kind: 'mention', text: `@${one.username}`, about: one.name }));
}

function commands(typed) {
  const found = state.phone.commands.filter(({ command }) => command.startsWith(typed.toLowerCase()));
  return found.map(({ command, description }) => ({ kind: 'command', text: `/${command}`, about: description }));
}

function suggestion({ kind, text, about }, onCommand) {
  const button = element(
    'button',
    { type: 'button', data: { key: text } },
    element('strong', {}, text),
    element('span', { className: 'cut muted', dir: 'auto' }, about),
  );
  button.addEventListener('click', () => {
    hideSuggestions();
    if (kind === 'command') onCommand(text);
    else complete(text);
  });
  return element('li', {}, button);
}

function complete(name) {
  const field = part('text');
  const before = field.value.slice(0, field.selectionStart).replace(/@\w*$/, `${name} `);
  field.value = before + field.value.slice(field.selectionStart);
  field.focus();
  field.setSelectionRange(before.length, before.length);
}
