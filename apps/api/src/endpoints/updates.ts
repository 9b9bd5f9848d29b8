import type { updateOperations } from '@flotilla/contract/updates.ts';
import { readUpdates } from '@flotilla/domain/pull/read-updates.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { DEFAULT_KINDS } from '@flotilla/telegram/update-kinds.ts';
import { requireBot } from '../http/bot-of-call.ts';
import type { Handlers } from '../http/handler.ts';
import { sendJson } from '../http/send-answer.ts';
import { untilGone } from '../http/while-allowed.ts';
import { kindsOfInput } from './bots.ts';

export const updateHandlers: Handlers<typeof updateOperations> = {
  async pollUpdates(context, { input, response, whileAllowed }) {
    const { offset, limit, timeout, consumer = null } = input;
    const bot = requireBot(context, input.bot_id);
    if (!bot.longPollEnabled) throw new FlotillaError('bad_request', 'Long polling is off for this bot');
    const allowed = kindsOfInput(input.allowed_updates);
    const kinds = allowed === undefined ? null : (allowed ?? [...DEFAULT_KINDS]);
    const request = { consumer, offset, limit, timeoutMs: timeout * 1000, kinds, throttle: false };
    const updates = await whileAllowed((ended) =>
      untilGone([context.stopping, ended], response, (signal) => readUpdates(context, bot, { ...request, signal })),
    );
    context.apiMetrics.pulled.of('rest').inc(updates.length);
    sendJson(response, 200, `{"ok":true,"result":[${updates.join(',\n')}]}`);
  },
};
