/** The platform takes no larger file of this kind (core.telegram.org/stickers), and Telegram Desktop nothing larger unpacked. */
const LARGEST_PACKED_BYTES = 64 * 1024;
const LARGEST_BYTES = 2 * 1024 * 1024;
/** Layers and shapes of one frame, each as often as it is drawn. Stickers have some hundreds. */
const MOST_DRAWN = 10_000;
const FASTEST_FPS = 60;

/** Kinds of Lottie's layers. */
const NESTED = 0;
const LAYERS_OF_STICKERS: readonly unknown[] = [NESTED, 1, 3, 4];
const REPEATER = 'rp';

type Fields = Record<string, unknown>;

/** A Lottie animation. */
export type Animation = Fields & { layers: Fields[]; assets: Fields[] };

/** Reads the animation of a sticker: Lottie's JSON, packed by gzip. Throws for one that the platform would not take. */
export async function readAnimation(url: string, signal: AbortSignal): Promise<Animation> {
  const { ok, body } = await fetch(url, { signal });
  if (!ok || body === null) throw new Error('The sticker cannot be read');
  const json = body
    .pipeThrough(upTo(LARGEST_PACKED_BYTES))
    .pipeThrough(new DecompressionStream('gzip'))
    .pipeThrough(upTo(LARGEST_BYTES));
  return animationOf(JSON.parse(await new Response(json).text()));
}

function upTo(mostBytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform(piece, controller) {
      bytes += piece.length;
      if (bytes > mostBytes) throw new Error('The sticker is too large');
      controller.enqueue(piece);
    },
  });
}

/**
 * Somebody else made the file: it may name pictures anywhere, or draw so much that the page stands still. Of what the
 * platform forbids in stickers, that is refused; fonts are left out.
 */
export function animationOf(json: unknown): Animation {
  const { fonts: _, chars: _of, ...animation } = isFields(json) ? json : {};
  const { w, h, fr, ip, op, layers, assets } = animation;
  const isSized = [w, h, fr].every((size) => typeof size === 'number' && size > 0) && Number(fr) <= FASTEST_FPS;
  if (!isSized || !(Number(op) > Number(ip)) || !areFields(layers)) throw new Error('Not an animation');
  const nested = areFields(assets) ? assets.filter((asset) => areFields(asset.layers)) : [];
  if (drawnBy(layers, new Map(nested.map(({ id, layers: of }) => [id, of as Fields[]]))) > MOST_DRAWN) {
    throw new Error('The sticker draws too much');
  }
  return { ...animation, layers, assets: nested };
}

/** How much a frame draws; infinite for what draws itself, and for what no sticker has. */
function drawnBy(layers: readonly Fields[], nested: ReadonlyMap<unknown, Fields[]>): number {
  const known = new Map<unknown, number>();
  const ofNested = (id: unknown): number => {
    const before = known.get(id);
    if (before !== undefined) return before;
    known.set(id, Number.POSITIVE_INFINITY);
    const drawn = sum((nested.get(id) ?? []).map(ofLayer));
    known.set(id, drawn);
    return drawn;
  };
  const ofLayer = ({ ty, refId, shapes }: Fields): number => {
    if (!LAYERS_OF_STICKERS.includes(ty)) return Number.POSITIVE_INFINITY;
    return 1 + (ty === NESTED ? ofNested(refId) : 0) + shapesIn(shapes);
  };
  return sum(layers.map(ofLayer));
}

function shapesIn(shapes: unknown): number {
  if (!areFields(shapes)) return 0;
  return sum(shapes.map(({ ty, it }) => (ty === REPEATER ? Number.POSITIVE_INFINITY : 1 + shapesIn(it))));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function areFields(value: unknown): value is Fields[] {
  return Array.isArray(value) && value.every(isFields);
}
