import { createHash, randomBytes } from 'node:crypto';
import type { ControlClient } from '@flotilla/simulator/control-client.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';

/** A person in a private chat with an echo bot. */
export type EchoSession = { control: ControlClient; bot: number; person: number };

type Shown = Awaited<ReturnType<ControlClient['readChat']>>['messages'][number];

const PATIENCE_MS = 30_000;
export const LARGE_FILE_BYTES = 5 * 1024 * 1024;

/** Creates the person and opens the chat, so that the bot may write to the person. */
export async function openEchoSession(control: ControlClient, bot: number): Promise<EchoSession> {
  const person = await control.createPerson({ firstName: 'Ann' });
  return { control, bot, person: person.id };
}

/** Sends a text and returns the bot's next message. */
export async function sayText({ control, bot, person }: EchoSession, text: string): Promise<Shown> {
  const said = await control.sendMessage({ person, bot, text });
  return nextOfBot({ control, bot, person }, said.messageId);
}

/** Asks for the bot's own file; returns what it sent. */
export function askForFile(session: EchoSession): Promise<Shown> {
  return sayText(session, '/file');
}

/** Sends a file; returns the file that the bot sent back, with the hash of the original. */
export async function sendFile(
  { control, bot, person }: EchoSession,
  file: { kind: 'photo' | 'document'; name: string; bytes: number },
): Promise<{ sentSha256: string; echoed: Shown }> {
  const bytes = randomBytes(file.bytes);
  const sentSha256 = createHash('sha256').update(bytes).digest('hex');
  const { kind, name } = file;
  const said = await control.sendMessage({
    person,
    bot,
    file: { kind, name, base64: bytes.toString('base64') },
  });
  return { sentSha256, echoed: await nextOfBot({ control, bot, person }, said.messageId) };
}

/** Asks for the button and presses it; returns the text of the edited message and the answer to the press. */
export async function pressButton(session: EchoSession): Promise<{ text: unknown; answered: string | undefined }> {
  const { control, bot, person } = session;
  const shown = await sayText(session, '/button');
  const { queryId } = await control.pressButton({ person, bot, messageId: shown.message_id });
  const edited = await eventually(async () => {
    const message = await readMessage(session, shown.message_id);
    return message?.text === 'pressed' ? message : undefined;
  });
  // A webhook's reply may contain the call that answers the press; that call runs after the edit.
  const answer = await eventually(async () => (await control.readQuery({ queryId })).answer ?? undefined);
  return { text: edited.text, answered: answer.text };
}

/** Edits a message of the person and returns the bot's comment on the edit. */
export async function editText(session: EchoSession, text: string): Promise<Shown> {
  const { control, bot, person } = session;
  const said = await control.sendMessage({ person, bot, text: 'to be edited' });
  const echoed = await nextOfBot(session, said.messageId);
  await control.editMessage({ person, bot, messageId: said.messageId, text });
  return nextOfBot(session, echoed.message_id);
}

/** Returns the texts of the bot's messages in order, once there are `count` of them. */
export async function textsOfBot(session: EchoSession, count: number): Promise<unknown[]> {
  return eventually(async () => {
    const texts = (await readMessages(session)).filter((message) => isOf(message, session.bot)).map(({ text }) => text);
    return texts.length >= count ? texts : undefined;
  });
}

function nextOfBot(session: EchoSession, after: number): Promise<Shown> {
  return eventually(async () =>
    (await readMessages(session)).find((message) => message.message_id > after && isOf(message, session.bot)),
  );
}

async function readMessages({ control, bot, person }: EchoSession): Promise<Shown[]> {
  return (await control.readChat({ person, bot })).messages;
}

async function readMessage(session: EchoSession, id: number): Promise<Shown | undefined> {
  return (await readMessages(session)).find(({ message_id }) => message_id === id);
}

function isOf(message: Shown, bot: number): boolean {
  return (message.from as { id?: number } | undefined)?.id === bot;
}

function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  return waitFor(look, { timeoutMs: PATIENCE_MS, message: 'what is expected of the bot' }) as Promise<T>;
}
