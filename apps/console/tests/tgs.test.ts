import { describe, expect, test } from '@jest/globals';
import { animationOf, readAnimation } from '../src/screens/inbox/chat/tgs.ts';
import { animatedSticker, lottie, packed } from './media-files.ts';

const read = (base64: string) => readAnimation(`data:application/gzip;base64,${base64}`, new AbortController().signal);
const refused = (json: unknown) => expect(() => animationOf(json));

describe('an animated sticker', () => {
  test('is unpacked and read', async () => {
    const { w, h, layers } = await read(animatedSticker());
    expect([w, h, layers.length]).toEqual([512, 512, 2]);
  });

  test('that is no packed JSON is refused', async () => {
    await expect(read(Buffer.from('no gzip').toString('base64'))).rejects.toThrow();
    await expect(read(packed('no json'))).rejects.toThrow();
    await expect(read(packed('[]'))).rejects.toThrow('Not an animation');
  });

  test('that is larger than the platform takes is refused, packed and unpacked', async () => {
    const noise = Array.from({ length: 20_000 }, () => Math.random());
    await expect(read(animatedSticker({ noise }))).rejects.toThrow('too large');
    await expect(read(animatedSticker({ zeros: '0'.repeat(3 * 1024 * 1024) }))).rejects.toThrow('too large');
  });
});

describe('an animation', () => {
  const nested = (refId: string) => ({ ty: 0, refId, ks: {} });

  test('without a size, a length or layers, or faster than 60 frames a second, is refused', () => {
    for (const change of [{ w: 0 }, { h: '512' }, { op: 0 }, { fr: 61 }, { layers: undefined }, { layers: [1] }]) {
      refused({ ...lottie(), ...change }).toThrow('Not an animation');
    }
  });

  test('with pictures, texts or repeaters is refused, and its fonts are left out', () => {
    const repeater = { ty: 4, shapes: [{ ty: 'gr', it: [{ ty: 'rp', c: { a: 0, k: 1e9 } }] }] };
    for (const layer of [{ ty: 2, refId: 'p' }, { ty: 5 }, repeater]) {
      refused({ ...lottie(), layers: [layer] }).toThrow('draws too much');
    }
    const picture = { id: 'p', u: 'https://elsewhere.example/', p: 'a.png', w: 1, h: 1 };
    const fonts = { list: [{ fPath: 'https://elsewhere.example/a.woff' }] };
    expect(animationOf({ ...lottie(), fonts, chars: [{}], assets: [picture] })).toEqual({ ...lottie(), assets: [] });
  });

  test('that a frame of it would take long to draw is refused: by corners, masks and dashes', () => {
    const corners = Array.from({ length: 5_000 }, (_, at) => [at % 512, (at * 7) % 512]);
    const path = { ty: 'sh', ks: { a: 0, k: { v: corners, i: corners, o: corners, c: true } } };
    refused({ ...lottie(), layers: [{ ty: 4, shapes: [path] }] }).toThrow('draws too much');
    const masksProperties = Array.from({ length: 200 }, () => ({ mode: 'a', pt: { a: 0, k: {} } }));
    refused({ ...lottie(), layers: [{ ty: 4, masksProperties }] }).toThrow('draws too much');
    const dashed = { ty: 'st', d: [{ n: 'd', v: { a: 0, k: 1e-9 } }] };
    refused({ ...lottie(), layers: [{ ty: 4, shapes: [{ ty: 'gr', it: [dashed] }] }] }).toThrow('draws too much');
  });

  test('whose layers contain themselves, or each other a thousand times over, is refused', () => {
    const ring = [
      { id: 'a', layers: [nested('b')] },
      { id: 'b', layers: [nested('a')] },
    ];
    refused({ ...lottie(), layers: [nested('a')], assets: ring }).toThrow('draws too much');
    const tens = Array.from({ length: 8 }, (_, n) => ({
      id: String(n),
      layers: Array.from({ length: 10 }, () => nested(String(n + 1))),
    }));
    refused({ ...lottie(), layers: [nested('0')], assets: tens }).toThrow('draws too much');
    const twice = [{ id: 'a', layers: [lottie().layers[0]] }];
    const once = animationOf({ ...lottie(), layers: [nested('a'), nested('a')], assets: twice });
    expect(once.assets).toEqual(twice);
  });
});
