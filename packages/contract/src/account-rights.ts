/** The rights that a user may have beside the role: a closed list. An admin may all of it. */
export const ACCOUNT_RIGHTS = ['broadcast'] as const;
export type AccountRight = (typeof ACCOUNT_RIGHTS)[number];
