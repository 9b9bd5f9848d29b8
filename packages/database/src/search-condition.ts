import { type RawBuilder, sql } from 'kysely';

/**
 * The condition on `messages.search` for the messages of one chat that have all the words of `q`, the last one as a
 * prefix. Null when `q` has no letter or digit. Words are folded and cut by the same SQL function as the column.
 */
export function searchCondition(chat: { botId: number; chatId: number }, q: string): RawBuilder<boolean> | null {
  const words = q.split(/[\s\p{Cc}]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (words.length === 0) return null;
  const conditions = words.map((word, position) => {
    const phrase = sql`phraseto_tsquery('simple', flotilla_search_text(${word}))`;
    // A word may fold to nothing; ':*' alone would be a syntax error.
    return position < words.length - 1
      ? phrase
      : sql`case when numnode(${phrase}) = 0 then ''::tsquery else (${phrase}::text || ':*')::tsquery end`;
  });
  const wanted = sql`(${sql.join(conditions, sql` && `)})`;
  const chatLexeme = `'chat:${chat.botId}:${chat.chatId}'`;
  // When every word folds to nothing, the chat alone would be left: all its messages.
  return sql<boolean>`(search @@ (${chatLexeme}::tsquery && ${wanted}) and numnode(${wanted}) > 0)`;
}
