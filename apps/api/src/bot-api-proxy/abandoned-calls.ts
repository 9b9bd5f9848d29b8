/** Captured calls whose client has gone while the platform still answers: how many there are, and what they hold. */
export type AbandonedCalls = {
  /** Counts one more, of whose answer so many bytes are held; false when that is too much. Ends with `end` either way. */
  begin(heldBytes: number): boolean;
  count(): number;
  /** Counts more bytes of one of them; false when that is too much. */
  hold(bytes: number): boolean;
  end(heldBytes: number): void;
  /** Resolves when there is none. */
  drain(): Promise<void>;
};

/** Each is a connection to the platform. */
const CALLS_AT_MOST = 1000;
const BYTES_AT_MOST = 32 * 1024 * 1024;

export function abandonedCalls(): AbandonedCalls {
  let calls = 0;
  let bytes = 0;
  let drained: (() => void) | null = null;
  const hold = (more: number): boolean => {
    bytes += more;
    return calls <= CALLS_AT_MOST && bytes <= BYTES_AT_MOST;
  };
  return {
    begin: (heldBytes) => {
      calls += 1;
      return hold(heldBytes);
    },
    count: () => calls,
    hold,
    end: (heldBytes) => {
      bytes -= heldBytes;
      calls -= 1;
      if (calls === 0) drained?.();
    },
    drain: async () => {
      if (calls === 0) return;
      await new Promise<void>((resolve) => {
        drained = resolve;
      });
    },
  };
}
