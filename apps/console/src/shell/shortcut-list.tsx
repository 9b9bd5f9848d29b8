import type { ReactNode } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { useWords } from '../words/words.tsx';

export function ShortcutList({ close }: { close: () => void }): ReactNode {
  const { shortcuts: words } = useWords();
  const rows: [string[], string][] = [
    [['Ctrl', 'K'], words.palette],
    [['g', 'f'], words.fleet],
    [['/'], words.filter],
    [['j', 'k'], words.rows],
    [['Enter'], words.enter],
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
