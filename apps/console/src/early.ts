/** Old answers are no start: somebody may have signed in, or changed things, since. */
const KEPT_MS = 10_000;

type Asked = { atMs: number; response: Promise<Response> };
const asked = new Map<string, Asked>();

/** Asks before the script that wants the answer is there. */
export function askEarly(path: string): Promise<Response> {
  const response = fetch(path);
  // Whoever takes the answer sees the failure.
  response.catch(() => {});
  asked.set(path, { atMs: Date.now(), response });
  return response;
}

/** Answers to early requests, each for the first who wants it. */
export function takeEarly(path: string): Promise<Response> | undefined {
  const early = asked.get(path);
  asked.delete(path);
  return early && Date.now() - early.atMs < KEPT_MS ? early.response : undefined;
}
