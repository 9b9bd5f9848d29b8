import type { Chat } from '../chats/chat.ts';
import { mediaOf } from '../files/show-media.ts';
import type { Simulator } from '../simulator.ts';
import { ControlError } from './control-error.ts';
import { botOf } from './lookups.ts';

export type ShownMessage = Record<string, unknown> & { message_id: number; date: number; text?: string };
export type ShownChat = {
  id: number;
  type: string;
  title: string;
  messages: (ShownMessage & { file?: { name: string; size: number; sha256: string; fileId: string } })[];
  pinned: number[];
  members: { id: number; status: string }[];
  actions: { userId: number; action: string; atMs: number }[];
};

/** What a chat shows; a private one is named by its bot and person, others by their id. */
export function readChat(sim: Simulator, input: { chat: number; bot?: number }): ShownChat {
  const chat = sim.chats.get(input.bot === undefined ? String(input.chat) : `${input.bot}:${input.chat}`);
  const found = chat ?? sim.chats.get(String(input.chat));
  if (found === undefined) throw new ControlError(`there is no chat ${input.chat}`);
  return showWhole(sim, found);
}

function showWhole(sim: Simulator, chat: Chat): ShownChat {
  return {
    id: chat.id,
    type: chat.type,
    title: chat.title,
    messages: [...chat.messages.values()].map((message) => {
      const media = mediaOf(message);
      const file = media === null ? undefined : sim.files.get(media.fileId);
      if (file === undefined) return message;
      const { name, sha256, fileId, bytes } = file;
      return { ...message, file: { name, size: bytes.length, sha256, fileId } };
    }),
    pinned: chat.pinned,
    members: [...chat.members.values()].map(({ user, status }) => ({ id: user.id, status })),
    actions: chat.actions,
  };
}

/** Whether a pressed button or an inline query was answered, and with what. */
export function readQuery(
  sim: Simulator,
  input: { queryId: string },
): { answered: boolean; answer: Record<string, string> | null } {
  const query = sim.queries.get(input.queryId);
  if (query === undefined) throw new ControlError(`there is no query ${input.queryId}`);
  return { answered: query.answer !== null, answer: query.answer };
}

/** A bot's commands, by scope and language. */
export function readCommands(sim: Simulator, input: { bot: number }): Record<string, unknown> {
  return Object.fromEntries(botOf(sim, input.bot).commands);
}
