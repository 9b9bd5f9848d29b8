import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Answer, CallError } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { TextArea } from '../../parts/field.tsx';
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
  const fault = test.error instanceof CallError ? test.error.faults.get('update') : undefined;
  return (
    <Dialog title={texts.title} description={texts.hint} close={close} className="wide">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!test.isPending) test.mutate();
        }}
      >
        <TextArea
          label={texts.update}
          hint={texts.sample}
          fault={fault}
          rows={10}
          dir="ltr"
          className="code"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {test.error && fault === undefined && <Failure error={test.error} />}
        {test.data && <TestResult result={test.data} />}
        <div className="dialog-actions">
          <Button onClick={close}>{words.close}</Button>
          <Button type="submit" kind="primary" busy={test.isPending}>
            {texts.submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export function TestResult({ result }: { result: Answer<'testDelivery'> }): ReactNode {
  const { test: words } = useDeliveriesWords();
  const { request, status, duration_ms: durationMs, error } = result;
  return (
    <div className="test-result" role="status">
      <p>
        <strong>{error === undefined ? words.took : words.refused}</strong>
      </p>
      <AnswerView
        {...{ status, durationMs, error }}
        type={result.response_content_type}
        excerpt={result.response_excerpt}
      />
      <RequestView request={request} body={request.body} />
    </div>
  );
}
