import { bytes, element, icon, iconButton, named, redraw } from './elements.js';
import { sizeOf } from './media-size.js';
import { look, postFile, say } from './server.js';
import { part, state, words } from './state.js';

const MOST = 10;
const PICTURE = /^image\/(png|jpeg|webp)$/;
/** The methods that can send a file of a type; the first is the one that people expect. */
const KINDS = [
  [/^image\/webp$/, ['photo', 'sticker', 'document']],
  [PICTURE, ['photo', 'document']],
  [/^image\/gif$/, ['animation', 'document']],
  [/^video\//, ['video', 'animation', 'video_note', 'document']],
  [/^audio\/ogg$/, ['voice', 'audio', 'document']],
  [/^audio\//, ['audio', 'voice', 'document']],
];
/** Only these go together as one album. */
const ALBUMS = [['photo', 'video'], ['document'], ['audio']];

/** The files that are sent with the next message: { file, kind, url }. */
let attached = [];

export function hasAttached() {
  return attached.length > 0;
}

function attach(files) {
  const most = state.phone.maxFileMb;
  for (const file of files) {
    if (attached.length >= MOST) return say(words().tooMany);
    const fault =
      file.size === 0
        ? words().emptyFile(file.name)
        : words().tooLarge(file.name, bytes(file.size, state.language), most);
    if (file.size === 0 || file.size > most * 1024 * 1024) {
      say(fault);
      continue;
    }
    const [kind] = kindsOf(file);
    attached.push({ file, kind, url: PICTURE.test(file.type) ? URL.createObjectURL(file) : null });
  }
  showAttached();
}

export function showAttached() {
  const shown = attached.map(({ file, kind }) => [file.name, file.size, file.lastModified, kind]);
  redraw(part('attached'), [shown, state.language], () => attached.map(chip));
}

/** Sends the files one after the other, so that they keep their order; true if all were sent. What was not sent stays. */
export async function sendAttached(caption, reply) {
  const kinds = new Set(attached.map(({ kind }) => kind));
  const isAlbum = attached.length > 1 && ALBUMS.some((album) => kinds.isSubsetOf(new Set(album)));
  const album = isAlbum ? crypto.randomUUID() : '';
  let said = caption;
  while (attached.length > 0) {
    const [one] = attached;
    const { file, kind } = one;
    const sent = await postFile(file, {
      ...(await sizeOf(one)),
      kind,
      name: file.name.slice(-255),
      type: file.type,
      caption: said,
      album,
      reply,
    });
    if (sent === null) return false;
    detach(one);
    said = '';
    await look();
  }
  return true;
}

function kindsOf({ type }) {
  return KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? ['document'];
}

function detach(one) {
  if (one.url !== null) URL.revokeObjectURL(one.url);
  attached = attached.filter((other) => other !== one);
  showAttached();
}

export function detachAll() {
  for (const one of attached) detach(one);
}

function chip(one) {
  const { file, kind, url } = one;
  const kinds = kindsOf(file);
  const preview = url === null ? icon('file') : element('img', { src: url, alt: '' });
  const size = element('span', { className: 'muted small' }, bytes(file.size, state.language));
  const select = element(
    'select',
    { ariaLabel: words().sendAs(file.name) },
    ...kinds.map((name) => element('option', { value: name, selected: name === kind }, words().kinds[name])),
  );
  select.addEventListener('change', () => {
    one.kind = select.value;
  });
  const remove = iconButton('close', words().detach(file.name), () => detach(one));
  return element(
    'li',
    {},
    element('span', { className: 'preview' }, preview),
    element('span', { className: 'chat-text' }, named(file.name, 'cut'), size),
    kinds.length > 1 ? select : null,
    remove,
  );
}

/** Files that are dropped on the chat, or pasted into the text, are attached. */
export function acceptFiles() {
  const [chat, files] = [part('chat'), part('files')];
  files.addEventListener('change', () => {
    attach(files.files);
    files.value = '';
    part('text').focus();
  });
  part('text').addEventListener('paste', (event) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    attach(event.clipboardData.files);
  });
  const isFiles = (event) => event.dataTransfer?.types.includes('Files') && state.phone !== null && !part('say').hidden;
  chat.addEventListener('dragover', (event) => {
    if (!isFiles(event)) return;
    event.preventDefault();
    chat.dataset.drop = words().drop;
  });
  for (const name of ['dragleave', 'drop']) {
    chat.addEventListener(name, (event) => {
      if (name === 'drop' || !chat.contains(event.relatedTarget)) delete chat.dataset.drop;
    });
  }
  chat.addEventListener('drop', (event) => {
    if (!isFiles(event)) return;
    event.preventDefault();
    attach(event.dataTransfer.files);
  });
}
