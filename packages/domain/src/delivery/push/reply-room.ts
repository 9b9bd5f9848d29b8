import type { ExchangeLimits, HttpAnswer } from '@flotilla/runtime/http-exchange.ts';

/** The longest answer of a backend that is read whole, so that a call in it can be made. Longer ones are cut. */
export const REPLY_BYTES = 128 * 1024;
/** The same with files: those of a photo, which the platform takes up to 10 MB. Larger files are sent by a call. */
export const REPLY_WITH_FILES_BYTES = 10 * 1024 * 1024;
/** While its call is made, an answer is in memory twice. */
const ALL_WITH_FILES_BYTES = 64 * 1024 * 1024;
/** The part of it that one bot may have, with its programs. */
const PART_OF_A_BOT = 4;

/** The memory of this process for answers with files. A backend that sends one slowly holds no more than what came. */
export type ReplyRoom = { begin(botId: number): HeldReply };

export type HeldReply = Required<Pick<ExchangeLimits, 'readAtMost' | 'mayHold'>> & {
  /** Gives the memory back. */
  release(): void;
};

export function replyRoom(allBytes = ALL_WITH_FILES_BYTES): ReplyRoom {
  const heldBy = new Map<number, number>();
  let allHeld = 0;
  return {
    begin(botId) {
      let isCounted = false;
      let held = 0;
      return {
        readAtMost(headers) {
          isCounted = mayHaveFiles(headers);
          return isCounted ? REPLY_WITH_FILES_BYTES : readAtMost(headers);
        },
        mayHold(bytes) {
          if (!isCounted) return true;
          const ofBot = (heldBy.get(botId) ?? 0) + bytes;
          if (allHeld + bytes > allBytes || ofBot > allBytes / PART_OF_A_BOT) return false;
          heldBy.set(botId, ofBot);
          allHeld += bytes;
          held += bytes;
          return true;
        },
        release() {
          if (held === 0) return;
          const ofBot = heldBy.get(botId)! - held;
          if (ofBot === 0) heldBy.delete(botId);
          else heldBy.set(botId, ofBot);
          allHeld -= held;
          held = 0;
        },
      };
    },
  };
}

/** We did not ask for a compressed answer, so it is not unpacked. */
export function readAtMost(headers: HttpAnswer['headers']): number {
  return headers['content-encoding'] === undefined ? REPLY_BYTES : 0;
}

/** True for a form that is not compressed. */
function mayHaveFiles(headers: HttpAnswer['headers']): boolean {
  return headers['content-encoding'] === undefined && isForm(String(headers['content-type'] ?? ''));
}

export function isForm(contentType: string): boolean {
  return /^multipart\/form-data\b/i.test(contentType.trim());
}
