import { crc32, deflateSync, gzipSync } from 'node:zlib';
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

const still = (k: unknown) => ({ a: 0, k });
const WHOLE_S = 2;

/** An animated sticker in base64: Lottie's JSON, packed. A square turns around a dot. */
export function animatedSticker(changes: object = {}): string {
  return packed(JSON.stringify({ ...lottie(), ...changes }));
}

export function packed(text: string): string {
  return gzipSync(text).toString('base64');
}

/** The animation of such a sticker. */
export function lottie() {
  const turns = {
    ...{ a: 1 },
    k: [
      { t: 0, s: [0], i: { x: [0.5], y: [0.5] }, o: { x: [0.5], y: [0.5] } },
      { t: WHOLE_S * 60, s: [360] },
    ],
  };
  const square = [
    { ty: 'rc', d: 1, s: still([240, 240]), p: still([0, 0]), r: still(40) },
    { ty: 'fl', c: still([0.2, 0.55, 0.95, 1]), o: still(100), r: 1 },
  ];
  const dot = [
    { ty: 'el', d: 1, s: still([90, 90]), p: still([0, 0]) },
    { ty: 'fl', c: still([1, 0.8, 0.2, 1]), o: still(100), r: 1 },
  ];
  return {
    ...{ tgs: 1, v: '5.5.2', fr: 60, ip: 0, op: WHOLE_S * 60, w: 512, h: 512, nm: 'a square', ddd: 0, assets: [] },
    layers: [shapes(1, dot, still(0)), shapes(2, square, turns)],
  };
}

function shapes(ind: number, items: object[], r: object) {
  const tr = { ty: 'tr', p: still([0, 0]), a: still([0, 0]), s: still([100, 100]), r: still(0), o: still(100) };
  const ks = { o: still(100), r, p: still([256, 256, 0]), a: still([0, 0, 0]), s: still([100, 100, 100]) };
  const layer = { ddd: 0, ind, ty: 4, nm: '', sr: 1, ks, ao: 0, ip: 0, op: WHOLE_S * 60, st: 0, bm: 0 };
  return { ...layer, shapes: [{ ty: 'gr', it: [...items, tr], nm: '', np: items.length, bm: 0, hd: false }] };
}
