import { ADA, GROUP, messageIn, PRIVATE } from './sample-parts.ts';

const json = String.raw;

/** Whole updates whose bytes change when JSON is parsed and printed again; `ID` stands for the digits of update_id. */
export const edgeSamples: Record<string, string> = {
  numbers_beyond_2_53: json`{"update_id":ID,
"message":${messageIn(PRIVATE, 501)},"text":"big","x_big":12345678901234567890,"x_float":1.10,"x_exponent":1E+2,"x_zero":-0}}`,
  integer_like_keys: json`{"update_id":ID,
"message":${messageIn(PRIVATE, 502)},"text":"keys","x":{"b":1,"10":2,"9":3,"a":4}}}`,
  unusual_key_order: json`{"update_id":ID,
"message":{"text":"backwards","date":1790000503,"chat":${GROUP},"from":${ADA},"message_id":503}}`,
  payload_before_id: json`{"message":${messageIn(PRIVATE, 504)},"text":"id last"},"update_id":ID}`,
  escapes: json`{"update_id":ID,
"message":${messageIn(PRIVATE, 505)},"text":"\u0041\/\b\f\t\u00e9\ud83d\ude00 \u2028 \"q\" \\ end"}}`,
  escaped_names: json`{"update_id":ID,
"mess\u0061ge":{"m\u0065ssage_id":506,"from":${ADA},"chat":${GROUP},"date":1790000506,"t\u0065xt":"escaped names"}}`,
  lone_surrogate: json`{"update_id":ID,
"message":${messageIn(PRIVATE, 507)},"text":"half \ud83d and \ude00 half"}}`,
  nul: json`{"update_id":ID,
"message":${messageIn(PRIVATE, 508)},"text":"before\u0000after"}}`,
  brackets_in_text: json`{"update_id":ID,
"message":${messageIn(PRIVATE, 509)},"text":"}]}\",{\"update_id\":1,[\\"}}`,
  whitespace: `{ \r\n\t"update_id" :  ID ,\n "message" :\t${messageIn(PRIVATE, 510)} , "text" : "airy" } \n}`,
  raw_unicode: `{"update_id":ID,\n"message":${messageIn(PRIVATE, 511)},"text":"naïve Ünïcødé 漢字 \u2028 😀 مرحبا"}}`,
  duplicate_names: json`{"update_id":ID,
"message":${messageIn(PRIVATE, 512)},"text":"first","text":"second"}}`,
  kind_to_come: json`{"update_id":ID,
"hologram":{"id":"1","chat":${GROUP},"beam":[]}}`,
  kind_to_come_of_message: json`{"update_id":ID,
"hologram_query":{"id":"2","user":${ADA},"message":${messageIn(PRIVATE, 513)},"text":"beam"},"beam":"a\u0000\ud83d"}}`,
  kind_to_come_without_chat: json`{"update_id":ID,
"hologram_query":{"id":"3","from":${ADA},"chat":{"id":1e99},"beam":0}}`,
};
