import { goTo, part, place, state, words } from './state.js';

let tag = '';
let tagOf = '';

/** Asks for what is there now; true if something has changed. */
export async function look() {
  const query = place().toString();
  const headers = tag !== '' && tagOf === query ? { 'If-None-Match': tag } : {};
  const answer = await fetch(`/chat?${query}`, { headers }).catch(() => null);
  // Meanwhile somebody went to another chat.
  if (query !== place().toString()) return false;
  if (answer?.status === 304) return calm();
  if (!answer?.ok) return refused(answer);
  calm();
  [state.phone, tag, tagOf] = [await answer.json(), answer.headers.get('ETag') ?? '', query];
  return true;
}

/** The chat or the person in the address may be gone with a platform that was reset, or the bot. */
async function refused(answer) {
  const { error, bots = [], consoleUrl = null } = (await answer?.json().catch(() => null)) ?? {};
  say(answer?.status < 500 && error ? error : words().away, 'away');
  if (answer?.status === 404) {
    Object.assign(state, { bots, consoleUrl });
    return state.phone === null;
  }
  if (answer?.status !== 400 || !(place().has('chat') || place().has('as'))) return false;
  goTo({ chat: null, topic: null, as: null }, { isStep: false });
  return look();
}

/** Does something; the page then looks at once. Null if the server refused, with the reason shown. */
export async function post(path, body = {}) {
  const result = await ask(path, body);
  if (result !== null) dispatchEvent(new Event('acted'));
  return result;
}

/** Like post, for what changes nothing. */
export async function ask(path, body) {
  return read(fetch(`${path}?${place()}`, jsonOf(body)));
}

export async function postFile(file, fields) {
  const query = place();
  for (const [name, value] of Object.entries(fields)) if (value) query.set(name, value);
  const headers = { 'Content-Type': 'application/octet-stream' };
  return read(fetch(`/file?${query}`, { method: 'POST', headers, body: await file.arrayBuffer() }));
}

export function fileUrl(fileId) {
  const query = place();
  query.set('id', fileId);
  return `/file?${query}`;
}

/** Says something below the chat; '' takes it away. */
export function say(text, kind = '') {
  const notice = part('notice');
  notice.dataset.kind = kind;
  if (notice.textContent !== text) notice.textContent = text;
}

function jsonOf(body) {
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

async function read(asking) {
  const answer = await asking.catch(() => null);
  const result = await answer?.json().catch(() => null);
  if (answer?.ok) {
    say('');
    return result;
  }
  say(result?.error ?? words().away);
  return null;
}

function calm() {
  if (part('notice').dataset.kind === 'away') say('');
  return false;
}
