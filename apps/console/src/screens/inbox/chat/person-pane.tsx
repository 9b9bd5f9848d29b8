import { type ReactNode, useState } from 'react';
import { Inspector } from '../../../parts/inspector.tsx';
import { useMedia } from '../../../parts/media.ts';
import { useWords } from '../../../words/words.tsx';
import { PersonPanel } from '../person/person-panel.tsx';
import type { ChatId } from './use-window.ts';

const WIDE = '(min-width: 80rem)';

/** Who is shown beside the chat: where there is room, the person of a private chat; elsewhere whoever was chosen. */
export function usePerson({ chat_id }: ChatId) {
  const isWide = useMedia(WIDE);
  const [chosen, setChosen] = useState<number | null>(null);
  const shown = chosen ?? (isWide && chat_id > 0 ? chat_id : null);
  return { shown, isWide, choose: setChosen };
}

type PaneProps = { chat: ChatId; person: ReturnType<typeof usePerson> };

export function PersonPane({ chat, person: { shown, isWide, choose } }: PaneProps): ReactNode {
  const { person: words } = useWords();
  if (shown === null) return null;
  const panel = <PersonPanel key={shown} {...chat} user_id={shown} />;
  if (isWide && chat.chat_id > 0) return <aside className="person-pane">{panel}</aside>;
  return (
    <Inspector title={words.title} close={() => choose(null)}>
      {panel}
    </Inspector>
  );
}
