import type { ServerResponse } from 'node:http';
import type OpenAI from 'openai';
import { startBackend, type TestBackend } from './backend.ts';

type Asked = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming;
type Completion = OpenAI.Chat.Completions.ChatCompletion;

/** A question as the model gets it. */
export type ModelQuestion = {
  /** The whole request. */
  asked: Asked;
  task: string;
  bots: { key: string; name: string; description: string }[];
  message: string;
};

/** Answers a question: the content of the model's message, or by hand. */
export type ModelAnswer = (question: ModelQuestion, response: ServerResponse) => string | null | Promise<string | null>;

export type ModelServer = Pick<TestBackend, 'requests' | 'stop'> & {
  /** For LLM_API_URL. */
  url: string;
  questions: ModelQuestion[];
  answer: ModelAnswer;
};

/** A server of the chat completions interface. null from `answer`: the answer was given by hand. */
export async function startModelServer(answer: ModelAnswer): Promise<ModelServer> {
  const questions: ModelQuestion[] = [];
  const backend = await startBackend(async ({ text }, response) => {
    const asked = JSON.parse(text) as Asked;
    const [system, user] = asked.messages;
    const data = JSON.parse(String(user?.content)) as Pick<ModelQuestion, 'bots' | 'message'>;
    const question = { asked, task: String(system?.content), ...data };
    questions.push(question);
    const content = await server.answer(question, response);
    if (content !== null) sendCompletion(response, { content, refusal: null });
  });
  const server: ModelServer = { ...backend, url: `${backend.url}/v1`, questions, answer };
  return server;
}

/** The choice of a bot by its name, as a model writes it. */
export function choose({ bots }: ModelQuestion, name: string, reason = 'it fits'): string {
  return JSON.stringify({ bot: bots.find((bot) => bot.name === name)?.key ?? 'none', reason });
}

/** Answers with a message of the model. */
export function sendCompletion(
  response: ServerResponse,
  message: Pick<Completion['choices'][number]['message'], 'content' | 'refusal'>,
): void {
  const completion: Completion = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_767_348_900,
    model: 'test',
    choices: [{ index: 0, finish_reason: 'stop', logprobs: null, message: { role: 'assistant', ...message } }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  };
  response.setHeader('content-type', 'application/json').end(JSON.stringify(completion));
}
