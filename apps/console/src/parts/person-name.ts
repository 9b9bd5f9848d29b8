/** The names that the api has of a person or a channel. */
type Named = { username?: string | undefined; first_name?: string | undefined; last_name?: string | undefined };

/** The full name, else the username, else ''. */
export function nameOf({ first_name: first, last_name: last, username }: Named): string {
  return [first, last].filter(Boolean).join(' ') || (username ? `@${username}` : '');
}

/** The name of a person, else the id. */
export function personName(person: Named & { id?: number | undefined; user_id?: number | undefined }): string {
  return nameOf(person) || `#${person.id ?? person.user_id ?? '?'}`;
}
