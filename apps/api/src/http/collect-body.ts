import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { GrowingBytes } from '@flotilla/runtime/growing-bytes.ts';
import type { Metrics } from '@flotilla/runtime/metrics.ts';
import { bodyUnpacker, isBehindEnd } from '@flotilla/telegram/parameters/body-unpacker.ts';
import { cutLateBody, noteKnownSender, type Sender } from './known-sender.ts';

/** A limit on the memory of all bodies that a process reads. */
export type BodyBudget = {
  /** Takes that many bytes; if they are too many, takes nothing and returns false. */
  take(bytes: number, sender: Sender): boolean;
  giveBack(bytes: number): void;
};

/** 64 bodies of REST's maximum size; an api process has a few hundred MB of memory. */
const BUDGET_BYTES = 64 * 1024 * 1024;
/** Strangers must not use up the budget of everybody else. */
const STRANGERS_BYTES = BUDGET_BYTES / 2;

export function bodyBudget(metrics: Metrics): BodyBudget {
  let held = 0;
  metrics.gauge({
    name: 'flotilla_held_body_bytes',
    help: 'Bytes of request bodies held in memory, at most 64 MiB.',
    collect() {
      this.set(held);
    },
  });
  return {
    take(bytes, sender) {
      if (held + bytes > (sender === 'known' ? BUDGET_BYTES : STRANGERS_BYTES)) return false;
      held += bytes;
      return true;
    },
    giveBack(bytes) {
      held -= bytes;
    },
  };
}

export type BodyOptions = {
  budget: BodyBudget;
  sender: Sender;
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
  { budget, sender, limitBytes, packed }: BodyOptions,
): Promise<Read | Unread> {
  const unpacker =
    packed === undefined ? unpackerOf(request.headers['content-encoding']) : packed === 'zlib' ? bodyUnpacker() : null;
  if (unpacker === undefined) return { outcome: 'unknown-encoding' };
  const announced = unpacker === null ? Number(request.headers['content-length'] ?? 0) : 0;
  if (announced > limitBytes) return { outcome: 'too-large' };
  if (request.destroyed || response.closed) return { outcome: 'aborted' };
  const share = shareOf(budget, sender, response);
  if (sender === 'known') noteKnownSender(request);
  const stopWatching = cutLateBody(request, sender, () => sink.heldBytes());
  const read = await pour(request, unpacker, sink, share, limitBytes);
  stopWatching();
  if (read.outcome !== 'read') share.release();
  return read;
}

type Share = { growTo(bytes: number): boolean; release: () => void };

/** The share of one body in the budget; it ends with the response. */
export function shareOf(budget: BodyBudget, sender: Sender, response: ServerResponse): Share {
  let taken = 0;
  let open = true;
  const release = () => {
    if (!open) return;
    open = false;
    response.off('close', release);
    budget.giveBack(taken);
  };
  response.once('close', release);
  return {
    growTo: (bytes) => {
      if (!open || !budget.take(bytes - taken, sender)) return false;
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
