import { crc32, deflateSync } from 'node:zlib';
import type { Browser } from '@flotilla/testing/browser.ts';

const RATE = 8_000;
const HEADER_BYTES = 44;

/** A PNG in base64, larger than a window: colours from `hue` on. */
export function picturePng(hue: number, [width, height] = [1600, 1200]): string {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * (1 + width * 3) + 1 + x * 3;
      rows[at] = (hue + (x * 120) / width) % 256;
      rows[at + 1] = (90 + (y * 130) / height) % 256;
      rows[at + 2] = (200 - (x * 90) / width + hue) % 256;
    }
  }
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  // Eight bits of red, green and blue.
  size.set([8, 2, 0, 0, 0], 8);
  const parts = [chunk('IHDR', size), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]).toString('base64');
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A WAV in base64: a quiet tone of one second. */
export function oneSecondOfSound(): string {
  const bytes = Buffer.alloc(HEADER_BYTES + RATE * 2);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  // PCM, one channel of 16 bits.
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(RATE, 24);
  bytes.writeUInt32LE(RATE * 2, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(RATE * 2, 40);
  for (let at = 0; at < RATE; at += 1) {
    bytes.writeInt16LE(Math.round(2_000 * Math.sin((at * 440 * 2 * Math.PI) / RATE)), HEADER_BYTES + at * 2);
  }
  return bytes.toString('base64');
}

/** A WebM in base64, which the browser itself records of a canvas. */
export async function oneSecondOfVideo(browser: Browser): Promise<string> {
  const page = await browser.newPage();
  const base64 = await page.evaluate<string>(`(async () => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [160, 120];
    const draw = canvas.getContext('2d');
    let n = 0;
    const timer = setInterval(() => {
      n += 1;
      draw.fillStyle = 'hsl(' + n * 12 + ' 70% 50%)';
      draw.fillRect(0, 0, 160, 120);
    }, 40);
    const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm' });
    const pieces = [];
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    const stopped = new Promise((resolve) => { recorder.onstop = resolve; });
    recorder.start();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    recorder.stop();
    await stopped;
    clearInterval(timer);
    const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  })()`);
  await page.close();
  return base64;
}
