/** Acts on somebody in a chat; `target_id` is the user. With an index of their own. */
export const ACTIONS_ON_PEOPLE = [
  ...['ban', 'unban', 'restrict', 'promote', 'demote', 'title', 'member_tag', 'approve', 'decline'],
  ...['tag_add', 'tag_remove'],
] as const;

/** The actions that tell what is pinned in a chat. With an index of their own. */
export const PIN_ACTIONS = ['pin', 'unpin', 'unpin_all'] as const;
