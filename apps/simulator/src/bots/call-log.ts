/** One Bot API call as the simulator received it; of a file, only name and size. Times are wall-clock milliseconds. */
export type RecordedCall = {
  method: string;
  params: Record<string, string>;
  files: { field: string; name: string; size: number }[];
  atMs: number;
  status: number | null;
  /** The name of the server that was called. */
  server: string;
};

/** The latest calls of one bot, and the highest number of getUpdates calls it had in flight at once. */
export type CallLog = {
  calls: RecordedCall[];
  total: number;
  byMethod: Map<string, number>;
  pollsNow: number;
  pollsHighWater: number;
};

const KEPT_CALLS = 5_000;

export function newCallLog(): CallLog {
  return { calls: [], total: 0, byMethod: new Map(), pollsNow: 0, pollsHighWater: 0 };
}

export function recordCall(log: CallLog, call: RecordedCall): void {
  log.total += 1;
  log.byMethod.set(call.method, (log.byMethod.get(call.method) ?? 0) + 1);
  log.calls.push(call);
  if (log.calls.length > 2 * KEPT_CALLS) log.calls = log.calls.slice(-KEPT_CALLS);
}

export function pollStarted(log: CallLog): void {
  log.pollsNow += 1;
  log.pollsHighWater = Math.max(log.pollsHighWater, log.pollsNow);
}

export function pollEnded(log: CallLog): void {
  log.pollsNow -= 1;
}
