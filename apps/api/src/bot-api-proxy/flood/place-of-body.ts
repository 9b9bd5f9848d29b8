import type { IncomingMessage } from 'node:http';
import { placeOf } from '@flotilla/domain/delivery/flood/flooded-call.ts';
import { parameterReader, parametersOf } from '@flotilla/telegram/parameters/parameters.ts';
import { bodyCoding, contentType } from '../headers.ts';

/** The known parameters of a call. */
export type SentParameters = {
  query: string;
  /** The beginning of the body; null if there is none. */
  head: Buffer | null;
  /** True if `head` is all of it. */
  isWhole: boolean;
  /** The Content-Type; null if the body is compressed. */
  type: string | null;
};

/** The place that a call names, WHOLE_BOT if it names none; null if what is known does not tell. */
export function placeOfBody({ query, head, isWhole, type }: SentParameters): string | null {
  const parameters = parametersOf(query);
  const read = (name: string) => parameters.values.get(name);
  if (read('chat_id') !== undefined || head === null) return placeOf(read);
  if (type === null) return null;
  const reader = parameterReader(type, parameters, { parameterBytes: head.length, fileBytes: 0 });
  reader.write(head);
  // A part of JSON or of a list of pairs may end within the chat's id; of a form, only whole fields are read.
  if (isWhole) reader.end();
  else if (read('chat_id') === undefined) return null;
  return placeOf(read);
}

/** The type of the body that the client sends, as `SentParameters` has it. */
export function readableType(req: IncomingMessage): string | null {
  return bodyCoding(req) === 'none' ? contentType(req) : null;
}
