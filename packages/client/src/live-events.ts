/** An event of a stream of `text/event-stream`. */
export type LiveEvent = { event: string; id: string; data: unknown };

/** Flotilla writes a comment every few seconds. */
const SILENT_MS = 60_000;

/** Reads events until the stream ends, or is silent for a minute. Comments are left out. */
export async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<LiveEvent> {
  const [lines, reader] = [{ event: 'message', id: '', data: [] as string[] }, stream.getReader()];
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const timer = setTimeout(() => void reader.cancel(), SILENT_MS);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      const texts = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = texts.pop() ?? '';
      for (const text of texts) {
        const [, name = '', content = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(text.replace(/\r$/, '')) ?? [];
        if (name === 'event') lines.event = content;
        if (name === 'id') lines.id = content;
        if (name === 'data') lines.data.push(content);
        if (text.trim() !== '') continue;
        const { event, id, data } = lines;
        if (data.length > 0) yield { event, id, data: JSON.parse(data.join('\n')) };
        [lines.event, lines.data] = ['message', []];
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
