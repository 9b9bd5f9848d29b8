// Parts that the samples share, as JSON text. All data is invented.

export const ADA =
  '{"id":700100200,"is_bot":false,"first_name":"Ada","last_name":"Keel","username":"ada_keel","language_code":"en"}';
export const BEN = '{"id":700100201,"is_bot":false,"first_name":"Ben \\u2693","language_code":"de"}';
export const BOT = '{"id":5550001111,"is_bot":true,"first_name":"Harbour Bot","username":"harbour_sample_bot"}';
export const ANONYMOUS = '{"id":1087968824,"is_bot":true,"first_name":"Group","username":"GroupAnonymousBot"}';
export const PRIVATE = '{"id":700100200,"first_name":"Ada","last_name":"Keel","username":"ada_keel","type":"private"}';
export const GROUP = '{"id":-4100200300,"title":"Night shift","type":"group","all_members_are_administrators":true}';
export const SUPERGROUP = '{"id":-1002100200300,"title":"Quay 7","username":"quay_seven","type":"supergroup"}';
export const FORUM = '{"id":-1002100200301,"title":"Dry dock","is_forum":true,"type":"supergroup"}';
export const CHANNEL = '{"id":-1002100200302,"title":"Tide tables","username":"tide_tables","type":"channel"}';

const DATE = 1_790_000_000;
/** The start of a Message, without its closing brace. */
export function messageIn(chat: string, id: number, from: string = ADA): string {
  return `{"message_id":${id},"from":${from},"chat":${chat},"date":${DATE + id}`;
}

/** The start of a channel post: it has sender_chat and no author. */
export function postIn(chat: string, id: number): string {
  return `{"message_id":${id},"sender_chat":${chat},"chat":${chat},"date":${DATE + id}`;
}

/** A PhotoSize. */
export function photoSize(fileId: string, width: number, height: number): string {
  return `{"file_id":"${fileId}","file_unique_id":"u${fileId}","file_size":${width * 30},"width":${width},"height":${height}}`;
}

/** A file of any kind; `extra` adds the fields of its kind. */
export function file(fileId: string, extra = ''): string {
  return `{${extra}"file_id":"${fileId}","file_unique_id":"u${fileId}","file_size":20480}`;
}
