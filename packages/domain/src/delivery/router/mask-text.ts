/** A model sees this in place of masked text. */
const LINK = '[link]';
const ADDRESS = '[address]';
const NUMBER = '[number]';

const LINKS = /\b(?:[a-z][a-z0-9+.-]{1,15}:\/\/|www\.)\S+|\b(?:t\.me|telegram\.me)\/\S+/giu;
/** Without a scheme; a name alone is no link. */
const BARE_LINKS = /(?<![\p{L}\p{N}@.-])(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?::\d{1,5})?[/?]\S+/gu;
/** With bounds: a text without @ is else read to its end from each of its letters. */
const MAIL_ADDRESSES = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu;
const IP_ADDRESSES =
  /\b\d{1,3}(?:\.\d{1,3}){3}\b|(?<![\p{L}\p{N}:])(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}(?![\p{L}\p{N}:])/giu;
/** Digits of any script, grouped as people write telephone numbers, cards and accounts. */
const NUMBERS = /[+(]?\p{Nd}(?:[\s()./,'’_*\u2010-\u2015-]{0,3}\p{Nd}){5,}/gu;
/** IBANs and the like: letters among the digits. */
const CODES = /\b(?=(?:[A-Z]*\p{Nd}){6})[A-Z0-9]{8,}\b/gu;

/** Possible halves of something to mask, at the end of a text that was cut. */
const HALF = /[\p{Nd}\s()./,'’_*+\u2010-\u2015-]*\S*$/u;
const LONGEST_HALF = 100;

/** The beginning of the text without links, mail and IP addresses, and numbers of six and more digits. */
export function maskText(text: string, longest: number): string {
  return beginning(text, longest)
    .replace(LINKS, LINK)
    .replace(BARE_LINKS, LINK)
    .replace(MAIL_ADDRESSES, ADDRESS)
    .replace(IP_ADDRESSES, ADDRESS)
    .replace(CODES, NUMBER)
    .replace(NUMBERS, NUMBER)
    .slice(0, longest);
}

/** Cuts before it is masked, because to mask costs more; half a number or address would not be recognised. */
function beginning(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const surely = Math.max(0, longest - LONGEST_HALF);
  return text.slice(0, surely) + text.slice(surely, longest).replace(HALF, '');
}
