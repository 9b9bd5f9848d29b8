import type { ReactNode } from 'react';
import { Line } from '../add-bot/line.tsx';
import { useMcpWords } from './mcp-words.ts';

/** The settings with which a client of MCP uses a key; see docs/recipes/mcp-clients.md. */
export function McpClients({ apiKey }: { apiKey: string }): ReactNode {
  const words = useMcpWords();
  const url = `${window.location.origin}/mcp`;
  const header = `Authorization: Bearer ${apiKey}`;
  const server = { type: 'http', url, headers: { Authorization: `Bearer ${apiKey}` } };
  const lines = [
    ['Claude Code', `claude mcp add --transport http flotilla ${url} --header "${header}"`],
    [words.json, JSON.stringify({ mcpServers: { flotilla: server } })],
    [
      'MCP Inspector 2',
      `npx @modelcontextprotocol/inspector --cli --server-url ${url} --transport http --header "${header}" --method tools/list`,
    ],
    [words.url, url],
    [words.header, header],
  ] as const;
  return (
    <section aria-labelledby="mcp-clients">
      <h3 id="mcp-clients">{words.clients}</h3>
      <ul className="lines">
        {lines.map(([name, text]) => (
          <Line key={name} name={name} text={text} copyName={words.copyLine(name)} />
        ))}
      </ul>
    </section>
  );
}
