import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Answer } from '../../call.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { TextArea } from '../../parts/field.tsx';
import { faultsOf } from '../../parts/form-faults.ts';
import { indented } from '../../parts/json-text.ts';
import { useWords } from '../../words/words.tsx';
import { useDeliveriesWords } from '../deliveries/deliveries-words.ts';
import { type BackendOf, testBackend } from './backend-calls.ts';
import { AnswerView, RequestView } from './request-view.tsx';

/** Sends an update, which can be edited, to the backend past the queue, and shows the request and the answer. */
export function TestDelivery({
  botId,
  programId,
  update,
  close,
}: BackendOf & { update: string; close: () => void }): ReactNode {
  const words = useWords();
  const deliveriesWords = useDeliveriesWords();
  const { test: texts } = deliveriesWords;
  const [text, setText] = useState(() => indented(update));
  const test = useMutation({
    mutationFn: () => testBackend({ botId, programId }, text.trim() === '' ? undefined : text),
  });
  const { faults, other } = faultsOf(test.error, ['update']);
  return (
    <Confirm
      title={texts.title}
      description={texts.hint}
      act={texts.submit}
      leave={words.close}
      run={test.mutate}
      close={close}
      busy={test.isPending}
      error={other}
      className="wide"
    >
      <TextArea
        label={texts.update}
        hint={texts.sample}
        fault={faults.update}
        rows={10}
        dir="ltr"
        className="code"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {test.data && <TestResult result={test.data} />}
    </Confirm>
  );
}

export function TestResult({ result }: { result: Answer<'testDelivery'> }): ReactNode {
  const { test: words } = useDeliveriesWords();
  const { request, status, duration_ms, error } = result;
  return (
    <div className="test-result" role="status">
      <p>
        <strong>{error === undefined ? words.took : words.refused}</strong>
      </p>
      <AnswerView
        {...{ status, duration_ms, error }}
        type={result.response_content_type}
        excerpt={result.response_excerpt}
      />
      <RequestView request={request} body={request.body} />
    </div>
  );
}
