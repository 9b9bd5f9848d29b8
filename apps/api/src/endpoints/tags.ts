import { OK } from '@flotilla/contract/fields.ts';
import { answerOf } from '@flotilla/contract/resource.ts';
import { type Tag, type TagResource, type tagOperations, tagResource } from '@flotilla/contract/tags.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { addTag } from '@flotilla/domain/records/tags/add-tag.ts';
import { removeTag } from '@flotilla/domain/records/tags/remove-tag.ts';
import { tagStore } from '@flotilla/domain/records/tags/tag-store.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../context.ts';
import { cutPage, decodeCursor, type Page } from '../http/page.ts';
import { requireBotOfChat, requireManagedBot } from '../operations/bot-of-call.ts';
import type { Call, Handlers } from '../operations/handler.ts';

export const tagHandlers: Handlers<typeof tagOperations> = {
  async listTags(context, { input, caller }) {
    return pageOfTags(context, caller, input);
  },

  async listTagsOfUser(context, { input, caller }) {
    return pageOfTags(context, caller, input);
  },

  async addTag(context, { input, by }) {
    requireManagedBot(context, input.bot_id);
    return presentTag(await addTag(context, by, input));
  },

  removeTag: {
    findBots: findBotsOfTag,
    async handle(context, { input, by }) {
      const [botId] = await findBotsOfTag(context, input.id);
      if (botId === undefined) throw new FlotillaError('not_found', 'Tag not found');
      requireManagedBot(context, botId);
      await removeTag(context, by, input.id);
      return OK;
    },
  },
};

type ListInput = Call<typeof tagOperations.listTags.input>['input'] & { user_id?: number };

/** A page of the tags of a chat, or of one user in it. */
async function pageOfTags(context: Context, caller: Caller, input: ListInput): Promise<Page<TagResource>> {
  const { limit, offset } = input;
  const [afterId = null] = decodeCursor(input.before, ['id']) ?? [];
  const bot = await requireBotOfChat(context, caller, input);
  const query = { bot_id: bot.id, chat_id: input.chat_id, user_id: input.user_id };
  const tags = tagStore(context.db);
  const [rows, total] = await Promise.all([tags.list(query, { limit: limit + 1, offset, afterId }), tags.count(query)]);
  return cutPage(rows.map(presentTag), limit, total, (tag) => [tag.id]);
}

async function findBotsOfTag({ db }: Context, id: number): Promise<number[]> {
  const botId = await tagStore(db).botOf(id);
  return botId === null ? [] : [botId];
}

export const presentTag = (tag: Tag): TagResource => answerOf(tagResource, tag);
