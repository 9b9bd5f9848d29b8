import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { callCounts } from '@flotilla/runtime/call-counts.ts';
import { GrowingBytes } from '@flotilla/runtime/growing-bytes.ts';
import type { Metrics } from '@flotilla/runtime/metrics.ts';
import { bodyUnpacker, isBehindEnd } from '@flotilla/telegram/parameters/body-unpacker.ts';
import { type ClientAddress, networkOf } from './client-address.ts';
import { cutLateBody, knownSender } from './known-sender.ts';

/** A limit on the memory of all bodies that a process reads, of which each sender has a share. */
export type BodyBudget = {
  /** The share of the sender of a request, who must be known by then or is a stranger. */
  shareOf(request: IncomingMessage): BodyShare;
};

type BodyShare = {
  /** Takes that many bytes; if they are too many, takes nothing and returns false. */
  take(bytes: number): boolean;
  giveBack(bytes: number): void;
};

const MIB = 1024 * 1024;
/** Each bot, account and intake; an api process has a few hundred MB of memory. */
const KNOWN_BYTES = { inAll: 56 * MIB, ofBot: 16 * MIB };
/** Strangers of each network. */
const STRANGERS_BYTES = { inAll: 8 * MIB, ofBot: 4 * MIB };

export function bodyBudget(metrics: Metrics, addressOf: ClientAddress): BodyBudget {
  const known = callCounts(KNOWN_BYTES);
  const strangers = callCounts(STRANGERS_BYTES);
  let held = 0;
  metrics.gauge({
    name: 'flotilla_held_body_bytes',
    help: 'Bytes of request bodies held in memory, at most 64 MiB.',
    collect() {
      this.set(held);
    },
  });
  return {
    shareOf(request) {
      const sender = knownSender(request);
      const counts = sender === null ? strangers : known;
      const of = sender ?? { owner: networkOf(addressOf(request) ?? ''), scope: '' };
      const add = (bytes: number) => {
        held += bytes;
        counts.add(of, bytes);
      };
      return {
        take(bytes) {
          if (bytes > 0 && !counts.hasRoom(of, bytes)) return false;
          add(bytes);
          return true;
        },
        giveBack: (bytes) => add(-bytes),
      };
    },
  };
}

export type BodyOptions = {
  budget: BodyBudget;
  /** For a compressed body, its unpacked size. */
  limitBytes: number;
  /** How the body is packed; without it, as its Content-Encoding says. */
  packed?: Packing;
};

/** `zlib`: gzip or deflate, as the platform reads it. */
export type Packing = 'none' | 'zlib';

/** The destination of a body, and the memory it takes there. */
export type BodySink = { write(piece: Buffer): void; heldBytes(): number };

type Unread = { outcome: 'too-large' | 'unknown-encoding' | 'no-room' | 'aborted' };
/** `intact` is false for a compressed body that is broken or cut off; what was unpacked before is in the sink. */
type Read = { outcome: 'read'; intact: boolean; release: () => void };

/** Memory that decompression needs beside its result. */
const UNPACKING_BYTES = 65_536;

/** Reads a request's body into memory, as `readInto` does. */
export async function collectBody(
  request: IncomingMessage,
  response: ServerResponse,
  options: BodyOptions,
): Promise<(Read & { bytes: Buffer }) | Unread> {
  const { 'content-length': length, 'content-encoding': packed } = request.headers;
  const isKnown = length !== undefined && packed === undefined;
  const body = new GrowingBytes(isKnown ? Number(length) : options.limitBytes);
  const read = await readInto(body, request, response, options);
  return read.outcome === 'read' ? { ...read, bytes: body.bytes() } : read;
}

/**
 * Reads a request's body into a sink. Its share of the budget is given back when the response closes, or earlier by
 * `release`. A refused body is read and dropped, so that its sender sees the answer. `cutLateBody` says how long it may take.
 */
export async function readInto(
  sink: BodySink,
  request: IncomingMessage,
  response: ServerResponse,
  { budget, limitBytes, packed }: BodyOptions,
): Promise<Read | Unread> {
  const unpacker =
    packed === undefined ? unpackerOf(request.headers['content-encoding']) : packed === 'zlib' ? bodyUnpacker() : null;
  if (unpacker === undefined) return { outcome: 'unknown-encoding' };
  const announced = unpacker === null ? Number(request.headers['content-length'] ?? 0) : 0;
  if (announced > limitBytes) return { outcome: 'too-large' };
  if (request.destroyed || response.closed) return { outcome: 'aborted' };
  const share = shareOf(budget, response);
  const stopWatching = cutLateBody(request, () => sink.heldBytes());
  const read = await pour(request, unpacker, sink, share, limitBytes);
  stopWatching();
  if (read.outcome !== 'read') share.release();
  return read;
}

type Share = { growTo(bytes: number): boolean; release: () => void };

/** The share of one body in the budget; it ends with the response. */
export function shareOf(budget: BodyBudget, response: ServerResponse): Share {
  const room = budget.shareOf(response.req);
  let taken = 0;
  let open = true;
  const release = () => {
    if (!open) return;
    open = false;
    response.off('close', release);
    room.giveBack(taken);
  };
  response.once('close', release);
  return {
    growTo: (bytes) => {
      if (!open || !room.take(bytes - taken)) return false;
      taken = bytes;
      return true;
    },
    release,
  };
}

function pour(
  request: IncomingMessage,
  unpacker: (Readable & NodeJS.WritableStream) | null,
  sink: BodySink,
  share: Share,
  limitBytes: number,
): Promise<Read | Unread> {
  const source: Readable = unpacker ?? request;
  const beside = unpacker === null ? 0 : UNPACKING_BYTES;
  let length = 0;
  return new Promise((resolve) => {
    const onData = (piece: Buffer) => {
      length += piece.length;
      if (length > limitBytes) return settle({ outcome: 'too-large' });
      sink.write(piece);
      if (!share.growTo(beside + sink.heldBytes())) settle({ outcome: 'no-room' });
    };
    const onEnd = () => settle({ outcome: 'read', intact: true, release: share.release });
    const onBroken = (error: Error) => settle({ outcome: 'read', intact: isBehindEnd(error), release: share.release });
    const onClose = () => {
      if (!request.complete) settle({ outcome: 'aborted' });
    };
    // Every listener is removed: one that stays would keep the body in memory while a long poll waits.
    const settle = (read: Read | Unread) => {
      source.off('data', onData).off('end', onEnd);
      request.off('close', onClose);
      if (unpacker !== null) {
        request.unpipe(unpacker);
        unpacker.off('error', onBroken).on('error', () => undefined);
        unpacker.destroy();
      }
      request.resume();
      resolve(read);
    };
    request.on('close', onClose);
    if (unpacker !== null) request.pipe(unpacker.on('error', onBroken));
    source.on('data', onData).on('end', onEnd);
  });
}

/** Null if there is nothing to decompress, undefined for an unknown encoding. */
function unpackerOf(contentEncoding = 'identity') {
  switch (contentEncoding.trim().toLowerCase()) {
    case 'identity':
    case '':
      return null;
    case 'gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}
