/** An event, and the position from which another connection goes on after it. */
export type SentEvent = { name: string; data: string; position: string | null };

export type StreamHandlers = {
  opened(): void;
  /** A position without an event. */
  position(position: string): void;
  event(event: SentEvent): void;
  retry(ms: number): void;
};

/** How a stream ended: the status of the answer, 0 without one; and how long the server wants to be left alone. */
export type StreamEnd = { status: number; retryAfterMs: number };

/** The server says every 15 s that the stream lives; a network that fell silent says nothing. */
const SILENCE_MS = 20_000;

/**
 * Reads a server-sent stream to its end. EventSource would do, but it begins anew when the topics change, and does not
 * tell why it is refused.
 */
export async function readEventStream(
  url: string,
  position: string,
  handlers: StreamHandlers,
  signal: AbortSignal,
): Promise<StreamEnd> {
  const silence = new AbortController();
  const ended = AbortSignal.any([signal, silence.signal]);
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const headers = { Accept: 'text/event-stream', ...(position === '' ? {} : { 'Last-Event-ID': position }) };
    const response = await fetch(url, { headers, signal: ended, cache: 'no-store' });
    const end = { status: response.status, retryAfterMs: Number(response.headers.get('Retry-After')) * 1000 || 0 };
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      return end;
    }
    handlers.opened();
    const take = eventParser(handlers);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return end;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      take(value);
    }
  } catch {
    return { status: 0, retryAfterMs: 0 };
  } finally {
    clearTimeout(timer);
  }
}

/** Takes the text of a stream in pieces of any size. Format: https://html.spec.whatwg.org/#event-stream-interpretation */
function eventParser({ event, position, retry }: StreamHandlers): (piece: string) => void {
  let rest = '';
  let [name, data, id] = ['message', [] as string[], null as string | null];
  const takeLine = (line: string) => {
    if (line === '') {
      if (data.length > 0) event({ name, data: data.join('\n'), position: id });
      else if (id !== null) position(id);
      [name, data, id] = ['message', [], null];
      return;
    }
    const colon = line.indexOf(':');
    const value = line.slice(colon + 1).replace(/^ /, '');
    switch (line.slice(0, colon)) {
      case 'event':
        name = value;
        break;
      case 'data':
        data.push(value);
        break;
      case 'id':
        id = value;
        break;
      case 'retry':
        retry(Number(value));
    }
  };
  return (piece) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop()!;
    for (const line of lines) takeLine(line);
  };
}
