/** A Bot API MessageEntity; offsets and lengths in UTF-16 units, which are JavaScript's. */
export type TextEntity = {
  type: string;
  offset: number;
  length: number;
  url?: string;
  user?: { id: number };
  language?: string;
  custom_emoji_id?: string;
};

export type FormattedText = { text: string; entities: TextEntity[] };

/** Orders as the platform does: by offset, the longer first. */
export function sortEntities(entities: TextEntity[]): TextEntity[] {
  return entities.filter((entity) => entity.length > 0).sort((a, b) => a.offset - b.offset || b.length - a.length);
}

/** Drops white space around the text and moves the entities along. */
export function trimFormatted({ text, entities }: FormattedText): FormattedText {
  const start = text.length - text.trimStart().length;
  const trimmed = text.trim();
  const moved = entities.map((entity) => {
    const from = Math.max(0, entity.offset - start);
    const to = Math.min(trimmed.length, entity.offset - start + entity.length);
    return { ...entity, offset: from, length: to - from };
  });
  return { text: trimmed, entities: sortEntities(moved) };
}
