/** A reader that polls: what waits for it, and when somebody last polled, or could first have done so. */
export type Polled = { waiting: number; polledAtMs: number | null; silent_after_s: number };

/** True if something waits for the reader, and nobody has polled for so long. */
export function isSilent(nowMs: number, { waiting, polledAtMs, silent_after_s }: Polled): boolean {
  return silent_after_s > 0 && waiting > 0 && nowMs - (polledAtMs ?? 0) >= silent_after_s * 1000;
}
