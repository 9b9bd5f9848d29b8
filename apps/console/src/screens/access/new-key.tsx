import type { AccountResource, Role } from '@flotilla/contract/accounts.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { BotsField } from '../../parts/bots-field.tsx';
import { type ChatOfBot, ChatsField } from '../../parts/chats-field.tsx';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Field, SelectField } from '../../parts/field.tsx';
import { faultsOf } from '../../parts/form-faults.ts';
import { expiryOf, LifetimeField, useLifetime } from '../../parts/lifetime-field.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
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

/** What a key is for, and what it may do there. */
type Reach = {
  purpose: 'rest' | 'read' | 'write';
  role: Role | '';
  bots: number[] | null;
  chats: readonly ChatOfBot[];
};

const NEW_REACH: Reach = { purpose: 'rest', role: '', bots: null, chats: [] };
const FIELDS = ['name', 'role', 'bot_ids', 'mcp_chats', 'expires_at'];

type FormProps = { account: string; close: () => void; made: (made: Made) => void };

function NewKeyForm({ account, close, made }: FormProps): ReactNode {
  const words = useWords();
  const { noChat } = useMcpWords();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [reach, setReach] = useState(NEW_REACH);
  const [lacksChats, setLacksChats] = useState(false);
  const [lifetime, setLifetime] = useLifetime('90');
  const make = useMutation({
    // The result stays here: a cache of results would keep the secret.
    mutationFn: async () => {
      const expires = expiryOf(lifetime);
      const { key } = await call('createApiKey', {
        ...{ name, user_id: Number(account), ...reachInput(reach) },
        ...(expires === undefined ? {} : { expires_at: expires }),
      });
      made({ secret: key, isForMcp: reach.purpose !== 'rest' });
    },
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  const { faults, other } = faultsOf(make.error, FIELDS);
  const isWithoutChats = reach.purpose !== 'rest' && reach.chats.length === 0;
  return (
    <Confirm
      title={words.access.makeKey}
      act={words.access.create}
      run={() => (isWithoutChats ? setLacksChats(true) : make.mutate())}
      close={close}
      busy={make.isPending}
      error={other}
      className=""
    >
      <Field
        label={words.access.keyName}
        hint={words.access.keyNameHint}
        autoComplete="off"
        required
        autoFocus
        maxLength={128}
        fault={faults.name}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <ReachFields
        owner={useOwner(account)}
        reach={reach}
        change={(changed) => setReach((now) => ({ ...now, ...changed }))}
        faults={lacksChats && isWithoutChats ? { ...faults, mcp_chats: noChat } : faults}
      />
      <LifetimeField
        lifetime={lifetime}
        choose={setLifetime}
        neverHint={words.access.neverHint}
        fault={faults.expires_at}
      />
    </Confirm>
  );
}

/** A key for MCP sees the bots of its chats alone, and needs no more than the narrowest role. */
function reachInput({ purpose, role, bots, chats }: Reach) {
  if (purpose === 'rest') return { bot_ids: bots, ...(role === '' ? {} : { role }) };
  return {
    ...({ role: 'user', mcp: purpose, bot_ids: [...new Set(chats.map(({ botId }) => botId))] } as const),
    mcp_chats: chats.map(({ botId, chatId }) => ({ bot_id: botId, chat_id: chatId })),
  };
}

type ReachProps = {
  owner: AccountResource;
  reach: Reach;
  change: (changed: Partial<Reach>) => void;
  faults: Readonly<Record<string, string | undefined>>;
};

function ReachFields({ owner, reach, change, faults }: ReachProps): ReactNode {
  const words = useWords();
  const { purpose, purposes, purposeHints, addChat, addChatHint } = useMcpWords();
  const { account: own } = useSession();
  // What the account itself may not do is not offered.
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
          <BotsField
            bots={reach.bots}
            choose={(bots) => change({ bots })}
            fault={faults.bot_ids ?? null}
            among={among}
          />
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
