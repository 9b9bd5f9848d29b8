/** The limits that answers show to those whom they limit, each by the name that the headers give it. */
export const RATE_LIMITS = {
  'sign-in-failures': 'Failed sign-ins of an address, and wrong passwords and codes of whoever is signed in.',
  'sign-ins': 'Sign-ins of an address, whatever becomes of them.',
  'program-second': 'Calls of the token of a program in a second, through the proxy, too.',
  'program-minute': 'The same in a minute.',
  searches: 'Searches of an account that run at once in one process.',
  uploads: 'Files of an account that one process sends to the platform at once.',
  'live-streams': 'Live streams of an account that are open at once in one process.',
  'mcp-requests': 'Requests of a key to MCP that run at once in one process.',
  'mcp-writes': 'Uses of tools of MCP that write, of one key.',
} as const;

export type RateLimitName = keyof typeof RATE_LIMITS;
