import type { AccountResource, Role } from '@flotilla/contract/accounts.ts';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { BotsField } from '../../parts/bots-field.tsx';
import { type ChatOfBot, ChatsField } from '../../parts/chats-field.tsx';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Field, SelectField } from '../../parts/field.tsx';
import { LabelsField } from '../../parts/labels-field.tsx';
import { expiryOf, type Lifetime, LifetimeField } from '../../parts/lifetime-field.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { type Faults, useForm } from '../../parts/use-form.ts';
import { useSession } from '../../session.tsx';
import { useWords } from '../../words/words.tsx';
import { McpClients } from './mcp-clients.tsx';
import { useMcpWords } from './mcp-words.ts';
import { useAccounts } from './people.tsx';

type Made = { secret: string; isForMcp: boolean };

/** Makes a key, and shows it once: it is in no query, no cache and no address, and is gone when the dialog closes. */
export function NewKey({ account, close }: { account: string; close: () => void }): ReactNode {
  const { access, once } = useWords();
  const [made, setMade] = useState<Made | null>(null);
  if (made === null) return <NewKeyForm account={account} close={close} made={setMade} />;
  const { secret, isForMcp } = made;
  return (
    <ShownOnce title={access.keyMade} description={once.hint} secret={secret} close={close}>
      {isForMcp ? <McpClients apiKey={secret} /> : undefined}
    </ShownOnce>
  );
}

/** The purpose of a key, and its rights. */
type Reach = {
  purpose: 'rest' | 'read' | 'write';
  role: Role | '';
  bots: number[] | null;
  labels: string[];
  chats: readonly ChatOfBot[];
};

type NewKeyDraft = Reach & { name: string; lifetime: Lifetime };
const NEW_KEY: NewKeyDraft = {
  ...{ name: '', purpose: 'rest', role: '', bots: null, labels: [], chats: [] },
  lifetime: { span: '90' },
};
const FIELDS = ['name', 'role', 'bot_ids', 'bot_labels', 'mcp_chats', 'expires_at'];

type FormProps = { account: string; close: () => void; made: (made: Made) => void };

function NewKeyForm({ account, close, made }: FormProps): ReactNode {
  const words = useWords();
  const { noChat } = useMcpWords();
  const queries = useQueryClient();
  const { draft, faults, change, text, asked } = useForm({
    known: () => NEW_KEY,
    fields: FIELDS,
    check: ({ name, purpose, chats }) => ({
      name: name.trim() === '' ? words.errors.required : undefined,
      mcp_chats: purpose !== 'rest' && chats.length === 0 ? noChat : undefined,
    }),
    async send({ name, lifetime, ...reach }) {
      const expires = expiryOf(lifetime);
      const { key } = await call('createApiKey', {
        ...{ name, user_id: Number(account), ...reachInput(reach) },
        ...(expires === undefined ? {} : { expires_at: expires }),
      });
      void queries.invalidateQueries({ queryKey: ['keys'] });
      made({ secret: key, isForMcp: reach.purpose !== 'rest' });
    },
  });
  return (
    <Confirm title={words.access.makeKey} act={words.access.create} close={close} className="" {...asked}>
      <Field
        label={words.access.keyName}
        hint={words.access.keyNameHint}
        autoComplete="off"
        required
        autoFocus
        maxLength={128}
        {...text('name')}
      />
      <ReachFields owner={useOwner(account)} reach={draft} change={change} faults={faults} />
      <LifetimeField
        lifetime={draft.lifetime}
        choose={(lifetime) => change({ lifetime })}
        neverHint={words.access.neverHint}
        fault={faults.expires_at}
      />
    </Confirm>
  );
}

/** A key for MCP sees the bots of its chats alone, and needs no more than the narrowest role. */
function reachInput({ purpose, role, bots, labels, chats }: Reach) {
  if (purpose === 'rest') {
    const byLabel = bots === null ? {} : { bot_labels: labels };
    return { bot_ids: bots, ...byLabel, ...(role === '' ? {} : { role }) };
  }
  return {
    ...({ role: 'user', mcp: purpose, bot_ids: [...new Set(chats.map(({ bot_id }) => bot_id))] } as const),
    mcp_chats: chats.map(({ bot_id, chat_id }) => ({ bot_id, chat_id })),
  };
}

type ReachProps = {
  owner: AccountResource;
  reach: Reach;
  change: (changed: Partial<Reach>) => void;
  faults: Faults;
};

function ReachFields({ owner, reach, change, faults }: ReachProps): ReactNode {
  const words = useWords();
  const { purpose, purposes, purposeHints, addChat, addChatHint } = useMcpWords();
  const { account: own } = useSession();
  // Only rights that the account itself has are offered.
  const roles = [own, owner].every(({ role }) => role === 'admin')
    ? (['', 'user', 'admin'] as const)
    : (['', 'user'] as const);
  const among = owner.id === own.id ? null : owner.bot_ids;
  return (
    <>
      <ChoiceField
        label={purpose}
        options={(['rest', 'read', 'write'] as const).map((one) => [one, purposes[one], purposeHints[one]])}
        value={reach.purpose}
        choose={(chosen) => change({ purpose: chosen })}
      />
      {reach.purpose === 'rest' ? (
        <>
          <SelectField
            label={words.access.columns.role}
            options={roles.map((one) => [one, one === '' ? words.access.roleOfAccount : words.account.roles[one]])}
            fault={faults.role}
            value={reach.role}
            choose={(role) => change({ role })}
          />
          <BotsField bots={reach.bots} choose={(bots) => change({ bots })} fault={faults.bot_ids ?? null} among={among}>
            <LabelsField labels={reach.labels} choose={(labels) => change({ labels })} fault={faults.bot_labels} />
          </BotsField>
        </>
      ) : (
        <ChatsField
          label={addChat}
          hint={addChatHint}
          chats={reach.chats}
          choose={(chats) => change({ chats })}
          among={among}
          fault={faults.mcp_chats ?? faults.bot_ids}
        />
      )}
    </>
  );
}

/** The account that the key is made for. */
function useOwner(account: string): AccountResource {
  const { account: own } = useSession();
  const accounts = useAccounts(account !== String(own.id));
  return accounts.data?.rows.find(({ id }) => String(id) === account) ?? own;
}
