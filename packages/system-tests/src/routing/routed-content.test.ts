import { randomBytes } from 'node:crypto';
import { readSettings } from '@flotilla/runtime/env.ts';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { loadUpdateSamples, type UpdateSample } from '@flotilla/testing/update-samples/load-update-samples.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type RoutingScene, routingScene, type Shown } from './routing-scene.ts';

type Fields = Record<string, unknown>;

const { UPDATE_CORPUS } = readSettings(z.object({ UPDATE_CORPUS: z.string().optional() }));
const ROUTED = ['message', 'channel_post', 'business_message'];
const MEDIA = ['photo', 'video', 'animation', 'sticker', 'voice', 'audio', 'document', 'video_note'] as const;
const CAPTIONED: readonly string[] = MEDIA.filter((kind) => kind !== 'sticker' && kind !== 'video_note');
/** No method can send these again, so a text describes them. */
const IN_WORDS = [
  'game',
  'invoice',
  'story',
  'paid_media',
  'checklist',
  'giveaway',
  'giveaway_winners',
  'rich_message',
];

let fleet: Fleet;
let scene: RoutingScene;
let target: FleetBot;

beforeAll(async () => {
  fleet = await startFleet({ apis: 1, workers: 1 });
  scene = await routingScene(fleet);
  target = await fleet.addBot();
}, 60_000);
afterAll(async () => {
  await scene?.close();
  await fleet?.stop();
}, 60_000);

/** Makes a source bot with a person, and a rule that routes everything to a chat of the target bot. */
const line = async (action = 'copy') => {
  const source = await fleet.addBot();
  const [ada, desk] = [await scene.person([source], 'Ada'), await scene.person([target])];
  await scene.rule(source, target, desk, { action });
  const say = (fields: object) => fleet.control.sendMessage({ person: ada, bot: source.platformId, ...fields });
  return { source, ada, desk, say, sent: (count: number) => scene.sent(target, desk, count) };
};
const file = (kind: (typeof MEDIA)[number], bytes = randomBytes(20_000)) => ({
  kind,
  name: `the ${kind}.bin`,
  mime: 'application/x-test',
  base64: bytes.toString('base64'),
});
const lastOf = async (bot: FleetBot, chat: number) => (await scene.shown(bot, chat)).at(-1) as Shown;

/** They run in parallel, because a chat gets one message a second; no two of them share a chat. */
describe('what is routed shows the same', () => {
  test.concurrent.each(MEDIA)('as a %s, byte for byte', async (kind) => {
    const { source, ada, desk, say, sent } = await line();
    const caption = { caption: 'look: 🌊 tide', caption_entities: [{ type: 'bold', offset: 9, length: 4 }] };
    const content = CAPTIONED.includes(kind) ? { ...caption, has_media_spoiler: true } : {};
    await say({ file: file(kind), content });
    const [copy] = await sent(1);
    const original = await lastOf(source, ada);
    expect(copy?.file).toMatchObject({ sha256: original.file?.sha256, size: 20_000 });
    expect(copy).toHaveProperty(kind);
    if (!CAPTIONED.includes(kind)) return;
    expect(copy).toMatchObject(caption);
    expect(copy?.has_media_spoiler).toBe(['photo', 'video', 'animation'].includes(kind) ? true : undefined);
    if (kind !== 'photo' && kind !== 'voice') expect(copy?.[kind]).toMatchObject({ file_name: `the ${kind}.bin` });
    expect(await scene.shown(target, desk)).toHaveLength(1);
  });

  test.concurrent('under a line that names the source when it is forwarded, also where there is no room for one', async () => {
    const { say, sent } = await line('forward');
    await say({
      file: file('photo'),
      content: { caption: 'c', caption_entities: [{ type: 'bold', offset: 0, length: 1 }] },
    });
    await say({ file: file('sticker') });
    await say({ file: file('document') });
    const [photo, above, sticker, document] = await sent(4);
    expect(photo).toMatchObject({
      caption: 'Forwarded from Ada\nc',
      caption_entities: [
        { type: 'italic', offset: 0, length: 18 },
        { type: 'bold', offset: 19, length: 1 },
      ],
    });
    expect(above?.text).toBe('Forwarded from Ada');
    expect(sticker).toHaveProperty('sticker');
    expect(document?.caption).toBe('Forwarded from Ada');
  });

  test.concurrent('as an album, whatever its members arrive with, together and in order', async () => {
    const { source, ada, desk, say, sent } = await line('forward');
    const say3 = async (group: string, kinds: (typeof MEDIA)[number][]) => {
      for (const [at, kind] of kinds.entries()) {
        await say({ file: file(kind), mediaGroupId: group, ...(at === 1 && { caption: 'second' }) });
      }
    };
    await say3('4711', ['photo', 'video', 'photo']);
    await say3('4712', ['document', 'document']);
    await say({ text: 'after' });
    await sent(6);
    const originals = await scene.shown(source, ada);
    const copies = await scene.shown(target, desk);
    expect(copies.map((copy) => copy.file?.sha256)).toEqual(originals.map((original) => original.file?.sha256));
    expect(copies.map((copy) => copy.caption)).toEqual([
      'Forwarded from Ada',
      'second',
      undefined,
      'Forwarded from Ada',
      'second',
      undefined,
    ]);
    const groups = copies.map((copy) => copy.media_group_id);
    expect(new Set(groups.slice(0, 3)).size).toBe(1);
    expect(new Set(groups.slice(3, 5)).size).toBe(1);
    expect(groups[0]).not.toBe(groups[3]);
    expect(groups[0]).toBeDefined();
  });

  test.concurrent('as an album of which one caption has the keyword', async () => {
    const source = await fleet.addBot();
    const [ada, desk] = [await scene.person([source]), await scene.person([target])];
    await scene.rule(source, target, desk, { condition_type: 'keyword', condition_value: 'tide' });
    // An album is gathered until no message of it has come for a second.
    await Promise.all(
      ['', 'the tide', ''].map((caption) =>
        fleet.control.sendMessage({
          person: ada,
          bot: source.platformId,
          file: file('photo'),
          caption,
          mediaGroupId: '9',
        }),
      ),
    );
    expect(await scene.sent(target, desk, 3)).toHaveLength(3);
  });

  test.concurrent('cut where the platform takes no more, with every entity in its place', async () => {
    const { say, sent } = await line('forward');
    const words = 'water '.repeat(682);
    await say({ content: { text: words.trimEnd(), entities: [{ type: 'bold', offset: 0, length: 4091 }] } });
    await say({
      file: file('photo'),
      content: { caption: '🌊'.repeat(512), caption_entities: [{ type: 'spoiler', offset: 0, length: 1024 }] },
    });
    const [first, second, photo, rest] = await sent(4);
    expect(`${first?.text} ${second?.text}`).toBe(`Forwarded from Ada\n${words.trimEnd()}`);
    expect(second?.entities).toEqual([{ type: 'bold', offset: 0, length: second?.text?.length }]);
    expect(`${photo?.caption}${rest?.text}`).toBe(`Forwarded from Ada\n${'🌊'.repeat(512)}`);
  });

  test.concurrent('a note instead of a file that is too big to fetch, with its caption', async () => {
    const { say, sent } = await line();
    await say({ file: file('video', Buffer.alloc(20 * 1024 * 1024 + 1)), caption: 'huge' });
    const [note] = await sent(1);
    expect(note?.text).toBe('huge\n[video “the video.bin”, 21.0 MB: file is too big]');
  });

  test.concurrent('of all messages that the samples know', async () => {
    const samples = (await loadUpdateSamples(UPDATE_CORPUS)).filter(({ kind }) => ROUTED.includes(kind));
    expect(samples.length).toBeGreaterThan(50);
    for (let from = 0; from < samples.length; from += 10) {
      await Promise.all(samples.slice(from, from + 10).map(expectSame));
    }
  }, 240_000);
});

async function expectSame(sample: UpdateSample): Promise<void> {
  const { source, ada, desk, sent } = await line();
  const { fileId } = await fleet.control.sendMessage({ person: ada, bot: source.platformId, file: file('document') });
  const [probe] = await sent(1);
  const payload = JSON.parse(sample.text)[sample.kind] as Fields;
  // The files of a sample do not exist, so a file of the simulator replaces each.
  const text = sample.text.replace(/"file_id":\s*"[^"]*"/g, `"file_id":"${fileId}"`);
  const raw = JSON.stringify((JSON.parse(text) as Fields)[sample.kind]);
  await fleet.control.injectUpdate({ bot: source.platformId, kind: sample.kind, raw, neverExpires: true });
  const wanted = expectedOf(payload);
  if (wanted === null) {
    await scene.settled(source);
    expect([sample.name, (await scene.shown(target, desk)).length]).toEqual([sample.name, 1]);
    return;
  }
  const copy = (await sent(2)).at(1) as Shown;
  try {
    expect(copy).toMatchObject(wanted);
    const media = MEDIA.find((kind) => payload[kind] !== undefined);
    if (media !== undefined) expect(copy.file?.sha256).toBe(probe?.file?.sha256);
  } catch (error) {
    throw new Error(`sample ${sample.name}: ${error instanceof Error ? error.message : error}`);
  }
}

/** The message that a chat must show for a sample; null when the sample has no content to show. */
function expectedOf(payload: Fields): Fields | null {
  const { text, caption, caption_entities, location, venue, contact, poll, dice } = payload as {
    [name: string]: Fields;
  };
  if (typeof text === 'string') return { text: (text as string).replaceAll('\u0000', '').toWellFormed().trim() };
  const media = MEDIA.find((kind) => payload[kind] !== undefined);
  if (media !== undefined) {
    return {
      [media]: expect.anything(),
      ...(caption && { caption }),
      ...(caption_entities && { caption_entities }),
      ...(payload.has_media_spoiler === true && { has_media_spoiler: true }),
    };
  }
  if (venue) return { venue: { title: venue.title, address: venue.address, location: venue.location } };
  if (location) return { location: { latitude: location.latitude, longitude: location.longitude } };
  if (contact) return { contact: { phone_number: contact.phone_number, first_name: contact.first_name } };
  if (poll)
    return {
      poll: { question: poll.question, options: (poll.options as Fields[]).map((option) => ({ text: option.text })) },
    };
  if (dice) return { text: `${dice.emoji} ${dice.value}` };
  if (payload.live_photo) return { video: expect.anything(), ...(caption && { caption }) };
  return IN_WORDS.some((field) => payload[field] !== undefined) ? { text: expect.stringMatching(/\S/) } : null;
}
