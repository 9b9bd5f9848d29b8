import type { EXPORT_FORMATS } from '@flotilla/contract/message-operations.ts';
import { CSV_COLUMNS, type MessageResource } from '@flotilla/contract/messages.ts';

/** Turns exported messages into text, one or more lines for each. */
export interface ExportFormat {
  mediaType: string;
  /** The text before the first message. */
  head: string;
  lineOf(message: MessageResource): string;
}

/** The first characters of texts that spreadsheets run as formulas, also in full width (OWASP: CSV injection). */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * CSV by RFC 4180: CRLF, quotes if needed, nothing for a missing value. A text that a spreadsheet would run as a
 * formula gets an apostrophe in front.
 */
export const exportFormats: Readonly<Record<(typeof EXPORT_FORMATS)[number], ExportFormat>> = {
  ndjson: {
    mediaType: 'application/x-ndjson',
    head: '',
    lineOf: (message) => `${JSON.stringify(message)}\n`,
  },
  csv: {
    mediaType: 'text/csv',
    head: `${CSV_COLUMNS.join(',')}\r\n`,
    lineOf: (message) => `${CSV_COLUMNS.map((column) => csvField(message[column])).join(',')}\r\n`,
  },
};

export function csvField(value: string | number | boolean | null | undefined): string {
  // Numbers stay unchanged, because chats have negative ids.
  if (typeof value !== 'string') return String(value ?? '');
  const text = FORMULA.test(value) ? `'${value}` : value;
  // Some spreadsheets also split at semicolons and tabs.
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
