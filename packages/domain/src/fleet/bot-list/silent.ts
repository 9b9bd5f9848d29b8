/** A reader that polls: what waits for it, and when somebody last polled, or could first have done so. */
export type Polled = { waiting: number; polledAtMs: number | null; silentAfterS: number };

/** True if something waits for the reader, and nobody has polled for so long. */
export function isSilent(nowMs: number, { waiting, polledAtMs, silentAfterS }: Polled): boolean {
  return silentAfterS > 0 && waiting > 0 && nowMs - (polledAtMs ?? 0) >= silentAfterS * 1000;
}
