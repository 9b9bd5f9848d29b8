import type { Page } from '@flotilla/testing/browser.ts';
import type { FleetBot } from '@flotilla/testing/fleet/fleet.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { beforeAll, expect, test } from '@jest/globals';
import { consoleSuite, showTools, speak, TEST_MS, testLooks } from './console-suite.ts';
import { HOSTILE } from './hostile-names.ts';
import { animatedSticker, oneSecondOfSound, oneSecondOfVideo, packed, picturePng } from './media-files.ts';
import { picture } from './open-console.ts';

const ADA = 777;
const POLL = {
  ...{ id: '5001', question: `What next? ${HOSTILE.word}`, type: 'regular' },
  ...{ is_closed: false, is_anonymous: true, allows_multiple_answers: false, total_voter_count: 0 },
  options: [
    { text: 'Maps', voter_count: 0 },
    { text: HOSTILE.cyrillic, voter_count: 0 },
  ],
};

const suite = consoleSuite({ apis: 1, workers: 1 });
let desk: FleetBot;

beforeAll(async () => {
  const { control } = suite.fleet;
  desk = await suite.fleet.addBot({}, { name: 'Help desk', username: 'helpdesk_bot' });
  await control.createPerson({ id: ADA, firstName: 'Ada', lastName: 'Lovelace' });
  const toDesk = { person: ADA, bot: desk.platformId };
  const video = await oneSecondOfVideo(suite.browser);
  const sound = oneSecondOfSound();
  const send = (message: object) => control.sendMessage({ ...toDesk, ...message });
  await send({ text: 'Look and listen' });
  await send({ file: { kind: 'photo', name: 'a.png', mime: 'image/png', base64: picturePng(20) }, caption: 'First' });
  await send({
    file: { kind: 'photo', name: 'b.png', mime: 'image/png', base64: picturePng(120) },
    caption: HOSTILE.arabic,
  });
  await send({ file: { kind: 'voice', name: 'voice.wav', mime: 'audio/wav', base64: sound } });
  await send({ file: { kind: 'audio', name: `${HOSTILE.word}.wav`, mime: 'audio/wav', base64: sound } });
  await send({ file: { kind: 'video', name: 'v.webm', mime: 'video/webm', base64: video } });
  await send({ file: { kind: 'animation', name: 'gif.webm', mime: 'video/webm', base64: video } });
  await send({ file: { kind: 'video_note', name: 'n.webm', mime: 'video/webm', base64: video } });
  await send({ file: { kind: 'sticker', name: 's.png', mime: 'image/png', base64: picturePng(60, [256, 256]) } });
  const tgs = { kind: 'sticker', name: 's.tgs', mime: 'application/x-tgsticker' };
  await send({ file: { ...tgs, base64: animatedSticker(), emoji: '🐳' } });
  await send({ file: { ...tgs, base64: packed('0'.repeat(3 * 1024 * 1024)), emoji: '💣' } });
  await send({ file: { kind: 'sticker', name: 's.webm', mime: 'video/webm', base64: video, emoji: '🎬' } });
  await send({ content: { poll: POLL } });
  await send({ content: { location: { latitude: 52.5, longitude: 13.4 } } });
  await send({ content: { contact: { phone_number: '+49 30 1', first_name: 'Max' } } });
  await send({ content: { dice: { emoji: '🎲', value: 4 } } });
  await waitFor(async () => (await kept()).some(({ service }) => service === 'dice'), { timeoutMs: 60_000 });
}, TEST_MS);

type Kept = {
  service?: string;
  media_type?: string;
  outgoing: boolean;
  file_id?: string;
  poll?: { total_voter_count: number };
};
const kept = () => suite.fleet.rest<Kept[]>(`/api/messages?bot_id=${desk.id}&chat_id=${ADA}`);
const chat = () => `inbox/${desk.id}/${ADA}`;
const inTheFeed = (page: Page) => page.getByRole('feed', { name: 'Messages' });

/** Scrolls up until the element is in the page. */
async function reach(page: Page, selector: string): Promise<void> {
  await waitFor(
    async () => {
      if ((await page.locator(selector).count()) > 0) return true;
      await page.evaluate("document.querySelector('.feed').scrollBy(0, -200)");
      return false;
    },
    { timeoutMs: 30_000, message: `${selector} is not reached` },
  );
  await page.locator(selector).first().scrollIntoViewIfNeeded();
}

test(
  'voice, audio, videos and video messages play in their place, from ranges; what loops begins by itself',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(chat());
    await inTheFeed(page).getByText('shows 4').waitFor();
    for (const selector of [
      '.video.animation',
      '.video.video',
      'audio[aria-label^="Audio"]',
      'audio[aria-label="Voice message"]',
    ]) {
      await reach(page, selector);
      const element = `document.querySelector(${JSON.stringify(selector)})`;
      const begins = await page.evaluate<boolean>(`${element}.autoplay`);
      expect({ selector, begins }).toEqual({ selector, begins: selector === '.video.animation' });
      // A list that is still moved by pictures that come may draw the element anew.
      const plays = async () => {
        // What begins by itself does so on the screen alone.
        await page.locator(selector).first().scrollIntoViewIfNeeded();
        return page.evaluate<boolean>(`(${begins} || ${element}.play(), ${element}.currentTime > 0)`);
      };
      await waitFor(plays, { timeoutMs: 30_000, message: `${selector} does not play` });
    }
    await reach(page, '.round-video');
    await page.getByRole('button', { name: 'Video message play' }).press('Enter');
    await waitFor(() => page.evaluate<boolean>("document.querySelector('.round-video video').currentTime > 0"));
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

/** The first bytes of a file of the bot, and how many seconds the browser can play of it. */
const SOUND = `async (address) => {
  const bytes = await (await fetch(address)).arrayBuffer();
  const head = String.fromCharCode(...new Uint8Array(bytes.slice(0, 64)));
  const { duration } = await new OfflineAudioContext(1, 48000, 48000).decodeAudioData(bytes);
  return { head, duration };
}`;

/** From its next load on, a page keeps what it got of the microphone. */
const keepTracks = (page: Page) =>
  page.addInitScript(`
    window.tracks = [];
    const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = async (wanted) => {
      const stream = await ask(wanted);
      window.tracks.push(...stream.getTracks());
      return stream;
    };
  `);
const tracks = (page: Page) => page.evaluate<string[]>('window.tracks.map(({ readyState }) => readyState)');

async function beginVoice(page: Page): Promise<void> {
  await showTools(page);
  await page.getByRole('button', { name: 'Record voice' }).click();
  await page.getByRole('button', { name: 'Done' }).waitFor();
}

test(
  'a voice answer is recorded after a press only, is heard before it is sent, and reaches the person as a voice message',
  async () => {
    const { page, files, complaints } = await suite.openAsAdmin();
    await keepTracks(page);
    await page.goto(`${suite.fleet.url}/console/${chat()}`);
    const field = page.getByRole('textbox', { name: /^Write as/ });
    await field.fill('A draft');
    const remuxers = () => [...files.keys()].filter((name) => name.includes('ogg-of-webm'));
    expect([await tracks(page), remuxers()]).toEqual([[], []]);
    await beginVoice(page);
    expect(await tracks(page)).toEqual(['live']);
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await tracks(page)).toEqual(['ended']);
    await beginVoice(page);
    await page.getByText('0:01').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    const preview = page.getByLabel('Listen to voice.ogg');
    await preview.waitFor();
    expect(await tracks(page)).toEqual(['ended', 'ended']);
    const heard = "document.querySelector('.attached audio')";
    await page.evaluate(`${heard}.play()`);
    await waitFor(() => page.evaluate<boolean>(`${heard}.currentTime > 0`), { timeoutMs: 30_000 });
    expect(await field.inputValue()).toBe('A draft');
    await field.fill('');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const sent = async () => (await kept()).find(({ outgoing, media_type: type }) => outgoing && type === 'voice');
    await waitFor(async () => (await sent()) !== undefined, { timeoutMs: 30_000 });
    const address = `/api/files?bot_id=${desk.id}&file_id=${(await sent())?.file_id}`;
    const sound = await page.evaluate<{ head: string; duration: number }>(`(${SOUND})(${JSON.stringify(address)})`);
    expect(sound.head).toMatch(/^OggS.*OpusHead/s);
    expect(sound.duration).toBeGreaterThan(0.9);
    await beginVoice(page);
    await page.getByRole('link', { name: 'Fleet', exact: true }).click();
    await waitFor(async () => String(await tracks(page)) === 'ended,ended,ended');
    await page.goBack();
    await field.waitFor();
    expect(await preview.count()).toBe(0);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'without a microphone the page says what is in the way, and a text can still be written',
  async () => {
    const { page } = await suite.openAsAdmin();
    await page.route(`**/console/${chat()}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), 'permissions-policy': 'microphone=()' } });
    });
    await page.goto(`${suite.fleet.url}/console/${chat()}`);
    const record = page.getByRole('button', { name: 'Record voice' });
    await record.click();
    const told = page.getByRole('alert').getByText('The browser does not allow this page to use the microphone.');
    await told.waitFor();
    await speak(page, 'ru');
    await page.getByText('Браузер не разрешает этой странице использовать микрофон.').waitFor();
    await speak(page, 'en');
    expect(await record.isEnabled()).toBe(true);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await told.waitFor({ state: 'detached' });
    const focused = await page.evaluate<string>('document.activeElement.ariaLabel');
    expect(focused).toMatch(/^Write as/);
  },
  TEST_MS,
);

const WHALE = '[aria-label^="Sticker: 🐳"]';

/** From its next load on, a page counts the frames that it draws. */
const countFrames = (page: Page) =>
  page.addInitScript(`
    window.framesDrawn = 0;
    const clear = CanvasRenderingContext2D.prototype.clearRect;
    CanvasRenderingContext2D.prototype.clearRect = function (...box) {
      window.framesDrawn += 1;
      return clear.apply(this, box);
    };
  `);
const framesOf = (page: Page) => page.evaluate<number>('window.framesDrawn');

/** Waits until the sticker, on the screen, moves; messages above it may still push it away. */
async function untilMoves(page: Page): Promise<void> {
  const before = await framesOf(page);
  const moves = async () => {
    await page.locator(WHALE).scrollIntoViewIfNeeded();
    return (await framesOf(page)) > before + 3;
  };
  await waitFor(moves, { timeoutMs: 30_000, message: 'nothing moves' });
}

/** Waits until the page draws no frame for as long as a dozen would take. */
async function untilStands(page: Page): Promise<void> {
  const overTwelveFrames = `new Promise((done) => {
    const before = window.framesDrawn;
    let frames = 0;
    const next = () => (++frames < 12 ? requestAnimationFrame(next) : done(window.framesDrawn === before));
    requestAnimationFrame(next);
  })`;
  await waitFor(() => page.evaluate<boolean>(overTwelveFrames), { timeoutMs: 30_000, message: 'it still moves' });
}

test(
  'an animated sticker loads its player once it is seen, moves only while it is on the screen, and a press holds it',
  async () => {
    const { page, files, complaints } = await suite.openAsAdmin();
    await countFrames(page);
    const players = () => [...files].filter(([name]) => name.includes('lottie'));
    await page.goto(`${suite.fleet.url}/console/inbox`);
    await page.getByRole('link', { name: /^Ada Lovelace/ }).waitFor();
    expect(players()).toEqual([]);
    await page.goto(`${suite.fleet.url}/console/${chat()}`);
    await inTheFeed(page).getByText('shows 4').waitFor();
    await reach(page, WHALE);
    await untilMoves(page);
    await waitFor(() => players().length > 0);
    expect(players()[0]![1]).toBeLessThan(60 * 1024);
    const sticker = page.locator(WHALE);
    expect(await sticker.getAttribute('aria-label')).toBe('Sticker: 🐳, pause');
    await picture(page, 'inbox-sticker');
    await sticker.press('Enter');
    await untilStands(page);
    await sticker.press('Enter');
    await untilMoves(page);
    // Above the screen it is still in the page.
    await page.evaluate(`document.querySelector('.feed').scrollBy(0, (({ bottom }, { top }) => bottom - top + 8)(
      document.querySelector('${WHALE}').getBoundingClientRect(), document.querySelector('.feed').getBoundingClientRect()))`);
    await untilStands(page);
    expect(await sticker.count()).toBe(1);
    await untilMoves(page);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'of a sticker that unpacks to more than the platform takes, the emoji is shown; one of video plays silently',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(chat());
    await inTheFeed(page).getByText('shows 4').waitFor();
    await reach(page, '[aria-label^="Sticker: 💣"]');
    await inTheFeed(page).getByRole('img', { name: 'Sticker: 💣' }).getByText('💣').waitFor();
    await reach(page, '.moving-sticker video');
    const film = "document.querySelector('.moving-sticker video')";
    await waitFor(() => page.evaluate<boolean>(`${film}.muted && ${film}.currentTime > 0`), { timeoutMs: 30_000 });
    await page.getByRole('button', { name: 'Sticker: 🎬, pause' }).press('Enter');
    await waitFor(() => page.evaluate<boolean>(`${film}.paused`));
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'who wants no motion begins every loop: an animated sticker shows its first frame, and plays under the pointer or by a press',
  async () => {
    const { page, complaints } = await suite.openAsAdmin('', { reducedMotion: 'reduce' });
    await countFrames(page);
    await page.goto(`${suite.fleet.url}/console/${chat()}`);
    await inTheFeed(page).getByText('shows 4').waitFor();
    await reach(page, `${WHALE} canvas`);
    const sticker = page.getByRole('button', { name: 'Sticker: 🐳, play' });
    const colours = `(() => {
      const { width, height } = document.querySelector('${WHALE} canvas');
      return document.querySelector('${WHALE} canvas').getContext('2d').getImageData(width / 2, height / 2, 1, 1).data[3];
    })()`;
    await waitFor(async () => (await page.evaluate<number>(colours)) === 255, { message: 'the first frame' });
    await untilStands(page);
    await page.locator(WHALE).hover();
    await untilMoves(page);
    await page.mouse.move(0, 0);
    await untilStands(page);
    await sticker.press('Enter');
    await untilMoves(page);
    await reach(page, '.video.animation');
    expect(await page.evaluate("document.querySelector('.video.animation').autoplay")).toBe(false);
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'pictures and videos have their room before they come: nothing moves when they do',
  async () => {
    const { page, complaints } = await suite.openAsAdmin();
    let come = () => {};
    const mayCome = new Promise<void>((resolve) => {
      come = resolve;
    });
    await page.route('**/api/files?*', async (route) => {
      await mayCome;
      await route.continue();
    });
    await page.goto(`${suite.fleet.url}/console/${chat()}`);
    await inTheFeed(page).getByText('shows 4').waitFor();
    await reach(page, '.video.video');
    await reach(page, 'button.picture');
    // By message: which of those beyond the screen are in the page may change.
    const heights = async () =>
      new Map<string, number>(
        await page.evaluate<[string, number][]>(
          "[...document.querySelectorAll('article:has(.sized)')].map(({ dataset, offsetHeight }) => [dataset.message, offsetHeight])",
        ),
      );
    const before = await heights();
    expect([...before.values()].every((px) => px > 120)).toBe(true);
    come();
    await waitFor(() =>
      page.evaluate<boolean>("[...document.querySelectorAll('.picture img')].every((one) => one.complete)"),
    );
    const after = [...(await heights())].filter(([message]) => before.has(message));
    expect(after.length).toBeGreaterThan(2);
    expect(after).toEqual(after.map(([message]) => [message, before.get(message)]));
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'pictures open large and lead to each other by keyboard; the focus comes back',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(chat());
    await inTheFeed(page).getByText('shows 4').waitFor();
    await reach(page, '[aria-label="Open large: Photo: First"]');
    await page.getByRole('button', { name: 'Open large: Photo: First' }).focus();
    await page.keyboard.press('Enter');
    const viewer = page.getByRole('dialog', { name: 'Ada Lovelace' });
    await viewer.getByText('1 of 2').waitFor();
    const fits =
      "(({ scrollHeight, clientHeight, scrollWidth, clientWidth }) => scrollHeight <= clientHeight && scrollWidth <= clientWidth)(document.querySelector('dialog'))";
    await waitFor(() => page.evaluate<boolean>("document.querySelector('.viewer img').complete"));
    expect(await page.evaluate(fits)).toBe(true);
    await picture(page, 'inbox-picture');
    await page.keyboard.press('ArrowRight');
    await viewer.getByText('2 of 2').waitFor();
    await viewer.getByText(HOSTILE.arabic).waitFor();
    await page.keyboard.press('ArrowRight');
    await viewer.getByText('2 of 2').waitFor();
    await page.keyboard.press('ArrowLeft');
    await viewer.getByText('1 of 2').waitFor();
    await page.keyboard.press('Escape');
    await viewer.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Open large: Photo: First');
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

test(
  'a poll shows its question, its options and its votes as they come; a place leads to a map',
  async () => {
    const { page, complaints } = await suite.openAsAdmin(chat());
    const poll = page.getByRole('region', { name: 'Poll' });
    await poll
      .getByText('0 votes · ')
      .or(poll.getByText('0 votes', { exact: false }))
      .first()
      .waitFor();
    const voted = {
      ...POLL,
      total_voter_count: 4,
      is_closed: true,
      options: [
        { text: 'Maps', voter_count: 3 },
        { text: HOSTILE.cyrillic, voter_count: 1 },
      ],
    };
    await suite.fleet.control.injectUpdate({
      bot: desk.platformId,
      kind: 'poll',
      raw: JSON.stringify(voted),
      force: true,
    });
    await poll.getByText('75 %').waitFor({ timeout: 30_000 });
    await poll.getByText(/4 votes · closed/).waitFor();
    const place = inTheFeed(page).getByRole('link', { name: '52.5, 13.4' });
    expect(await place.getAttribute('href')).toContain('mlat=52.5&mlon=13.4');
    await inTheFeed(page).getByText('Contact: Max, +49 30 1').waitFor();
    await picture(page, 'inbox-poll');
    expect(complaints).toEqual([]);
  },
  TEST_MS,
);

testLooks('what a chat shows and plays fits every look', suite, async (one, lookAt) => {
  const { page } = one;
  await one.signIn('admin', 'a password for tests');
  await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  await page.goto(`${suite.fleet.url}/console/${chat()}`);
  await page.locator('.dice').waitFor();
  await lookAt('inbox-contents');
  await reach(page, `${WHALE} canvas`);
  await lookAt('inbox-stickers');
  await reach(page, '.round-video');
  await lookAt('inbox-videos');
  await reach(page, 'button.picture');
  await lookAt('inbox-sounds');
  await page.locator('button.picture').first().click();
  await page.getByRole('dialog').waitFor();
  await lookAt('inbox-viewer');
  await page.keyboard.press('Escape');
  await beginVoice(page);
  await lookAt('inbox-recording');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByLabel('Listen to voice.ogg').waitFor();
  await lookAt('inbox-voice');
});
