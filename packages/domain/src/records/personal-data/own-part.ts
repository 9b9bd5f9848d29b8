type Row = Record<string, unknown>;

/** Of JSON by the platform: what is about a person, or written by them. Other people that it names are left out. */
function ownPart(value: unknown, userId: number): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const isOwn = isAbout(value as Row, userId);
  const kept = Object.entries(value).flatMap(([key, each]) => {
    const part = typeof each === 'object' ? ownPart(each, userId) : isOwn ? each : undefined;
    return part === undefined ? [] : [[key, part] as const];
  });
  if (kept.length === 0) return undefined;
  return Array.isArray(value) ? kept.map(([, part]) => part) : Object.fromEntries(kept);
}

function isAbout({ id, user_id, user_chat_id, from, user, chat }: Row, userId: number): boolean {
  return [id, user_id, user_chat_id, idOf(from), idOf(user), idOf(chat)].includes(userId);
}

function idOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (value as Row).id : undefined;
}

/** A dead letter of a group without what others wrote, and without what a backend answered. */
export function ownLetter(row: Row, userId: number): Row {
  if (row.chat_id === userId) return row;
  const { payload, response_excerpt: _, ...others } = row;
  return { ...others, payload: JSON.stringify(ownPart(JSON.parse(String(payload)), userId) ?? {}) };
}

export function ownQuestion(row: Row, userId: number): Row {
  const { answered_by, answered_by_name, allowed_user_ids, ...others } = row;
  return {
    ...others,
    ...(answered_by === userId ? { answered_by, answered_by_name } : {}),
    ...(Array.isArray(allowed_user_ids) ? { allowed_user_ids: onlyOwn(allowed_user_ids, userId) } : {}),
  };
}

export function ownAudience(row: Row, userId: number): Row {
  const audience = row.audience as { chat_ids: unknown[] };
  return { ...row, audience: { ...audience, chat_ids: onlyOwn(audience.chat_ids, userId) } };
}

/** Without the ids of people of the team, and without the copy of the text that is looked through. */
export function ownNote({ unread_by: _, mentions: _mentions, search_text: _text, ...row }: Row): Row {
  return row;
}

/** The other end may be the private chat of somebody else. */
export function ownLink(row: Row, userId: number): Row {
  const isOther = ([column, value]: [string, unknown]) => column.endsWith('_chat_id') && value !== userId;
  return Object.fromEntries(Object.entries(row).filter((each) => !isOther(each)));
}

function onlyOwn(ids: readonly unknown[], userId: number): unknown[] {
  return ids.filter((id) => id === userId);
}
