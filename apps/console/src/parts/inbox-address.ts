/** The search of the address of a conversation in the inbox, or of a message there. */
export function searchOf({ connection, around }: { connection?: string | undefined; around?: number | undefined }) {
  return {
    ...(connection === undefined ? {} : { connection }),
    ...(around === undefined ? {} : { around: String(around) }),
  };
}
