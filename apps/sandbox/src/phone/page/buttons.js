import { showAlert, toast } from './dialog.js';
import { element } from './elements.js';
import { opened } from './formatted-text.js';
import { ask, post, say } from './server.js';
import { state, words } from './state.js';

const ANSWERS_WITHIN_MS = 10_000;
const ASK_EVERY_MS = 300;

/** The inline keyboard of a message, row by row. */
export function inlineButtons(message) {
  if (message.rows.length === 0) return null;
  const rows = message.rows.map((row) =>
    element('div', { className: 'button-row' }, ...row.map((one) => inlineButton(message.id, one))),
  );
  return element('div', { className: 'buttons' }, ...rows);
}

function inlineButton(messageId, { text, does, value }) {
  if (does === 'press') return asking(text, () => post('/press', { message: messageId, data: value, text }));
  if (does === 'tap') return asking(`👆 ${words().tap}`, () => post('/tap', { message: messageId }));
  if (does === 'pay') return asking(`💳 ${text}`, () => post('/pay', { message: messageId }));
  const link = does === 'open' ? opened(value) : null;
  if (link !== null) {
    link.className = 'button';
    link.dir = 'auto';
    link.append(text, ' ↗');
    return link;
  }
  if (does === 'copy')
    return element('button', { type: 'button', dir: 'auto', title: text, onclick: () => copyText(value) }, text);
  return element('button', { type: 'button', dir: 'auto', disabled: true, title: words().notSimulated }, text);
}

export async function copyText(text) {
  await navigator.clipboard.writeText(text).then(
    () => toast(words().copied),
    () => say(text),
  );
}

/** A button that is busy until the bot has answered. */
function asking(text, does) {
  const button = element('button', { type: 'button', dir: 'auto', title: text }, text);
  button.addEventListener('click', async () => {
    if (button.ariaBusy === 'true') return;
    button.ariaBusy = 'true';
    const asked = await does();
    if (asked !== null) await showAnswer(asked.query);
    button.ariaBusy = null;
  });
  return button;
}

async function showAnswer(query) {
  for (const untilMs = Date.now() + ANSWERS_WITHIN_MS; Date.now() < untilMs; ) {
    const answer = await ask('/answer', { query });
    if (answer === null) return;
    if (answer.answered) return showWords(answer);
    await new Promise((done) => setTimeout(done, ASK_EVERY_MS));
  }
  toast(words().unanswered);
}

function showWords({ text, isAlert, url }) {
  if (text === '') toast(url === '' ? '' : words().opens(url));
  else if (isAlert) showAlert(state.phone.bot.name, text);
  else toast(text);
}
