import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Answer, CallError, call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field, SelectField, TextArea } from '../../parts/field.tsx';
import { useRulesWords } from './rules-words.ts';

export type Tried = Answer<'tryRoutingRules'>;

type TryProps = { botId: number; told: (tried: Tried) => void; tried: Tried | null };

/** Tells which rules would act on a message that somebody makes up; the rules above show the verdicts. */
export function TryMessage({ botId, told, tried }: TryProps): ReactNode {
  const words = useRulesWords().try;
  const [kind, setKind] = useState<'text' | 'json'>('text');
  const [text, setText] = useState('');
  const [json, setJson] = useState('');
  const [chat, setChat] = useState('1');
  const [user, setUser] = useState('1');
  const trying = useMutation({
    mutationFn: () => {
      const message = kind === 'text' ? messageOf(text, Number(chat), Number(user)) : JSON.parse(json);
      return call('tryRoutingRules', { bot_id: botId, message });
    },
    onSuccess: told,
  });
  const fault =
    trying.error instanceof SyntaxError
      ? words.invalid
      : trying.error instanceof CallError
        ? trying.error.faults.get('message')
        : undefined;
  const acting = tried?.filter(({ matches }) => matches).length ?? 0;
  return (
    <section className="panel" aria-labelledby="try">
      <h2 id="try">{words.title}</h2>
      <p className="muted">{words.hint}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!trying.isPending) trying.mutate();
        }}
      >
        <SelectField
          label={words.kind}
          options={[
            ['text', words.kinds.text],
            ['json', words.kinds.json],
          ]}
          value={kind}
          choose={setKind}
        />
        {kind === 'text' ? (
          <>
            <TextArea
              label={words.text}
              fault={fault}
              rows={3}
              dir="auto"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
            <div className="two">
              <Field
                label={words.chat}
                type="number"
                required
                value={chat}
                onChange={(event) => setChat(event.target.value)}
              />
              <Field
                label={words.user}
                type="number"
                required
                value={user}
                onChange={(event) => setUser(event.target.value)}
              />
            </div>
          </>
        ) : (
          <TextArea
            label={words.json}
            fault={fault}
            rows={8}
            dir="ltr"
            className="code"
            value={json}
            onChange={(event) => setJson(event.target.value)}
          />
        )}
        {trying.error && fault === undefined && <Failure error={trying.error} />}
        <div className="actions">
          <Button type="submit" kind="primary" busy={trying.isPending}>
            {words.submit}
          </Button>
          <p role="status">{tried && (acting === 0 ? words.none : words.acts(acting))}</p>
        </div>
      </form>
    </section>
  );
}

/** A message that somebody makes up. */
export function messageOf(text: string, chat: number, user: number) {
  return {
    message_id: 1,
    date: Math.floor(Date.now() / 1_000),
    chat: { id: chat, type: chat < 0 ? 'supergroup' : 'private' },
    from: { id: user, is_bot: false, first_name: 'Test' },
    text,
  };
}
