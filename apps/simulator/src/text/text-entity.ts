/** A Bot API MessageEntity; offset and length count UTF-16 units, as JavaScript strings do. */
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

/** Sorts as the platform does: by offset, then the longer first; drops empty entities. */
export function sortEntities(entities: TextEntity[]): TextEntity[] {
  return entities.filter((entity) => entity.length > 0).sort((a, b) => a.offset - b.offset || b.length - a.length);
}

/** Trims white space around the text and shifts the entities accordingly. */
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
