import type { ReactNode } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { useSession } from '../session.tsx';
import { useWords } from '../words/words.tsx';
import { screensOf } from './screens.ts';

export function ShortcutList({ close }: { close: () => void }): ReactNode {
  const { shortcuts: words, nav, live } = useWords();
  const screens = screensOf(useSession().account);
  const rows: [string[], string][] = [
    [['Ctrl', 'K'], words.palette],
    ...screens.map(({ key, name }): [string[], string] => [['g', key], words.goTo(nav[name])]),
    [['/'], words.filter],
    [['j', 'k'], words.rows],
    [['Enter'], words.enter],
    [['x'], words.select],
    [['r'], words.again],
    [['[', ']'], words.tabs],
    [['p'], live.pauseKey],
    [['J', 'K'], words.nextChat],
    [['t'], words.takeOver],
    [['m'], words.mine],
    [['e'], words.resolve],
    [['n'], words.note],
    [['q'], words.quickReply],
    [['Ctrl', 'S'], words.save],
    [['Esc'], words.back],
    [['?'], words.list],
  ];
  return (
    <Dialog title={words.title} close={close} className="narrow">
      <dl className="shortcuts">
        {rows.map(([keys, meaning]) => (
          <div key={meaning}>
            <dt>{meaning}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
