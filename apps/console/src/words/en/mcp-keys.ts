import { plurals } from '../plural.ts';

const plural = plurals('en');

/** Keys of agents, and how their clients are set. */
export const mcpKeys = {
  purpose: 'Purpose',
  purposes: {
    rest: 'A program that calls the REST API',
    read: 'An agent (MCP) that only reads',
    write: 'An agent (MCP) that reads and writes',
  },
  purposeHints: {
    rest: 'With the rights of the account, or with fewer.',
    read: 'Reads and searches the messages of the chats that you choose, finds the people in them, and waits for new messages. REST refuses such a key.',
    write:
      'Also sends and edits messages there, asks people questions with buttons, takes chats over, and redelivers failed deliveries.',
  },
  chats: 'Chats',
  addChat: 'Add chat',
  addChatHint: 'The agent sees no other chats. Chats cannot be added to a key later.',
  noChat: 'Choose at least one chat; the agent sees only these.',
  may: { read: 'Reads', write: 'Reads and writes' },
  noChats: 'no chat',
  chatCount: (n: number) => plural(n, { one: '{n} chat', other: '{n} chats' }),
  clients: 'Client setup',
  url: 'URL',
  header: 'Header',
  json: 'Clients configured by JSON',
  copyLine: (name: string) => `Copy: ${name}`,
};
