import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Asked, Deps } from './asked.ts';

/** Types that a browser shows and plays without running anything. All else is saved. */
const SHOWN = /^(image\/(png|jpeg|gif|webp)|video\/(mp4|webm)|audio\/(mpeg|ogg|mp4|wav|webm))$/;
const KEPT_HEADERS = ['content-length', 'content-range', 'accept-ranges'];

/** Passes a file of a message on, whole or the part that a player asks for. */
export async function sendFile(
  { control, options }: Deps,
  { bot }: Asked,
  { request, response, fileId }: { request: IncomingMessage; response: ServerResponse; fileId: string },
): Promise<void> {
  const { name, mime, path } = await control.readFile({ fileId });
  const { range } = request.headers;
  const address = `${options.simulatorUrl}/file/bot${bot.token}/${path}`;
  const file = await fetch(address, { headers: range === undefined ? {} : { range } });
  const isShown = SHOWN.test(mime);
  response.writeHead(file.status, {
    'Content-Type': isShown ? mime : 'application/octet-stream',
    'Content-Disposition': `${isShown ? 'inline' : 'attachment'}; filename*=UTF-8''${encoded(name || 'file')}`,
    ...Object.fromEntries(
      KEPT_HEADERS.flatMap((one) => (file.headers.has(one) ? [[one, file.headers.get(one)!]] : [])),
    ),
  });
  if (file.body === null) response.end();
  else await pipeline(Readable.fromWeb(file.body as never), response).catch(() => response.destroy());
}

/** The form of RFC 8187. A name that is not well-formed Unicode loses what is broken. */
function encoded(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
}
