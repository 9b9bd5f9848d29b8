import { showDialog } from './dialog.js';
import { bytes, element, icon, named } from './elements.js';
import { fileUrl } from './server.js';
import { state, words } from './state.js';

const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** The file of a message: shown or played if a browser can do so, else to be saved. */
export function mediaElement(media) {
  const made = element('div', { className: `media ${media.kind}` });
  made.append(shown(media, () => made.replaceChildren(saved(media))));
  return made;
}

function shown(media, onBroken) {
  const { kind, mime, width, height, isCovered } = media;
  const isPicture = PICTURES.includes(mime);
  const sized = width > 0 && height > 0 ? { width, height } : {};
  if (kind === 'photo' && isPicture) return covered(photo(media, sized, onBroken), isCovered);
  if (kind === 'sticker' && isPicture) return picture(media, {}, media.emoji || words().kinds.sticker, onBroken);
  if (kind === 'animation' && isPicture)
    return covered(picture(media, sized, words().kinds.animation, onBroken), isCovered);
  if (['video', 'animation', 'video_note', 'sticker'].includes(kind) && mime.startsWith('video/')) {
    return covered(video(media, sized, onBroken), isCovered);
  }
  if (['voice', 'audio'].includes(kind) && mime.startsWith('audio/')) return sound(media, onBroken);
  return saved(media);
}

function photo(media, sized, onBroken) {
  const image = picture(media, sized, words().kinds.photo, onBroken);
  const button = element('button', { type: 'button', className: 'photo-button', ariaLabel: words().open }, image);
  button.addEventListener('click', () => {
    const large = element('img', { src: fileUrl(media.fileId), alt: words().kinds.photo, className: 'large' });
    showDialog({ title: words().kinds.photo, className: 'photo-dialog', parts: [large], hasClose: true });
  });
  return button;
}

function picture(media, sized, alt, onBroken) {
  return element('img', { src: fileUrl(media.fileId), alt, ...sized, onerror: onBroken });
}

function video(media, sized, onBroken) {
  const isLoop = ['animation', 'sticker'].includes(media.kind);
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const plays = isLoop ? { loop: true, muted: true, autoplay: !calm } : { preload: 'metadata' };
  const label = words().kinds[media.kind];
  return element('video', {
    src: fileUrl(media.fileId),
    controls: true,
    playsInline: true,
    ...sized,
    ...plays,
    ariaLabel: label,
    onerror: onBroken,
  });
}

function sound(media, onBroken) {
  const label = media.kind === 'audio' && media.name ? media.name : words().kinds[media.kind];
  const player = element('audio', {
    src: fileUrl(media.fileId),
    controls: true,
    preload: 'metadata',
    ariaLabel: label,
    onerror: onBroken,
  });
  return element('figure', {}, element('figcaption', {}, named(label)), player);
}

function saved(media) {
  const name = media.name || words().kinds[media.kind];
  const size = element('span', { className: 'muted' }, bytes(media.size, state.language));
  const link = element('a', {
    className: 'file',
    href: fileUrl(media.fileId),
    download: media.name || '',
    title: words().save(name),
  });
  link.append(icon('save'), element('span', { className: 'file-name' }, named(name), size));
  if (media.kind === 'sticker' && media.emoji) link.prepend(element('span', { className: 'emoji' }, media.emoji));
  return link;
}

function covered(content, isCovered) {
  if (!isCovered) return content;
  const cover = element(
    'button',
    { type: 'button', className: 'cover', onclick: () => cover.remove() },
    words().covered,
  );
  return element('div', { className: 'covered' }, content, cover);
}
