import { get, type IncomingMessage } from 'node:http';

export interface LiveMessage {
  event: string;
  data: Record<string, unknown>;
  id: string;
}

/** A client of GET /api/live that keeps all that it gets. */
export interface LiveClient {
  status: number;
  headers: IncomingMessage['headers'];
  /** Everything that came, as text. */
  text(): string;
  events: LiveMessage[];
  /** The events of that name. */
  named(event: string): LiveMessage[];
  /** The Last-Event-ID of a browser; also ids without an event count. */
  lastEventId(): string;
  /** When the server ended the stream, or the connection broke. */
  isEnded(): boolean;
  pause(): void;
  resume(): void;
  close(): void;
}

export interface LiveCall {
  key?: string;
  cookie?: string;
  lastEventId?: string;
}

/** Opens a stream; resolves when its head has come, whatever the status is. */
export function openLive(url: string, topics: string, { key, cookie, lastEventId }: LiveCall): Promise<LiveClient> {
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(cookie === undefined ? {} : { cookie }),
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  return new Promise((resolve, reject) => {
    const request = get(`${url}/api/live?topics=${topics}`, { headers, agent: false }, (response) =>
      resolve(read(response)),
    );
    request.on('error', reject);
  });
}

function read(response: IncomingMessage): LiveClient {
  let [text, unread, lastId, ended] = ['', '', '', false];
  const events: LiveMessage[] = [];
  const end = () => {
    ended = true;
  };
  response.setEncoding('utf8');
  response.on('data', (piece: string) => {
    text += piece;
    const blocks = (unread + piece).split('\n\n');
    unread = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
      );
      lastId = fields.get('id') ?? lastId;
      const data = fields.get('data');
      if (data !== undefined) events.push({ event: fields.get('event') ?? '', data: JSON.parse(data), id: lastId });
    }
  });
  response.on('end', end).on('error', end).on('close', end);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    events,
    named: (event) => events.filter((one) => one.event === event),
    lastEventId: () => lastId,
    isEnded: () => ended,
    pause: () => response.pause(),
    resume: () => response.resume(),
    close: () => response.destroy(),
  };
}
