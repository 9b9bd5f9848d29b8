import {
  addBot,
  checkBackendHealth,
  deleteBot,
  listBots,
  revealToken,
  showBot,
  toggleBotDisabled,
  updateBot,
  validateToken,
} from '../../operations/bots.ts';
import { documentOperation, PLATFORM_ERRORS } from '../document-operation.ts';
import { BOT, TOKEN } from './resource-examples.ts';

export const botsDocumentation = [
  documentOperation(listBots, { example: { input: { limit: 20 }, output: [BOT] } }),
  documentOperation(showBot, { example: { input: { id: 7 }, output: BOT } }),
  documentOperation(addBot, {
    description:
      'A webhook that stood at the platform is removed; the updates that wait there are not dropped. `manage_enabled` is on unless said otherwise, the other switches are off.',
    errors: ['conflict', ...PLATFORM_ERRORS],
    example: {
      input: { token: TOKEN, long_poll_enabled: true, description: 'Answers questions about orders' },
      output: BOT,
    },
  }),
  documentOperation(validateToken, {
    errors: PLATFORM_ERRORS,
    example: {
      input: { token: TOKEN },
      output: { id: 123456789, username: 'helpdesk_bot', first_name: 'Help desk' },
    },
  }),
  documentOperation(updateBot, {
    description: 'A new token must be one of the same bot.',
    errors: ['conflict', ...PLATFORM_ERRORS],
    example: {
      input: { id: 7, proxy_enabled: true, backend_url: 'https://bots.example.com/helpdesk' },
      output: { ...BOT, proxy_enabled: true, backend_url: 'https://bots.example.com/helpdesk' },
    },
  }),
  documentOperation(toggleBotDisabled, {
    description:
      'A disabled bot is not polled, refuses what the platform pushes, forwards nothing and acts in no chat; what waits is kept. Enabling restores all of it.',
    errors: PLATFORM_ERRORS,
    example: { input: { id: 7 }, output: { ...BOT, disabled: true, running: false } },
  }),
  documentOperation(revealToken, {
    description: 'So that no page has to hold the tokens of a fleet. Who was shown which token is in the audit log.',
    example: { input: { id: 7 }, output: { token: TOKEN } },
  }),
  documentOperation(deleteBot, {
    description:
      'Of the audit log stays what people did to the bot and through it, and what changed its settings; what the bot itself did in its chats goes.',
    example: { input: { id: 7 }, output: { ok: true } },
  }),
  documentOperation(checkBackendHealth, {
    description:
      'Healthy is any status below 400, and 405, which a webhook that takes POST only answers. A bot without a backend URL is 400.',
    example: { input: { id: 7 }, output: { healthy: true, status_code: 200, latency_ms: 35 } },
  }),
];
