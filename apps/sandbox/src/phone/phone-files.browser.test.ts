import type { Page } from '@flotilla/testing/browser.ts';
import { ADA, HOSTILE, PIXEL, TEST_MS } from '@flotilla/testing/open-phone.ts';
import { phoneSuite } from '@flotilla/testing/phone-suite.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { expect, test } from '@jest/globals';
import { servePhone } from './serve-phone.ts';

const suite = phoneSuite(servePhone);

/** A second of silence, as a file that every browser plays. */
function silence(): Buffer {
  const wav = Buffer.alloc(44 + 8_000, 128);
  wav.write('RIFF    WAVEfmt ', 0, 'latin1');
  wav.writeUInt32LE(wav.length - 8, 4);
  for (const [at, value] of [
    [16, 16],
    [24, 8_000],
    [28, 8_000],
    [40, 8_000],
  ] as const)
    wav.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    wav.writeUInt16LE(value, at);
  wav.write('data', 36, 'latin1');
  return wav;
}

/** A film of half a second that the browser of the test makes itself. */
async function film(page: Page): Promise<Buffer> {
  const base64 = await page.evaluate<string>(`(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 48 });
    const drawing = canvas.getContext('2d');
    const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: 'video/webm' });
    const parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    const stopped = new Promise((done) => { recorder.onstop = done; });
    recorder.start();
    for (let frame = 0; frame < 10; frame += 1) {
      drawing.fillRect(0, 0, frame * 6, 48);
      await new Promise((done) => setTimeout(done, 50));
    }
    recorder.stop();
    await stopped;
    return btoa(String.fromCharCode(...new Uint8Array(await new Blob(parts).arrayBuffer())));
  })()`);
  return Buffer.from(base64, 'base64');
}

test(
  'films of every kind play, and a file that only says to be one is saved',
  async () => {
    const { page, complaints } = await suite.open();
    const buffer = await film(page);
    await page.locator('#files').setInputFiles({ name: 'film.webm', mimeType: 'video/webm', buffer });
    await page.getByRole('combobox', { name: 'Send film.webm as' }).selectOption('Video message');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const widths = () =>
      page.evaluate('[...document.querySelectorAll("#messages video")].map((one) => one.videoWidth).join()');
    await waitFor(async () => (await widths()) === '64');
    expect((await suite.updatesOfBot()).at(-1)).toMatchObject({ message: { video_note: { length: 48 } } });
    for (const kind of ['video', 'animation', 'sticker']) {
      const form = new FormData();
      form.set('chat_id', String(ADA.id));
      form.set(kind, new Blob([new Uint8Array(buffer)], { type: 'video/webm' }), 'film.webm');
      await suite.asBot(`send${kind}`, form);
    }
    await waitFor(async () => (await widths()) === '64,64,64,64');
    const form = new FormData();
    form.set('chat_id', String(ADA.id));
    form.set('video', new Blob([HOSTILE], { type: 'video/webm' }), `${HOSTILE}.webm`);
    await suite.asBot('sendVideo', form);
    await page.getByRole('link', { name: `${HOSTILE}.webm` }).waitFor();
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a sound is sent with its length and plays, a photo opens large, and a file that was attached can be taken away',
  async () => {
    const { page, complaints } = await suite.open();
    const photo = { name: 'sea.png', mimeType: 'image/png', buffer: Buffer.from(PIXEL, 'base64') };
    await page.locator('#files').setInputFiles([{ name: 'song.wav', mimeType: 'audio/wav', buffer: silence() }, photo]);
    await page.getByRole('button', { name: 'Remove sea.png' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await waitFor(async () => (await suite.updatesOfBot()).at(-1)?.message?.audio?.duration === 1);
    const length = () => page.evaluate('Math.round(document.querySelector("#messages audio").duration)');
    await waitFor(async () => (await length()) === 1);
    await page.locator('#files').setInputFiles([photo, { ...photo, name: 'pier.png' }]);
    await page.getByRole('textbox', { name: 'Message' }).fill('Both');
    await page.keyboard.press('Enter');
    const album = page.locator('#messages > li').filter({ hasText: 'Both' });
    await waitFor(async () => (await album.getByRole('button', { name: 'Open the photo' }).count()) === 2);
    const groups = (await suite.updatesOfBot()).slice(-2).map(({ message }) => message?.media_group_id);
    expect(groups).toEqual([groups[1], expect.any(String)]);
    const left = () =>
      page.evaluate<number>(
        '(({ scrollHeight, clientHeight, scrollTop }) => scrollHeight - clientHeight - scrollTop)(document.querySelector("#log"))',
      );
    await waitFor(async () => (await left()) < 2);
    await album.getByRole('button', { name: 'Open the photo' }).first().click();
    await page.getByRole('dialog', { name: 'Photo' }).getByRole('img').waitFor();
    await page.keyboard.press('Escape');
    // Who reads what was said before is not taken away from it by what comes.
    await page.locator('#messages > li').first().scrollIntoViewIfNeeded();
    const before = await left();
    expect(before).toBeGreaterThan(100);
    await suite.asBot('sendMessage', { chat_id: ADA.id, text: 'Meanwhile' });
    await page.locator('#messages > li').filter({ hasText: 'Meanwhile' }).waitFor();
    expect(await left()).toBeGreaterThan(before);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);
