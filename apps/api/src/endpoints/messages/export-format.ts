import type { EXPORT_FORMATS } from '@flotilla/contract/operations/messages.ts';
import { type MessageResource, messageResource } from '@flotilla/contract/resources/message.ts';

/** How exported messages become text, a line or a few each. */
export interface ExportFormat {
  mediaType: string;
  /** What stands before the first message. */
  head: string;
  lineOf(message: MessageResource): string;
}

const COLUMNS = Object.keys(messageResource.shape) as (keyof MessageResource)[];

/** CSV is as RFC 4180 has it: CRLF, quotes where needed; a field without a value is empty. */
export const exportFormats: Readonly<Record<(typeof EXPORT_FORMATS)[number], ExportFormat>> = {
  ndjson: {
    mediaType: 'application/x-ndjson',
    head: '',
    lineOf: (message) => `${JSON.stringify(message)}\n`,
  },
  csv: {
    mediaType: 'text/csv',
    head: `${COLUMNS.join(',')}\r\n`,
    lineOf: (message) => `${COLUMNS.map((column) => csvField(message[column])).join(',')}\r\n`,
  },
};

function csvField(value: string | number | boolean | undefined): string {
  const text = String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
