import { operationTable } from 'virtual:operations';
import type { ErrorAnswer } from '@flotilla/contract/errors.ts';
import { type Answer, CallError } from './call.ts';

/** Sends a message with a file; `progress` is told which part of it is sent, from 0 to 1. Throws CallError. */
export function sendFile(
  fields: Readonly<Record<string, string | number | undefined>>,
  file: File,
  progress: (sent: number) => void,
): Promise<Answer<'sendMessage'>> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, String(value));
  // The api takes the fields before the file.
  form.append('file', file, file.name);
  return new Promise((resolve, reject) => {
    // Only XMLHttpRequest tells how much is sent.
    const request = new XMLHttpRequest();
    request.open('POST', operationTable.sendMessage![1]);
    request.upload.addEventListener('progress', ({ loaded, total }) => progress(total > 0 ? loaded / total : 0));
    request.addEventListener('load', () => {
      const answer = parsed(request.responseText);
      if (request.status === 200) return resolve(answer as Answer<'sendMessage'>);
      const retryAfter = Number(request.getResponseHeader('Retry-After'));
      reject(new CallError(request.status, answer as Partial<ErrorAnswer>, retryAfter > 0 ? retryAfter : null));
    });
    for (const end of ['error', 'abort', 'timeout'])
      request.addEventListener(end, () => reject(new CallError(0, {}, null)));
    request.send(form);
  });
}

/** A load balancer that answers in our place may write HTML. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
