import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { CallError, call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { looksLikeToken } from '../../parts/looks-like-token.ts';
import { StepTitle } from '../../parts/steps.tsx';
import { UrlField } from '../../parts/url-field.tsx';
import { type AddBotWords, useAddBotWords } from './add-bot-words.ts';
import { WAYS, type Way } from './added-bot.ts';
import { SandboxToken } from './sandbox-token.tsx';
import { PLAIN_SERVER, ServerFields } from './server-fields.tsx';
import { type TokenCheck, useTokenCheck } from './use-token-check.ts';

type TokenFormProps = { added: (botId: string, token: string) => void };

/** Registers a bot. Its token is in the field, and then with `added`. */
export function TokenForm({ added }: TokenFormProps): ReactNode {
  const words = useAddBotWords();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [token, setToken] = useState('');
  const [way, setWay] = useState<Way>('pull');
  const [url, setUrl] = useState('');
  const [server, setServer] = useState(PLAIN_SERVER);
  const trimmed = token.trim();
  const check = useTokenCheck(trimmed, server);
  const adding = useMutation({
    mutationFn: () => call('addBot', { token: trimmed, ...server, ...settingsOf(way, url.trim()) }),
    gcTime: 0,
    onSuccess: async (bot) => {
      added(String(bot.id), trimmed);
      setToken('');
      queries.setQueryData(['bot', String(bot.id)], bot);
      await navigate({ to: '/bots/add', search: { bot: String(bot.id) }, replace: true });
      void queries.invalidateQueries();
    },
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (looksLikeToken(trimmed)) adding.mutate();
  };
  const faults = faultsOf(adding.error);
  const note = tokenNote(trimmed, check, faults.token, words);
  return (
    <form className="panel" onSubmit={submit}>
      <StepTitle>{words.title}</StepTitle>
      <SandboxToken />
      <Field
        label={words.token}
        {...note}
        type="password"
        autoComplete="off"
        spellCheck={false}
        required
        value={token}
        onChange={(event) => {
          setToken(event.target.value);
          if (adding.isError) adding.reset();
        }}
      />
      <ServerFields server={server} choose={setServer} />
      <ChoiceField
        label={words.way}
        options={WAYS.map((one) => [one, words.ways[one], words.wayHints[one]] as const)}
        value={way}
        choose={setWay}
      />
      {way === 'push' && (
        <UrlField label={words.url} hint={words.urlHint} fault={faults.url} required url={url} type={setUrl} />
      )}
      {faults.other && <Failure error={faults.other} />}
      <Button type="submit" kind="primary" busy={adding.isPending}>
        {words.submit}
      </Button>
    </form>
  );
}

function settingsOf(way: Way, url: string) {
  if (way === 'push') return { proxy_enabled: true, backend_url: url };
  return { long_poll_enabled: way === 'pull' };
}

type Note = { hint: string; fault?: string };

function tokenNote(token: string, check: TokenCheck, refused: string | undefined, words: AddBotWords): Note {
  const hint = words.tokenHint;
  if (refused !== undefined) return { hint, fault: refused };
  if (token !== '' && !/^\d*(:[A-Za-z0-9_-]*)?$/.test(token)) return { hint, fault: words.malformed };
  if (check.outcome === 'checking') return { hint: words.checking };
  if (check.outcome === 'known') return { hint: `✓ ${words.known(`${check.bot.first_name} @${check.bot.username}`)}` };
  return check.outcome === 'refused' ? { hint, fault: check.reason } : { hint };
}

/** A bot that is registered already is a fault of the token, too. */
function faultsOf(error: Error | null): { token?: string; url?: string; other?: Error } {
  if (error === null) return {};
  if (!(error instanceof CallError)) return { other: error };
  const { token, backend_url: url } = Object.fromEntries(error.faults);
  if (token !== undefined || error.code === 'conflict') return { token: error.message };
  return url === undefined ? { other: error } : { url };
}
