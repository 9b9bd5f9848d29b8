import type { TagResource } from '@flotilla/contract/resources/tag.ts';
import type { Caller } from '@flotilla/domain/accounts/caller.ts';
import { tagStore } from '@flotilla/domain/tags/tag-store.ts';
import type { Context } from '../../context.ts';
import { cutPage, decodeCursor, MAX_ROWS, type Page } from '../../http/page.ts';
import { requireBotOfChat } from '../chats/require-bot-of-chat.ts';
import { presentTag } from './present-tag.ts';

interface TagsInput {
  bot_id?: number | undefined;
  chat_id: number;
  user_id?: number;
  limit?: number | undefined;
  offset: number;
  before?: string | undefined;
}

/** A page of the tags of a chat, or of one user in it. */
export async function pageOfTags(context: Context, caller: Caller, input: TagsInput): Promise<Page<TagResource>> {
  const { limit = MAX_ROWS, offset } = input;
  const [afterId = null] = decodeCursor(input.before, ['number']) ?? [];
  const bot = await requireBotOfChat(context, caller, input);
  const query = { botId: bot.id, chatId: input.chat_id, userId: input.user_id };
  const tags = tagStore(context.db);
  const [rows, total] = await Promise.all([tags.list(query, { limit: limit + 1, offset, afterId }), tags.count(query)]);
  return cutPage(rows.map(presentTag), limit, total, (tag) => [tag.id]);
}
