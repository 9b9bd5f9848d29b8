import type { TagResource } from '@flotilla/contract/resources/tag.ts';
import type { Tag } from '@flotilla/domain/tags/tag-store.ts';
import { withoutNulls } from '../without-nulls.ts';

export function presentTag(tag: Tag): TagResource {
  return {
    id: tag.id,
    chat_id: tag.chat_id,
    user_id: tag.user_id,
    ...withoutNulls({ username: tag.username }),
    tag: tag.tag,
    color: tag.color,
    created_at: tag.created_at.toISOString(),
  };
}
