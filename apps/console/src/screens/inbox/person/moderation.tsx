import type { ChatAdminResource } from '@flotilla/contract/chat-admins.ts';
import { type ReactNode, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { useWords } from '../../../words/words.tsx';
import { AdminTitle, Ban, Demote, Promote, Unban } from './moderation-dialogs.tsx';
import type { PersonOfChat } from './use-person.ts';

type ModerationProps = { person: PersonOfChat; admin: ChatAdminResource | undefined; error: Error | null };

const DIALOGS = { ban: Ban, unban: Unban, promote: Promote, title: AdminTitle, demote: Demote } as const;
type Act = keyof typeof DIALOGS;

/** Acts of the bot on a member of the chat. The platform decides if it may. */
export function Moderation({ person, admin, error }: ModerationProps): ReactNode {
  const { person: words } = useWords();
  const [act, setAct] = useState<Act | null>(null);
  const acts = actsOn(admin);
  const Shown = act && DIALOGS[act];
  return (
    <section aria-labelledby="moderation">
      <h3 id="moderation">{words.moderation}</h3>
      {error && <Failure error={error} />}
      {acts.length === 0 && <p className="muted">{words.outOfReach}</p>}
      <div className="actions">
        {acts.map((one) => (
          <Button key={one} onClick={() => setAct(one)}>
            {one === 'promote' && admin ? words.acts.permissions : words.acts[one]}
          </Button>
        ))}
      </div>
      {Shown && <Shown person={person} admin={admin} close={() => setAct(null)} />}
    </section>
  );
}

/** Of an owner, or an administrator whom the bot has not appointed, the platform allows nothing. */
function actsOn(admin: ChatAdminResource | undefined): readonly Act[] {
  if (admin === undefined) return ['ban', 'unban', 'promote'];
  return admin.can_be_edited ? ['promote', 'title', 'demote', 'ban'] : [];
}
