/** The limit of the "Stream-Safe Text Format" of Unicode (UAX #15): no language needs more. */
const MARKS_IN_A_ROW = 30;
// The last two are letters that decompose into marks.
const TOO_MANY_MARKS = new RegExp(`([\\p{M}\\uFF9E\\uFF9F]{${MARKS_IN_A_ROW}})[\\p{M}\\uFF9E\\uFF9F]+`, 'gu');
const FIRST_MARK = 0x0300;

/**
 * The text without what is beyond 30 combining marks in a row. `String.normalize` sorts the marks of a letter in a time that
 * grows with the square of their number, so texts of strangers go through this before it.
 */
export function streamSafe(text: string): string {
  return mayHaveTooMany(text) ? text.replace(TOO_MANY_MARKS, '$1') : text;
}

/** No mark has a lower code. This costs a fraction of the expression, which few texts need. */
function mayHaveTooMany(text: string): boolean {
  let inARow = 0;
  for (let at = 0; at < text.length; at += 1) {
    inARow = text.charCodeAt(at) < FIRST_MARK ? 0 : inARow + 1;
    if (inARow > MARKS_IN_A_ROW) return true;
  }
  return false;
}
