import type { PlatformEnvironment, UpstreamResource } from '@flotilla/contract/upstreams.ts';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { changedFields } from '../../parts/changed-fields.ts';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Field } from '../../parts/field.tsx';
import { useForm } from '../../parts/use-form.ts';
import { useWords } from '../../words/words.tsx';
import { useUpstreamsWords } from './upstreams-words.ts';

const TEXTS = ['url', 'proxy', 'webhook_url', 'files', 'uploads'] as const;
type Draft = { name: string; environment: PlatformEnvironment } & Record<(typeof TEXTS)[number], string>;

const NEW: Draft = { name: '', url: '', environment: 'production', proxy: '', webhook_url: '', files: '', uploads: '' };

/** Adds a Bot API server, or changes one. */
export function UpstreamForm(props: { upstream: UpstreamResource | null; close: () => void }): ReactNode {
  const { upstream, close } = props;
  const words = useWords();
  const { form } = useUpstreamsWords();
  const queries = useQueryClient();
  const { text, choice, asked } = useForm<Draft>({
    known: () => (upstream === null ? NEW : draftOf(upstream)),
    fields: ['name', 'environment', ...TEXTS],
    check: ({ name, url }) => ({
      name: name.trim() === '' ? words.errors.required : undefined,
      url: url.trim() === '' ? words.errors.required : undefined,
    }),
    async send(now, known) {
      await save(upstream, trimmed(now), known);
      await queries.invalidateQueries({ queryKey: ['upstreams'] });
      close();
    },
  });
  const field = { dir: 'ltr', autoComplete: 'off', spellCheck: false } as const;
  return (
    <Confirm title={upstream === null ? form.add : form.edit} act={form.save} close={close} className="" {...asked}>
      {upstream === null && (
        <Field label={form.name} hint={form.nameHint} required maxLength={32} {...field} {...text('name')} />
      )}
      <Field label={form.url} hint={form.urlHint} required {...field} {...text('url')} />
      <ChoiceField
        label={form.environment}
        options={(['production', 'test'] as const).map(
          (one) => [one, form.environments[one], form.environmentHints[one]] as const,
        )}
        {...choice('environment')}
      />
      <Field label={form.proxy} hint={form.proxyHint} {...field} {...text('proxy')} />
      <Field label={form.webhookUrl} hint={form.webhookUrlHint} {...field} {...text('webhook_url')} />
      <Field label={form.files} hint={form.filesHint} {...field} {...text('files')} />
      <Field label={form.uploads} hint={form.uploadsHint} {...field} {...text('uploads')} />
    </Confirm>
  );
}

function draftOf({ name, environment, ...rest }: UpstreamResource): Draft {
  return { ...NEW, name, environment, ...Object.fromEntries(TEXTS.map((field) => [field, rest[field]])) };
}

function trimmed(draft: Draft): Draft {
  const texts = (['name', ...TEXTS] as const).map((field) => [field, draft[field].trim()]);
  return { ...draft, ...Object.fromEntries(texts) };
}

async function save(upstream: UpstreamResource | null, draft: Draft, known: Draft): Promise<void> {
  if (upstream === null) await call('addUpstream', draft);
  else await call('updateUpstream', { id: upstream.id, ...changedFields(draft, known) });
}
