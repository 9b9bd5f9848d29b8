import { badRequest } from '../bot-api-error.ts';
import { findWritableChat } from '../chats/find-chat.ts';
import { integer, jsonObject, text } from '../http/params.ts';
import { formatText } from '../messages/read-text.ts';
import type { Call, Method } from './call.ts';
import { send } from './send.ts';

/** Rich messages, and drafts of messages of both forms. */
export const RICH_MESSAGES: Record<string, Method> = {
  sendRichMessage,
  sendMessageDraft,
  sendRichMessageDraft,
};

function sendRichMessage(call: Call): Promise<unknown> {
  return send(call, 'can_send_messages', () => ({ rich_message: readRichMessage(call) }));
}

function sendMessageDraft(call: Call): true {
  const raw = text(call.params, 'text');
  return keepDraft(call, raw === '' ? { text: '' } : formatText(raw, text(call.params, 'parse_mode'), undefined));
}

function sendRichMessageDraft(call: Call): true {
  return keepDraft(call, { rich_message: readRichMessage(call) });
}

/** A draft replaces the one with the same id; the control API shows it. */
function keepDraft(call: Call, draft: object): true {
  const chat = findWritableChat(call);
  if (chat.person === null) throw badRequest('drafts can be sent to private chats only');
  const id = integer(call.params, 'draft_id', 0);
  if (id === 0) throw badRequest('draft identifier must be non-zero');
  const threadId = integer(call.params, 'message_thread_id', 0);
  chat.drafts[id] = { ...draft, ...(threadId > 0 && { message_thread_id: threadId }) };
  call.sim.storage.saveChat(chat);
  return true;
}

/** Blocks as they are given; each paragraph of HTML or Markdown is a block of plain text. */
export function readRichMessage({ params }: Call): { blocks: unknown[] } {
  const given = jsonObject(params, 'rich_message');
  if (given === undefined) throw badRequest("can't parse rich message JSON object");
  if (Array.isArray(given.blocks) && given.blocks.length > 0) return { blocks: given.blocks };
  const written = String(given.html ?? given.markdown ?? '').replaceAll(/<[^>]*>/g, '');
  const paragraphs = written.split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== '');
  if (paragraphs.length === 0) throw badRequest('rich message must be non-empty');
  return { blocks: paragraphs.map((paragraph) => ({ type: 'paragraph', text: paragraph.trim() })) };
}
