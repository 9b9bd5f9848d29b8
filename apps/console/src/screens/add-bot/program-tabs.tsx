import { Tabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import { useApiRoot } from '../../parts/use-api-root.ts';
import { usePreferences } from '../../preferences.tsx';
import { useAddBotWords } from './add-bot-words.ts';
import { linesOf } from './libraries.ts';
import { Line } from './line.tsx';
import { ProgramSteps } from './program-steps.tsx';
import { PROGRAMS } from './programs/programs.ts';
import './program-tabs.css';

const OTHER = 'other';

type ProgramTabsProps = {
  /** False: only what names the API root is shown, because these programs poll, and the first call of some removes a webhook. */
  polls: boolean;
  /** The token that its holder has just typed or made. It is copied, and never shown here. */
  token?: string | undefined;
};

/** A program for each library, and where the API root of this installation stands in it. The chosen one is remembered. */
export function ProgramTabs({ polls, token }: ProgramTabsProps): ReactNode {
  const words = useAddBotWords();
  const root = useApiRoot();
  const { program, choose } = usePreferences();
  if (root === undefined) return null;
  const chosen = [...PROGRAMS.map(({ id }) => id), OTHER].find((id) => id === program) ?? PROGRAMS[0]!.id;
  return (
    <Tabs.Root className="program-tabs" value={chosen} onValueChange={(id) => choose({ program: String(id) })}>
      <Tabs.List activateOnFocus className="program-names" aria-label={words.programs}>
        {PROGRAMS.map(({ id, name }) => (
          <Tabs.Tab key={id} value={id}>
            {name}
          </Tabs.Tab>
        ))}
        <Tabs.Tab value={OTHER}>{words.other}</Tabs.Tab>
      </Tabs.List>
      {PROGRAMS.map((one) => (
        <Tabs.Panel key={one.id} value={one.id}>
          <ProgramSteps steps={one.steps(root)} root={root} whole={polls} token={token} />
        </Tabs.Panel>
      ))}
      <Tabs.Panel value={OTHER}>
        <p className="muted">{words.otherHint}</p>
        <ul className="lines">
          {[[words.apiRoot, root] as const, ...linesOf(root)].map(([name, text]) => (
            <Line key={name} name={name} text={text} copyName={words.copyLine(name)} />
          ))}
        </ul>
      </Tabs.Panel>
    </Tabs.Root>
  );
}
