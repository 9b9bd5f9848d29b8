import { mcpKeys as en } from '../../words/en/mcp-keys.ts';
import { useWordsOf } from '../../words/of-screen.ts';
import { mcpKeys as ru } from '../../words/ru/mcp-keys.ts';

export function useMcpWords(): typeof en {
  return useWordsOf({ en, ru });
}
