import { type Fields, readObject, readText } from './platform-fields.ts';

/** The chat of an update: that of its payload, or of the message that the payload is about; null when it has none. */
export function chatIdOfUpdate(update: Fields, kind: string): number | null {
  const payload = readObject(update, kind) ?? {};
  return chatIdOf(payload) ?? chatIdOf(readObject(payload, 'message') ?? {});
}

/** The business connection through which an update came; '' for none. */
export function connectionOfUpdate(update: Fields, kind: string): string {
  const payload = readObject(update, kind) ?? {};
  const ofMessage = readObject(payload, 'message') ?? {};
  return readText(payload, 'business_connection_id') ?? readText(ofMessage, 'business_connection_id') ?? '';
}

/** The chat of a call: that of its result, else the one that its parameter names; null when neither names an id. */
export function chatIdOfResult(result: unknown, named: string | undefined): number | null {
  const first: unknown = Array.isArray(result) ? result[0] : result;
  const ofResult = typeof first === 'object' && first !== null ? chatIdOf(first as Fields) : null;
  return ofResult ?? (named !== undefined && /^-?\d{1,16}$/.test(named) ? Number(named) : null);
}

function chatIdOf(fields: Fields): number | null {
  const id = readObject(fields, 'chat')?.id;
  return Number.isSafeInteger(id) ? (id as number) : null;
}
