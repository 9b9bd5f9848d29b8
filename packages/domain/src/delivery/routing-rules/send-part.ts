import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import type { UploadedFile } from '@flotilla/telegram/uploaded-file.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { Destination } from './destination.ts';
import { fetchFile, missingNote } from './fetch-file.ts';
import { type FormattedText, joinTexts, LONGEST_CAPTION, LONGEST_TEXT, splitText } from './formatted-text.ts';
import type { FilePart, Part } from './message-parts.ts';
import type { RoutingDeps } from './routing-deps.ts';
import { readSendOutcome, type SendOutcome } from './send-outcome.ts';
import { softerParams } from './softer-params.ts';

type SendDeps = Pick<RoutingDeps, 'platform'>;
type Retry = Extract<SendOutcome, { outcome: 'retry' }>;
type Call = { method: string; params: Fields; files: UploadedFile[]; sourceIds: number[] };

/** Lets the target bot send one part. The source bot fetches the files, unless both are the same. Never throws. */
export async function sendPart(deps: SendDeps, source: Bot, to: Destination, part: Part): Promise<SendOutcome> {
  const call = await prepare(deps, source, to, part);
  if ('outcome' in call) return call;
  return carryOut(deps, to, call);
}

async function carryOut({ platform }: SendDeps, to: Destination, call: Call): Promise<SendOutcome> {
  const { method, files } = call;
  const params = { ...addressOf(to), ...call.params };
  const answer =
    files.length === 0
      ? await platform.call(to.target.token, method, params)
      : await platform.upload(to.target.token, method, params, files);
  const outcome = readSendOutcome(answer, { ...call, params });
  if (outcome.outcome !== 'refused' || files.length > 0) return outcome;
  const softer = softerParams(method, call.params, outcome.reason);
  return softer === null ? outcome : carryOut({ platform }, to, { ...call, params: softer });
}

function addressOf(to: Destination): Fields {
  return {
    chat_id: to.chatId,
    ...(to.businessConnectionId === '' ? {} : { business_connection_id: to.businessConnectionId }),
    ...(to.replyTo === null ? {} : { reply_parameters: { message_id: to.replyTo, allow_sending_without_reply: true } }),
  };
}

function prepare(deps: SendDeps, source: Bot, to: Destination, part: Part): Promise<Call | Retry> | Call {
  switch (part.type) {
    case 'call':
      return { method: part.method, params: part.params, files: [], sourceIds: [part.sourceId] };
    case 'file':
      return prepareFile(deps, source, to, part);
    case 'album':
      return prepareAlbum(deps, source, to, part.members);
  }
}

async function prepareFile(
  deps: SendDeps,
  source: Bot,
  to: Destination,
  part: Extract<Part, { type: 'file' }>,
): Promise<Call | Retry> {
  const { method, field, sourceId } = part;
  const params = { ...part.params, ...captionParams(part.caption) };
  const sourceIds = [sourceId];
  if (to.target.id === source.id)
    return { method, params: { ...params, [field]: part.file.file_id }, files: [], sourceIds };
  const fetched = await fetchFile(deps, source, part.file, field);
  if (fetched.outcome === 'retry') return { ...fetched, neverSent: true };
  if (fetched.outcome === 'fetched') return { method, params, files: [fetched.file], sourceIds };
  const { protect_content } = part.params;
  return textInstead(part.caption, [missingNote(part.file, fetched.reason)], { protect_content, sourceIds });
}

async function prepareAlbum(deps: SendDeps, source: Bot, to: Destination, members: FilePart[]): Promise<Call | Retry> {
  const media: Fields[] = [];
  const files: UploadedFile[] = [];
  const notes: string[] = [];
  const sourceIds: number[] = [];
  for (const [at, member] of members.entries()) {
    const { file, field } = member;
    let reference = file.file_id;
    if (to.target.id !== source.id) {
      const fetched = await fetchFile(deps, source, file, `file${at}`);
      if (fetched.outcome === 'retry') {
        for (const opened of files) opened.stream.destroy();
        return { ...fetched, neverSent: true };
      }
      if (fetched.outcome === 'missing') {
        notes.push([member.caption?.text ?? '', missingNote(file, fetched.reason)].filter(Boolean).join('\n'));
        continue;
      }
      files.push(fetched.file);
      reference = `attach://file${at}`;
    }
    sourceIds.push(member.sourceId);
    const { protect_content: _, ...params } = member.params;
    media.push({ type: field, media: reference, ...params, ...captionParams(member.caption) });
  }
  const { protect_content } = members[0]?.params ?? {};
  const [first, ...others] = media;
  if (first === undefined) {
    return textInstead(null, notes, {
      protect_content,
      sourceIds: members.slice(0, 1).map(({ sourceId }) => sourceId),
    });
  }
  const noted = notes.length === 0 ? first : { ...first, ...withNotes(first, notes) };
  if (others.length === 0) return single(noted, files, { protect_content, sourceIds });
  return { method: 'sendMediaGroup', params: { media: [noted, ...others], protect_content }, files, sourceIds };
}

/** The only member of an album that could be fetched is sent alone, because a media group needs at least two. */
function single(
  { type, media, ...params }: Fields,
  files: UploadedFile[],
  { protect_content, sourceIds }: { protect_content: unknown; sourceIds: number[] },
): Call {
  const field = String(type);
  const method = `send${field[0]?.toUpperCase()}${field.slice(1)}`;
  const named = files.map((file) => ({ ...file, field }));
  return {
    method,
    params: { ...params, protect_content, ...(files.length === 0 ? { [field]: media } : {}) },
    files: named,
    sourceIds,
  };
}

function textInstead(
  caption: FormattedText | null,
  notes: string[],
  { protect_content, sourceIds }: { protect_content: unknown; sourceIds: number[] },
): Call {
  const { text, entities } = appended(caption ?? { text: '', entities: [] }, notes, LONGEST_TEXT);
  return { method: 'sendMessage', params: { text, entities, protect_content }, files: [], sourceIds };
}

function withNotes(media: Fields, notes: string[]): Fields {
  const caption = { text: String(media.caption ?? ''), entities: (media.caption_entities ?? []) as Fields[] };
  return captionParams(appended(caption, notes, LONGEST_CAPTION));
}

function appended(text: FormattedText, notes: string[], limit: number): FormattedText {
  const break_ = text.text === '' || text.text.endsWith('\n') ? '' : '\n';
  const whole = joinTexts(text, { text: break_ + notes.join('\n'), entities: [] });
  return splitText(whole, limit)[0] ?? whole;
}

function captionParams(caption: FormattedText | null): Fields {
  if (caption === null || caption.text === '') return {};
  const { text, entities } = caption;
  return { caption: text, ...(entities.length === 0 ? {} : { caption_entities: entities }) };
}
