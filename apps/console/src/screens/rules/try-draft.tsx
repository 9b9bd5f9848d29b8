import type { MessageResource } from '@flotilla/contract/messages.ts';
import type { RoutingRuleResource } from '@flotilla/contract/routing-rules.ts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { SelectField, TextArea } from '../../parts/field.tsx';
import { nameOf } from '../../parts/person-name.ts';
import { useWords } from '../../words/words.tsx';
import { type Draft, inputOf, localFaults, placeIn } from './rule-draft.ts';
import { RuleText } from './rule-text.tsx';
import { useRulesWords } from './rules-words.ts';
import { messageOf, type Tried } from './try-message.tsx';
import { Verdict } from './verdict.tsx';
import './try-draft.css';

type TryProps = {
  /** The bot of the rule. */
  source: number;
  ruleId: number | undefined;
  draft: Draft;
};

const RECENT = 50;
const OFFERED = 20;
const CUT = 60;
const TYPED = '';
/** The id of a rule that is not saved, in the answer. */
const UNSAVED = 0;
/** Why a fallback would not act, where nothing is wrong with it. */
const OF_FALLBACK: readonly string[] = ['matched_before', 'no_text', 'not_chosen'];

/** Tells what the rule would do with a recent message or a typed one, before anybody saves it. */
export function TryDraft({ source, ruleId, draft }: TryProps): ReactNode {
  const { draft: words, ...common } = useRulesWords().try;
  const { required } = useWords().errors;
  const recent = useRecentMessages(source);
  const [chosen, choose] = useState(TYPED);
  const [text, setText] = useState('');
  const message = recent.find(({ id }) => id === chosen)?.message;
  const asked = JSON.stringify([draft, chosen, chosen === TYPED && text]);
  const trying = useMutation({
    mutationFn: async (of: string) => {
      const isComplete = Object.values(localFaults(draft, required)).length === 0;
      if (!isComplete) return { of, tried: null };
      const rule = { ...(ruleId === undefined ? {} : { id: ruleId }), ...inputOf(draft) };
      const given = message === undefined ? typedMessage(text, draft) : platformMessage(message);
      return { of, tried: await call('tryRoutingRules', { bot_id: source, message: given, rule }) };
    },
  });
  // A verdict about another draft or message would mislead.
  const isCurrent = trying.variables === asked;
  return (
    <section className="try-draft" aria-labelledby="try-draft">
      <h3 id="try-draft">{words.title}</h3>
      <p className="muted">{common.hint}</p>
      {recent.length > 0 && (
        <SelectField
          label={words.message}
          options={[[TYPED, words.typed], ...recent.map(({ id, label }) => [id, label] as const)]}
          value={chosen}
          choose={choose}
        />
      )}
      {message === undefined && (
        <TextArea
          label={common.text}
          rows={3}
          dir="auto"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <Button busy={trying.isPending} onClick={() => trying.isPending || trying.mutate(asked)}>
        {common.submit}
      </Button>
      <div role="status" className="tried">
        {isCurrent && trying.data?.tried === null && <p className="muted">{words.incomplete}</p>}
        {isCurrent && trying.data?.tried && (
          <Outcome source={source} draftId={ruleId ?? UNSAVED} tried={trying.data.tried} />
        )}
      </div>
      {isCurrent && trying.error && <Failure error={trying.error} />}
    </section>
  );
}

/** The verdict on the draft, and the saved rules that would act or be asked in its stead. */
function Outcome({ source, draftId, tried }: { source: number; draftId: number; tried: Tried }): ReactNode {
  const words = useRulesWords();
  const rules = useSavedRules(source);
  const shown = tried.filter(
    ({ route_id: id, matches, reason }) => id === draftId || matches || (reason && OF_FALLBACK.includes(reason)),
  );
  return (
    <>
      {!tried.some(({ matches }) => matches) && <p>{words.try.none}</p>}
      <ul>
        {shown.map((one) => {
          const rule = rules.find(({ id }) => id === one.route_id);
          return (
            <li key={one.route_id}>
              <p>{one.route_id === draftId ? <b>{words.try.draft.thisRule}</b> : rule && <RuleText rule={rule} />}</p>
              <Verdict tried={one} />
            </li>
          );
        })}
      </ul>
    </>
  );
}

function useSavedRules(source: number): readonly RoutingRuleResource[] {
  const rules = useQuery({
    queryKey: ['rules', source],
    queryFn: ({ signal }) => call('listRoutingRules', { bot_id: source }, signal),
  });
  return rules.data ?? [];
}

type Recent = { id: string; label: string; message: MessageResource };

const OF_MESSAGES = ['message', 'channel_post', 'business_message'];

/** The last messages to the bot, of those that the history has. */
function useRecentMessages(source: number): readonly Recent[] {
  const updates = useQuery({
    queryKey: ['past-updates', source, RECENT],
    queryFn: ({ signal }) => call('listUpdates', { bot_id: source, limit: RECENT }, signal),
  });
  const found = (updates.data ?? []).flatMap(({ update_id: id, kind, message }) =>
    message !== undefined && OF_MESSAGES.includes(kind) ? [{ id: String(id), label: labelOf(message), message }] : [],
  );
  return found.slice(0, OFFERED);
}

function labelOf(message: MessageResource): string {
  const said = message.text ?? message.media_type ?? message.service ?? '';
  const short = said.length > CUT ? `${said.slice(0, CUT)}…` : said;
  return `\u2068${nameOf(message)}\u2069: \u2068${short}\u2069`;
}

/** A typed text stands where the condition looks, so that only its words count. */
function typedMessage(text: string, { condition, value }: Draft) {
  const { chat, thread } = condition === 'chat_id' || condition === 'thread_id' ? placeIn(value) : {};
  const user = condition === 'user_id' ? Number(value) : 1;
  const message = messageOf(text, Number(chat ?? user), user);
  return Number(thread) > 0 ? { ...message, message_thread_id: Number(thread), is_topic_message: true } : message;
}

/** A message of the history, with the fields at which rules look. */
function platformMessage(message: MessageResource) {
  const { id, chat_id: chat, user_id: user, thread_id: thread, date, text = '' } = message;
  const author = user === undefined || user < 0 ? { sender_chat: { id: user ?? chat } } : { from: { id: user } };
  return {
    ...{ message_id: id, date, text, chat: { id: chat, type: chat < 0 ? 'supergroup' : 'private' }, ...author },
    ...(thread === undefined ? {} : { message_thread_id: thread, is_topic_message: true }),
  };
}
