const WITHIN_MS = 3_000;

/** How long a sound or a film is and how large, as a messenger says with the file; nothing for what cannot be played. */
export async function sizeOf({ file, kind }) {
  if (!['video', 'animation', 'video_note', 'audio', 'voice'].includes(kind)) return {};
  const player = document.createElement(file.type.startsWith('audio/') ? 'audio' : 'video');
  const url = URL.createObjectURL(file);
  const isRead = new Promise((done) => {
    player.addEventListener('loadedmetadata', () => done(true));
    player.addEventListener('error', () => done(false));
    setTimeout(() => done(false), WITHIN_MS);
  });
  player.preload = 'metadata';
  player.src = url;
  const { duration, videoWidth = 0, videoHeight = 0 } = (await isRead) ? player : {};
  player.removeAttribute('src');
  URL.revokeObjectURL(url);
  return { duration: Number.isFinite(duration) ? Math.round(duration) : 0, width: videoWidth, height: videoHeight };
}
