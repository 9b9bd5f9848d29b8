import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import { type FormattedText, joinTexts, LONGEST_CAPTION, LONGEST_TEXT, splitText } from './formatted-text.ts';
import { type MessageContent, readContent, type SourceFile } from './message-content.ts';

/** One member of an album, or a message with a file. */
export type FilePart = {
  /** The parameter that names the file; in an album the member's type. */
  field: string;
  file: SourceFile;
  params: Fields;
  caption: FormattedText | null;
  /** The message from which it is made. */
  sourceId: number;
};

/** The content of one call. Parts are sent in order, and each is recorded as soon as it was sent. */
export type Part =
  | { type: 'call'; method: string; params: Fields; sourceId: number }
  | ({ type: 'file'; method: string } & FilePart)
  | { type: 'album'; members: FilePart[] };

type MediaContent = Extract<MessageContent, { type: 'media' }>;

const GROUPED = ['photo', 'video', 'audio', 'document'];

/**
 * The parts to send so that a chat shows these messages (one, or the members of an album), below the source line if
 * there is one. Empty for messages without content.
 */
export function messageParts(messages: Fields[], line: FormattedText | null): Part[] {
  const members = messages.flatMap((message) => {
    const content = readContent(message);
    return content?.type === 'media' && GROUPED.includes(content.field) ? [{ content, sourceId: idOf(message) }] : [];
  });
  if (members.length > 1 && members.length === messages.length) return albumParts(members, line);
  return messages.flatMap((message, at) => {
    const content = readContent(message);
    return content === null ? [] : contentParts(content, idOf(message), at === 0 ? line : null);
  });
}

function contentParts(content: MessageContent, sourceId: number, line: FormattedText | null): Part[] {
  if (content.type === 'text') {
    return textParts(under(line, content.text), sourceId, content.params);
  }
  if (content.type === 'media' && content.caption !== null) {
    const { first, rest } = captionPieces(under(line, content.caption));
    return [
      { type: 'file', method: content.method, ...filePart(content, sourceId, first) },
      ...textParts(rest, sourceId),
    ];
  }
  const above = line === null ? [] : textParts(under(line, NOTHING), sourceId);
  if (content.type === 'other') {
    return [...above, { type: 'call', method: content.method, params: content.params, sourceId }];
  }
  return [...above, { type: 'file', method: content.method, ...filePart(content, sourceId, null) }];
}

function albumParts(members: { content: MediaContent; sourceId: number }[], line: FormattedText | null): Part[] {
  const [first] = members;
  const lineFits = line !== null && line.text.length + (first?.content.caption?.text.length ?? 0) <= LONGEST_CAPTION;
  const captioned = members.map(({ content, sourceId }, at) => {
    const caption = content.caption ?? NOTHING;
    const { first: own, rest } = captionPieces(at === 0 && lineFits ? under(line, caption) : caption);
    return { part: filePart(content, sourceId, own), rest: textParts(rest, sourceId) };
  });
  const above = line !== null && !lineFits ? textParts(under(line, NOTHING), first?.sourceId ?? 0) : [];
  const album: Part = { type: 'album', members: captioned.map(({ part }) => part) };
  return [...above, album, ...captioned.flatMap(({ rest }) => rest)];
}

function filePart(content: MediaContent, sourceId: number, caption: FormattedText | null): FilePart {
  const { field, file, params } = content;
  return { field, file, params, caption, sourceId };
}

const NOTHING: FormattedText = { text: '', entities: [] };

/** The part of a caption that fits under a medium, and the rest, which follows as a text. */
function captionPieces(caption: FormattedText): { first: FormattedText; rest: FormattedText } {
  if (caption.text.length <= LONGEST_CAPTION) return { first: caption, rest: NOTHING };
  const [first = NOTHING, ...others] = splitText(caption, LONGEST_CAPTION);
  return { first, rest: others.reduce(joinTexts, NOTHING) };
}

function textParts(whole: FormattedText, sourceId: number, params: Fields = {}): Part[] {
  return splitText(whole, LONGEST_TEXT).map(({ text, entities }) => ({
    type: 'call',
    method: 'sendMessage',
    params: { text, ...(entities.length === 0 ? {} : { entities }), ...params },
    sourceId,
  }));
}

function under(line: FormattedText | null, text: FormattedText): FormattedText {
  if (line === null) return text;
  return text.text === '' ? { ...line, text: line.text.trimEnd() } : joinTexts(line, text);
}

function idOf(message: Fields): number {
  return Number(message.message_id);
}
