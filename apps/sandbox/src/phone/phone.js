const LOOK_EVERY_MS = 700;
const ANSWERS_WITHIN_MS = 10_000;

const WORDS = {
  en: {
    about: (person) => `You write as ${person}, on a simulated Telegram.`,
    title: (person) => `${person}’s phone`,
    console: 'Console',
    other: 'Русский',
    messages: 'Messages',
    empty: 'Nothing was said yet. Write “Hello”.',
    text: 'Message',
    send: 'Send',
    away: 'The sandbox does not answer. Does npm start still run?',
    pressed: (text) => `The bot answers: ${text}`,
    file: 'a file',
    edited: 'edited',
  },
  ru: {
    about: (person) => `Вы пишете от имени ${person} в имитации Telegram.`,
    title: (person) => `Телефон: ${person}`,
    console: 'Консоль',
    other: 'English',
    messages: 'Сообщения',
    empty: 'Пока ничего не сказано. Напишите «Привет».',
    text: 'Сообщение',
    send: 'Отправить',
    away: 'Песочница не отвечает. Работает ли npm start?',
    pressed: (text) => `Бот отвечает: ${text}`,
    file: 'файл',
    edited: 'изменено',
  },
};

const asked = new URLSearchParams(location.search);
let language = asked.get('lang') ?? (navigator.language.startsWith('ru') ? 'ru' : 'en');
if (!Object.hasOwn(WORDS, language)) language = 'en';
if (['light', 'dark'].includes(asked.get('theme'))) document.documentElement.dataset.theme = asked.get('theme');

/** The bot that is written to; without one, that of the sandbox. */
const query = asked.has('bot') ? `?bot=${encodeURIComponent(asked.get('bot'))}` : '';

const part = (id) => document.getElementById(id);
const [field, list, notice, form] = [part('text'), part('messages'), part('notice'), part('say')];
/** Message id → the item that shows it, and what it was made of. */
const shown = new Map();
let chat = null;

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const text = field.value.trim();
  if (text === '') return;
  field.value = '';
  if ((await send('/say', { text })) === null) field.value = text;
  else await look();
});
part('language').addEventListener('click', () => {
  language = language === 'en' ? 'ru' : 'en';
  shown.clear();
  list.replaceChildren();
  notice.textContent = '';
  show();
});
field.focus();
for (;;) {
  if (!document.hidden) await look();
  await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
}

async function look() {
  const answer = await fetch(`/chat${query}`).catch(() => null);
  if (!answer?.ok) return say(WORDS[language].away);
  if (notice.textContent === WORDS[language].away) say('');
  chat = await answer.json();
  show();
}

async function send(path, body) {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(path + query, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => null);
  const result = await answer?.json().catch(() => null);
  if (answer?.ok) return result;
  say(result?.error ?? WORDS[language].away);
  return null;
}

function say(text) {
  if (notice.textContent !== text) notice.textContent = text;
}

function show() {
  const words = WORDS[language];
  document.documentElement.lang = language;
  label(words);
  if (chat === null) return;
  document.title = words.title(chat.person);
  part('bot').textContent = chat.bot;
  part('about').textContent = words.about(chat.person);
  part('console').href = chat.consoleUrl;
  showMessages(words);
}

function label(words) {
  part('console').textContent = words.console;
  part('language').textContent = words.other;
  part('log').ariaLabel = words.messages;
  form.querySelector('label').textContent = words.text;
  field.placeholder = words.text;
  form.querySelector('button').textContent = words.send;
}

/** Items stay that did not change: a screen reader says new ones only, and nothing moves under the pointer. */
function showMessages(words) {
  const wasAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 80;
  let changed = false;
  const items = chat.messages.map((message) => {
    const text = JSON.stringify(message);
    const known = shown.get(message.id);
    if (known?.text === text) return known.item;
    changed = true;
    const item = itemOf(message, words);
    shown.set(message.id, { item, text });
    return item;
  });
  if (items.length === 0) items.push(element('li', words.empty, 'empty'));
  if (!changed && list.children.length === items.length) return;
  for (const item of [...list.children]) if (!items.includes(item)) item.remove();
  for (const [at, item] of items.entries()) {
    if (list.children[at] !== item) list.insertBefore(item, list.children[at] ?? null);
  }
  if (wasAtEnd) scrollTo(0, document.documentElement.scrollHeight);
}

function itemOf({ id, mine, text, date, edited, buttons }, words) {
  const item = element('li', '', mine ? 'mine' : '');
  item.append(element('span', mine ? chat.person : chat.bot, 'by unseen'));
  const said = element('div', text ?? `[${words.file}]`);
  said.dir = 'auto';
  const time = element('time', new Date(date * 1000).toLocaleTimeString(language, { timeStyle: 'short' }));
  time.dateTime = new Date(date * 1000).toISOString();
  if (edited) time.append(`, ${words.edited}`);
  item.append(said, time);
  if (buttons.length > 0) {
    const row = element('div', '', 'buttons');
    row.append(...buttons.map((button) => pressable(id, button)));
    item.append(row);
  }
  return item;
}

function pressable(messageId, { text, data }) {
  const button = element('button', text);
  button.type = 'button';
  button.addEventListener('click', async () => {
    const pressed = await send('/press', { message: messageId, data });
    if (pressed !== null) await showAnswer(pressed.query);
  });
  return button;
}

async function showAnswer(query) {
  for (const untilMs = Date.now() + ANSWERS_WITHIN_MS; Date.now() < untilMs; ) {
    const answer = await send('/answer', { query });
    if (answer === null) return;
    if (answer.answered) return say(answer.text === '' ? '' : WORDS[language].pressed(answer.text));
    await new Promise((done) => setTimeout(done, 300));
  }
}

function element(name, text, className = '') {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}
