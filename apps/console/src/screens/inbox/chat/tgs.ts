/** The platform takes no larger file of this kind (core.telegram.org/stickers), and Telegram Desktop nothing larger unpacked. */
const LARGEST_PACKED_BYTES = 64 * 1024;
const LARGEST_BYTES = 2 * 1024 * 1024;
/**
 * The cost of one frame: the numbers of each layer (corners, keyframes, colours), as often as it is drawn. Measured in Chromium
 * on two slow cores: the most that is taken is drawn in 25 ms, 25,000 corners in 2 s.
 */
const MOST_DRAWN = 100_000;
/** A number of the corners that are drawn costs more than one that is only looked up. */
const COST_OF_CORNERS = 3;
/** A mask and a matte each take a canvas of their own. */
const COST_OF_MASK = 1_000;
const FASTEST_FPS = 60;

/** Kinds of Lottie's layers. */
const NESTED = 0;
const LAYERS_OF_STICKERS: readonly unknown[] = [NESTED, 1, 3, 4];
/** Repeaters, merged paths, stars, strokes with a gradient: the platform takes none of them. */
const SHAPES_OF_NO_STICKER: readonly unknown[] = ['rp', 'mm', 'sr', 'gs'];

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
  const ofLayer = (layer: Fields): number => {
    const { ty, refId, shapes, ef, masksProperties: masks, tt: matte } = layer;
    if (!LAYERS_OF_STICKERS.includes(ty) || hasItems(ef) || !areOfStickers(shapes)) return Number.POSITIVE_INFINITY;
    const composed = (Array.isArray(masks) ? masks.length : 0) + (matte === undefined ? 0 : 1);
    return (
      1 +
      (ty === NESTED ? ofNested(refId) : 0) +
      numbersIn(layer) +
      cornersIn(shapes) * COST_OF_CORNERS +
      composed * COST_OF_MASK
    );
  };
  return sum(layers.map(ofLayer));
}

/** Dashes of no length would be drawn without end. */
function areOfStickers(shapes: unknown): boolean {
  if (!areFields(shapes)) return true;
  return shapes.every(({ ty, it, d }) => {
    const isDashed = ty === 'st' && hasItems(d);
    return !SHAPES_OF_NO_STICKER.includes(ty) && !isDashed && areOfStickers(it);
  });
}

function hasItems(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** The numbers of the paths of one frame: of a path that moves, those of its longest keyframe. */
function cornersIn(shapes: unknown): number {
  if (!areFields(shapes)) return 0;
  return sum(
    shapes.map(({ it, ks }) => {
      const path = isFields(ks) ? ks.k : undefined;
      const drawn = Array.isArray(path)
        ? path.map((frame) => (isFields(frame) ? numbersIn(frame.s) : 0))
        : [numbersIn(path)];
      return cornersIn(it) + (ks === undefined ? 0 : drawn.reduce((most, one) => Math.max(most, one), 0));
    }),
  );
}

function numbersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return sum(Object.values(value).map(numbersIn));
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
