import type { ReactNode } from 'react';
import { useInstallation } from '../../parts/use-installation.ts';
import { useAddBotWords } from './add-bot-words.ts';
import { Line } from './line.tsx';

/** In a sandbox: how to make a bot on the simulated platform. */
export function SandboxToken(): ReactNode {
  const words = useAddBotWords().sandbox;
  const { sandbox_url, platformUrl } = useInstallation();
  if (sandbox_url === undefined) return null;
  const made = JSON.stringify({ name: words.name });
  const line = `curl -s ${platformUrl}/control/createBot -H 'Content-Type: application/json' -d '${made}'`;
  return (
    <div className="sandbox-token">
      <p>{words.token}</p>
      <ul className="lines">
        <Line name={words.make} text={line} copyName={words.copy} />
      </ul>
    </div>
  );
}
