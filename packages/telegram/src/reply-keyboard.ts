import { isFields } from './platform-fields.ts';
import { parsePlatformJson } from './platform-json.ts';

/** The JSON of the labels is no longer, in characters. Rows beyond it are left out. */
const KEYBOARD_CHARACTERS = 12_288;

/** The labels of a reply keyboard, row by row; null of any other markup. A button may be a text alone. */
export function readKeyboard(replyMarkup: unknown): string[][] | null {
  const rows = isFields(replyMarkup) ? replyMarkup.keyboard : undefined;
  if (!Array.isArray(rows)) return null;
  const labels: string[][] = [];
  let room = KEYBOARD_CHARACTERS;
  for (const row of rows) {
    const read = Array.isArray(row) ? row.map(labelOf).filter((label) => label !== '') : [];
    room -= JSON.stringify(read).length + 1;
    if (room < 0) break;
    if (read.length > 0) labels.push(read);
  }
  return labels.length === 0 ? null : labels;
}

/**
 * The part of a send's `reply_markup` that the history needs, as JSON or parsed: the platform answers inline keyboards alone. Nothing
 * if it is no reply keyboard.
 */
export function keyboardParam(replyMarkup: unknown): { reply_markup?: string } {
  const markup = typeof replyMarkup === 'string' ? parsePlatformJson(replyMarkup) : replyMarkup;
  const keyboard = readKeyboard(markup);
  return keyboard === null ? {} : { reply_markup: JSON.stringify({ keyboard }) };
}

function labelOf(button: unknown): string {
  const text = isFields(button) ? button.text : button;
  return typeof text === 'string' ? text.replaceAll('\u0000', '').toWellFormed() : '';
}
