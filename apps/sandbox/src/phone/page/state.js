import { en } from './words-en.js';
import { ru } from './words-ru.js';

const WORDS = { en, ru };
const asked = new URLSearchParams(location.search);
const own = asked.get('lang') ?? (navigator.language.startsWith('ru') ? 'ru' : 'en');

/** The state of the page; `phone` is the last answer of the server. */
export const state = {
  language: Object.hasOwn(WORDS, own) ? own : 'en',
  phone: null,
  /** The bots of the platform, where the address names none of them. */
  bots: [],
  /** Where the first bot is made, while there is none. */
  consoleUrl: null,
  /** 'list' or 'chat': where a window is narrow, one of them is shown. */
  layer: 'chat',
  /** The message that is replied to or edited: { does, message }. */
  about: null,
  /** Chat id → the newest message that was seen there. */
  seen: new Map(),
};
if (['light', 'dark'].includes(asked.get('theme'))) document.documentElement.dataset.theme = asked.get('theme');

export function words() {
  return WORDS[state.language];
}

export function part(id) {
  return document.getElementById(id);
}

/** The query that names the bot, the person, the chat and the topic. */
export function place() {
  const query = new URLSearchParams();
  const page = new URLSearchParams(location.search);
  for (const name of ['bot', 'as', 'chat', 'topic']) if (page.has(name)) query.set(name, page.get(name));
  return query;
}

/** Goes to another chat, topic or person: null removes what the address names. The way back leads to where one was. */
export function goTo(changes, { isStep = true } = {}) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  history[isStep ? 'pushState' : 'replaceState']({ layer: state.layer }, '', `?${query}`);
}
