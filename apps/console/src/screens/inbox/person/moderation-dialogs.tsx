import type { ChatAdminResource, ChatPermission } from '@flotilla/contract/chat-admins.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../../call.ts';
import { CheckField } from '../../../parts/check-field.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { Field, SelectField } from '../../../parts/field.tsx';
import { faultsOf } from '../../../parts/form-faults.ts';
import { useWords } from '../../../words/words.tsx';
import { askPeopleAgain, type PersonOfChat } from './use-person.ts';

type DialogProps = { person: PersonOfChat; admin: ChatAdminResource | undefined; close: () => void };

const HOUR_S = 3_600;
const DURATIONS = { ever: 0, hour: HOUR_S, day: 24 * HOUR_S, week: 168 * HOUR_S, month: 720 * HOUR_S } as const;
type Duration = keyof typeof DURATIONS;

/** Runs an act on the person; afterwards everything about the chat's people is asked for again. */
function useAct(person: PersonOfChat, run: (inputs: InputsOfPerson) => Promise<unknown>, close: () => void) {
  const queries = useQueryClient();
  const { bot_id, chat_id, user_id } = person;
  return useMutation({
    mutationFn: () => run({ bot_id, chat_id, user_id }),
    onSuccess: async () => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['chat-admins', bot_id, chat_id] }),
        askPeopleAgain(queries, person),
      ]);
      close();
    },
  });
}

type InputsOfPerson = { bot_id: number; chat_id: number; user_id: number };

export function Ban({ person, close }: DialogProps): ReactNode {
  const { person: words } = useWords();
  const [duration, setDuration] = useState<Duration>('ever');
  const [revoke, setRevoke] = useState(false);
  const ban = useAct(
    person,
    (inputs) =>
      call('banChatUser', {
        ...inputs,
        revoke_messages: revoke,
        ...(duration === 'ever' ? {} : { until_date: Math.floor(Date.now() / 1_000) + DURATIONS[duration] }),
      }),
    close,
  );
  return (
    <Confirm
      title={words.banTitle}
      description={words.banHint}
      act={words.ban}
      danger
      run={() => ban.mutate()}
      close={close}
      busy={ban.isPending}
      error={ban.error}
    >
      <SelectField
        label={words.duration}
        options={(Object.keys(DURATIONS) as Duration[]).map((one) => [one, words.durations[one]])}
        value={duration}
        choose={setDuration}
      />
      <CheckField label={words.revoke} hint={words.revokeHint} on={revoke} toggle={setRevoke} />
    </Confirm>
  );
}

export function Unban({ person, close }: DialogProps): ReactNode {
  const { person: words } = useWords();
  const unban = useAct(person, (inputs) => call('unbanChatUser', inputs), close);
  return (
    <Confirm
      title={words.unbanTitle}
      description={words.unbanHint}
      act={words.unban}
      run={() => unban.mutate()}
      close={close}
      busy={unban.isPending}
      error={unban.error}
    />
  );
}

export function Demote({ person, close }: DialogProps): ReactNode {
  const { person: words } = useWords();
  const demote = useAct(person, (inputs) => call('demoteChatAdmin', inputs), close);
  return (
    <Confirm
      title={words.demoteTitle}
      description={words.demoteHint}
      act={words.demote}
      run={() => demote.mutate()}
      close={close}
      busy={demote.isPending}
      error={demote.error}
    />
  );
}

export function AdminTitle({ person, admin, close }: DialogProps): ReactNode {
  const words = useWords();
  const [title, setTitle] = useState(admin?.custom_title ?? '');
  const change = useAct(person, (inputs) => call('setChatAdminTitle', { ...inputs, title }), close);
  const { faults, other } = faultsOf(change.error, ['title']);
  return (
    <Confirm
      title={words.person.acts.title}
      act={words.access.save}
      run={() => change.mutate()}
      close={close}
      busy={change.isPending}
      error={other}
    >
      <Field
        label={words.person.adminTitle}
        hint={words.person.adminTitleHint}
        autoComplete="off"
        dir="auto"
        maxLength={16}
        fault={faults.title}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
    </Confirm>
  );
}

const FIRST_GRANTED: readonly ChatPermission[] = [
  'can_manage_chat',
  'can_delete_messages',
  'can_restrict_members',
  'can_invite_users',
  'can_pin_messages',
];

/** Makes an administrator, or changes what one may do. */
export function Promote({ person, admin, close }: DialogProps): ReactNode {
  const words = useWords();
  const all = Object.keys(words.person.permissions) as ChatPermission[];
  const [granted, setGranted] = useState<readonly ChatPermission[]>(
    admin === undefined ? FIRST_GRANTED : all.filter((one) => admin.permissions[one]),
  );
  const promote = useAct(
    person,
    (inputs) => {
      const permissions = Object.fromEntries(all.map((one) => [one, granted.includes(one)]));
      return call('promoteChatUser', { ...inputs, permissions });
    },
    close,
  );
  return (
    <Confirm
      title={admin === undefined ? words.person.promoteTitle : words.person.acts.permissions}
      description={words.person.promoteHint}
      act={admin === undefined ? words.person.promote : words.access.save}
      run={() => promote.mutate()}
      close={close}
      busy={promote.isPending}
      error={promote.error}
    >
      <div className="permissions">
        {all.map((one) => (
          <CheckField
            key={one}
            label={words.person.permissions[one]}
            on={granted.includes(one)}
            toggle={(on) => setGranted(on ? [...granted, one] : granted.filter((other) => other !== one))}
          />
        ))}
      </div>
    </Confirm>
  );
}
