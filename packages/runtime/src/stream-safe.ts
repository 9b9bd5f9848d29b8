/** As the "Stream-Safe Text Format" of Unicode has it (UAX #15): no language needs more. */
const MARKS_IN_A_ROW = 30;
// The last two are letters that decompose into marks.
const TOO_MANY_MARKS = new RegExp(`([\\p{M}\\uFF9E\\uFF9F]{${MARKS_IN_A_ROW}})[\\p{M}\\uFF9E\\uFF9F]+`, 'gu');

/**
 * The text without what is beyond 30 combining marks in a row. `String.normalize` sorts the marks of a letter in a time that
 * grows with the square of their number, so texts of strangers go through this before it.
 */
export function streamSafe(text: string): string {
  return text.replace(TOO_MANY_MARKS, '$1');
}
