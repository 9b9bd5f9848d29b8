import { addAbortSignal } from 'node:stream';
import { OK } from '@flotilla/contract/fields.ts';
import type { messageActionOperations, SentMedia } from '@flotilla/contract/message-actions.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import type { Actor } from '@flotilla/domain/people/audit/actor.ts';
import { deleteMessage } from '@flotilla/domain/records/chat-actions/delete-message.ts';
import { pinMessage } from '@flotilla/domain/records/chat-actions/pin-message.ts';
import { unpinMessage } from '@flotilla/domain/records/chat-actions/unpin-message.ts';
import { inConversation } from '@flotilla/domain/records/chats/conversation.ts';
import { announceDesk } from '@flotilla/domain/records/desk/desk-news.ts';
import { editMessage } from '@flotilla/domain/records/messages/edit-message.ts';
import { type MediaSource, type NewContent, sendMessage } from '@flotilla/domain/records/messages/send-message.ts';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { IncomingFile } from '../http/incoming-file.ts';
import { requireBot } from '../operations/bot-of-call.ts';
import type { Call, Handlers } from '../operations/handler.ts';
import { accountOf } from './account-of.ts';
import { presentMessage } from './present-message.ts';
import { renewHoldOf } from './renew-hold-of.ts';
import { type Sender, sendersOf } from './senders-of.ts';

type SendInput = Call<typeof messageActionOperations.sendMessage.input>['input'];

/** The formats that the platform shows as more than a document. */
const MEDIA_OF_MIME: Record<string, SentMedia> = {
  'image/jpeg': 'photo',
  'image/png': 'photo',
  'image/webp': 'photo',
  'image/gif': 'animation',
  'video/mp4': 'video',
  'audio/mpeg': 'audio',
  'audio/mp4': 'audio',
  'audio/x-m4a': 'audio',
  'audio/ogg': 'voice',
};

export const messageActionHandlers: Handlers<typeof messageActionOperations> = {
  async sendMessage(context, { input, file, caller, by, whileAllowed }) {
    const message = { ...input, content: contentOf(input, file), silent: input.disable_notification };
    const bot = requireBot(context, input.bot_id);
    const send = () => sendMessage(context, bot, by, message);
    const sent =
      file === null
        ? await send()
        : await whileAllowed((ended) => {
            addAbortSignal(ended, file);
            return send();
          });
    await renewHoldOf(context, bot, by, sent, input.renews_hold);
    const at = inConversation(sent);
    await announceDesk(context, { kind: 'chat', action: 'send', ...at, ...accountOf(caller) });
    return presentMessage(bot, sent, senderOf(by, caller));
  },

  async editMessage(context, { input, by }) {
    const bot = requireBot(context, input.bot_id);
    const message = await editMessage(context, bot, by, input);
    const senders = await sendersOf(context, [message]);
    return presentMessage(bot, message, senders(message));
  },

  async deleteMessage(context, { input, by }) {
    await deleteMessage(context, requireBot(context, input.bot_id), by, input);
    return OK;
  },

  async pinMessage(context, { input, by }) {
    await pinMessage(context, requireBot(context, input.bot_id), by, input);
    return OK;
  },

  async unpinMessage(context, { input, by }) {
    await unpinMessage(context, requireBot(context, input.bot_id), by, input);
    return OK;
  },
};

function senderOf(by: Actor, { account: { display_name: name } }: Caller): Sender {
  if (by.kind !== 'account') return {};
  return { account: by.username, account_id: by.accountId, ...(name && { account_name: name }) };
}

/** The content of a call: a text, or a medium. Throws 'bad_request' when it has neither, or more than one medium. */
function contentOf(input: SendInput, file: IncomingFile | null): NewContent {
  const { text, media_type: media } = input;
  const source = sourceOf(input, file);
  if (source !== null) return { media: media ?? mediaOf(source), caption: text, source };
  if (media !== undefined) throw refusedInput('media_type', 'needs a file, a file_id or a url');
  if (text === undefined) throw refusedInput('text', 'is required');
  if (text === '') throw refusedInput('text', 'must not be empty');
  return { text };
}

function sourceOf({ file_id, url }: SendInput, file: IncomingFile | null): MediaSource | null {
  const [source, another] = [file, file_id, url].filter((given) => given !== null && given !== undefined);
  if (another !== undefined) throw refusedInput('file', 'must be the only one of file, file_id and url');
  if (source === undefined || typeof source === 'string') return source ?? null;
  return { name: source.fileName, mime: source.mime, size: null, stream: source };
}

function mediaOf(source: MediaSource): SentMedia {
  if (typeof source === 'string') throw refusedInput('media_type', 'is required with file_id and url');
  return MEDIA_OF_MIME[source.mime] ?? 'document';
}
