import { element, redraw } from './elements.js';
import { post } from './server.js';
import { part, state, words } from './state.js';

/** The message whose keyboard was used up: a keyboard that is there for one press. */
let usedUp = null;

/** The keyboard that a bot shows below the field; a press says its text. */
export function showKeyboard(onSay) {
  const { keyboard } = state.phone.chat;
  const isThere = keyboard?.markup.keyboard !== undefined && usedUp !== keyNow();
  const rows = isThere ? keyboard.markup.keyboard.filter(Array.isArray) : [];
  redraw(part('keyboard'), [rows, usedUp], () =>
    rows.map((row) => element('div', { className: 'button-row' }, ...row.map((one) => key(one, onSay)))),
  );
  const placeholder = keyboard !== null && usedUp !== keyNow() ? keyboard.markup.input_field_placeholder : undefined;
  part('text').placeholder = placeholder || words().text;
}

function keyNow() {
  const { id, keyboard } = state.phone.chat;
  return `${id}/${keyboard.messageId}`;
}

function key(given, onSay) {
  const { text = '', ...does } = typeof given === 'string' ? { text: given } : given;
  const shares = does.request_contact ? 'contact' : does.request_location ? 'location' : null;
  const isSimulated = shares !== null || Object.keys(does).every((name) => /^(style|icon_)/.test(name) || !does[name]);
  const button = element(
    'button',
    {
      type: 'button',
      dir: 'auto',
      disabled: !isSimulated,
      title: isSimulated ? '' : words().notSimulated,
      data: { key: text },
    },
    text,
  );
  button.addEventListener('click', async () => {
    if (state.phone.chat.keyboard?.markup.one_time_keyboard) usedUp = keyNow();
    if (shares === null) await onSay(text);
    else await post('/share', { what: shares });
  });
  return button;
}
