import { type EXPORT_FORMATS, type MessageResource, messageResource } from '@flotilla/contract/messages.ts';

/** How exported messages become text, a line or a few each. */
export interface ExportFormat {
  mediaType: string;
  /** What stands before the first message. */
  head: string;
  lineOf(message: MessageResource): string;
}

const COLUMNS = Object.keys(messageResource.shape) as (keyof MessageResource)[];

/** How texts begin that a spreadsheet takes for formulas, also in full width (OWASP: CSV injection). */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * CSV is as RFC 4180 has it: CRLF, quotes where needed; a field without a value is empty. A text that a spreadsheet would
 * take for a formula has an apostrophe before it.
 */
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
  // A number stays one: chats have negative ids.
  if (typeof value !== 'string') return String(value ?? '');
  const text = FORMULA.test(value) ? `'${value}` : value;
  // Some spreadsheets also take semicolons and tabs for separators.
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
