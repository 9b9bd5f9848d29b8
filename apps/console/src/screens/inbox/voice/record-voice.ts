import { loadLate } from '../../../load-late.ts';

/** In the order of how the platform shows them: as a voice message, as one after `oggOfWebm`, as an audio file. */
const FORMATS = ['audio/ogg;codecs=opus', 'audio/webm;codecs=opus', 'audio/mp4'];
/** Speech needs no more, and half an hour of it stays below 8 MB. */
const BITS_PER_SECOND = 32_000;

/** False where the browser gives no microphone to pages: without TLS, or without a recorder. */
export function canRecord(): boolean {
  return navigator.mediaDevices !== undefined && formatHere() !== undefined;
}

function formatHere(): string | undefined {
  return typeof MediaRecorder === 'undefined' ? undefined : FORMATS.find((one) => MediaRecorder.isTypeSupported(one));
}

export type Recording = {
  /** Settles when nothing more is recorded, also because the microphone was unplugged or forbidden meanwhile. */
  ended: Promise<void>;
  /** Ends it, and gives the file to send. */
  finish(): Promise<File>;
  /** Ends it, and keeps nothing. */
  discard(): void;
};

/** Begins to record; rejects if the person or the browser refuses the microphone. */
export async function recordVoice(): Promise<Recording> {
  const format = formatHere()!;
  // Before anything is said that a missing script could lose.
  const toOgg = format.startsWith('audio/webm') ? (await loadLate(() => import('./ogg-of-webm.ts'))).oggOfWebm : null;
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const release = () => {
    for (const track of stream.getTracks()) track.stop();
  };
  try {
    const recorder = new MediaRecorder(stream, { mimeType: format, audioBitsPerSecond: BITS_PER_SECOND });
    const parts: Blob[] = [];
    recorder.addEventListener('dataavailable', ({ data }) => parts.push(data));
    const ended = new Promise<void>((resolve) => recorder.addEventListener('stop', () => resolve(), { once: true }));
    const end = () => {
      if (recorder.state !== 'inactive') recorder.stop();
      release();
    };
    recorder.start();
    return {
      ended,
      async finish() {
        end();
        await ended;
        const recorded = new Blob(parts, { type: format });
        return fileOf(toOgg === null ? recorded : await toOgg(recorded));
      },
      discard: end,
    };
  } catch (error) {
    release();
    throw error;
  }
}

function fileOf(recorded: Blob): File {
  if (recorded.size === 0) throw new Error('Nothing was recorded');
  const [type = ''] = recorded.type.split(';');
  return new File([recorded], type === 'audio/ogg' ? 'voice.ogg' : 'voice.m4a', { type });
}
