import { acceptUpdates } from '@flotilla/domain/delivery/intake/accept-updates.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { NOW, patchBotState } from '@flotilla/domain/fleet/bots/patch-bot-state.ts';
import { isPlatformSecret } from '@flotilla/domain/fleet/bots/platform-webhook.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { sliceUpdate } from '@flotilla/telegram/slice-updates.ts';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Intake, IntakeOutcome } from '../api-metrics.ts';
import type { Context } from '../context.ts';
import { classifyError } from '../http/classify-error.ts';
import { noteKnownSender } from '../http/known-sender.ts';
import { endWithAnswer, incomingTraceparent } from '../http/observe-request.ts';
import { MAX_BODY_BYTES, readBytes } from '../http/read-fields.ts';

const RETRY_AFTER_S = 1;
const FULL_RETRY_AFTER_S = 5;

/**
 * `POST /telegram/<bot id>`: the platform pushes an update. Answers 200 only after it is in the log. In doubt, or if
 * the bot is disabled or full, it answers 503: the platform keeps the update for a day and sends it again.
 */
export function platformWebhook(context: Context): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const receive: RequestHandler = (request, response, next) => {
    const intake = context.apiMetrics.intake.began();
    receiveUpdate(context, request, response, intake).catch((error: unknown) => {
      intake.ended(intakeOutcomeOf(error));
      next(error);
    });
  };
  router.post('/telegram/:botId', receive);
  router.all('/telegram/:botId', (_request, response) => {
    response.setHeader('Allow', 'POST');
    throw new FlotillaError('method_not_allowed', 'The platform pushes updates with POST');
  });
  return router;
}

async function receiveUpdate(context: Context, request: Request, response: Response, intake: Intake): Promise<void> {
  const bot = addressedBot(context, request);
  // The platform keeps the update for a day, for whichever installation is to have it.
  context.installation.requireActive();
  const span = context.tracing?.start('receive update', {
    kind: 'server',
    parent: incomingTraceparent(request.headers),
    attributes: { 'flotilla.bot_id': bot.id },
  });
  if (span) endWithAnswer(span, response);
  noteKnownSender(request, { owner: `intake:${bot.id}`, scope: '' });
  const body = { budget: context.bodies, limitBytes: MAX_BODY_BYTES } as const;
  const update = sliceUpdate((await readBytes({ request, response, ...body })).toString('utf8'));
  if (update === null) throw new FlotillaError('bad_request', 'The body is not an update');
  const accepted = await acceptUpdates(context, bot, [update], undefined, span);
  switch (accepted.outcome) {
    case 'accepted':
      context.apiMetrics.accepted.inc(accepted.appended);
      intake.ended(accepted.appended > 0 ? 'accepted' : 'duplicate');
      response.status(200).type('application/json').send('{}');
      return;
    case 'gone':
      // The bot was just deleted, or Redis lost data in a restart; the next attempt knows which.
      throw new FlotillaError('unavailable', 'The bot is not set up at the moment', { retryAfterS: RETRY_AFTER_S });
    case 'disabled':
      intake.ended('disabled');
      throw new FlotillaError('unavailable', 'The bot is disabled', { retryAfterS: RETRY_AFTER_S });
    case 'fenced':
      intake.ended('disabled');
      throw new FlotillaError('unavailable', 'The bot moves to another server', { retryAfterS: RETRY_AFTER_S });
    case 'full':
      intake.ended('full');
      await patchBotState(context, bot, { intakePausedAt: NOW });
      throw new FlotillaError('unavailable', 'The backlog is full', { retryAfterS: FULL_RETRY_AFTER_S });
  }
}

/** The secret proves that the platform calls. Callers without it must not learn which bots exist. */
function addressedBot(context: Context, request: Request): Bot {
  const { botId } = request.params;
  const id = typeof botId === 'string' && /^\d{1,15}$/.test(botId) ? Number(botId) : 0;
  const bot = context.directory.byId(id);
  if (!bot || !isPlatformSecret(bot, request.get('x-telegram-bot-api-secret-token') ?? '')) {
    throw new FlotillaError('unauthorized', 'The secret token of the platform is missing or wrong');
  }
  return bot;
}

function intakeOutcomeOf(error: unknown): IntakeOutcome {
  switch (classifyError(error).code) {
    case 'unauthorized':
      return 'unauthorized';
    case 'unavailable':
    case 'quarantined':
      return 'unavailable';
    case 'internal':
      return 'failed';
    default:
      return 'refused';
  }
}
