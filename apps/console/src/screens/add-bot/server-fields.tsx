import type { PlatformEnvironment } from '@flotilla/contract/upstreams.ts';
import type { ReactNode } from 'react';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { useInstallation } from '../../parts/use-installation.ts';
import { useAddBotWords } from './add-bot-words.ts';

/** Where a bot is, as operations take it. */
export type ServerChoice = { upstream: string; environment: PlatformEnvironment };

export const PLAIN_SERVER: ServerChoice = { upstream: 'default', environment: 'production' };

const ENVIRONMENTS = ['production', 'test'] as const;

type ServerFieldsProps = { server: ServerChoice; choose: (server: ServerChoice) => void };

/** Which Bot API server the bot is at, where there are several. */
export function ServerFields({ server, choose }: ServerFieldsProps): ReactNode {
  const words = useAddBotWords();
  const { upstreams } = useInstallation();
  const named = upstreams.filter(({ url }) => url !== '');
  if (named.length < 2) return null;
  return (
    <>
      <ChoiceField
        label={words.server}
        options={named.map(({ name, url }) => [name, name, url] as const)}
        value={server.upstream}
        choose={(upstream) => choose({ ...server, upstream })}
      />
      <ChoiceField
        label={words.environment}
        options={ENVIRONMENTS.map((one) => [one, words.environments[one], words.environmentHints[one]] as const)}
        value={server.environment}
        choose={(environment) => choose({ ...server, environment })}
      />
    </>
  );
}
