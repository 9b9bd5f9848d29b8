type Named = { username?: string | undefined; first_name?: string | undefined; last_name?: string | undefined };

/** The name of a person or a bot, as well as it is known. */
export function nameOf({ first_name, last_name, username }: Named): string {
  return [first_name, last_name].filter(Boolean).join(' ') || (username ? `@${username}` : '');
}
