/** The names that the api has of a person or a channel. */
type Named = {
  username?: string | undefined;
  first_name?: string | undefined;
  last_name?: string | undefined;
  id?: number | undefined;
  user_id?: number | undefined;
};

/** What people call somebody: the full name, else the username, else the id. */
export function personName({ first_name: first, last_name: last, username, id, user_id: userId }: Named): string {
  const name = [first, last].filter(Boolean).join(' ');
  return name || (username ? `@${username}` : `#${id ?? userId ?? '?'}`);
}
