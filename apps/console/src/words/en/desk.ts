import { plurals } from '../plural.ts';

const plural = plurals('en');

export const desk = {
  title: 'Who answers here',
  takeOver: 'Take over',
  longer: 'For longer',
  times: { 30: '30 minutes', 60: '1 hour', 240: '4 hours', 1440: '24 hours' },
  heldByYou: 'You have taken over. The bot answers again',
  heldBy: (who: string) => `Taken over by \u2068${who}\u2069. The bot answers again`,
  byRule: (id: string) => `rule ${id}`,
  byOwner: 'the owner of the account',
  giveBack: 'Give back to the bot',
  deliver: (n: number) =>
    plural(n, { one: 'Give back with {n} missed update', other: 'Give back with {n} missed updates' }),
  deliverHint: 'The bot gets what it missed, in order, before anything newer.',
  assigned: (name: string) => `Assigned to ${name}`,
  assign: 'Assign',
  nobody: 'Nobody',
  done: 'Finish',
  doneHint: 'The next message of a person opens the chat again.',
  reopen: 'Open again',
  isDone: 'Done',

  replies: 'Saved replies',
  manage: 'Manage replies…',
  insert: 'Insert',
  noReplies: 'There are no saved replies yet.',
  noMatch: 'No reply matches.',
  add: 'Add a reply',
  edit: 'Edit a reply',
  change: 'Edit',
  remove: 'Delete',
  removeTitle: 'Delete the reply?',
  name: 'Name',
  nameHint: 'By which it is found: type / in an empty message.',
  text: 'Text',
  textHint: '{first_name} and {username} become those of the person.',
  format: 'Format',
  bots: 'For the chats of',
  ofBot: 'For the chats of this bot.',
  save: 'Save',
};
