import { type Program, programInFile } from './program.ts';

const file = 'bot.mjs';
const run = `node ${file}`;

export const NODE_PROGRAMS: readonly Program[] = [
  programInFile({
    ...{ id: 'grammy', name: 'grammY', install: 'npm install grammy@1', file, run },
    text: (root) => `import { Bot } from 'grammy';

const token = process.env.BOT_TOKEN;
const bot = new Bot(token, { client: { apiRoot: '${root}' } });

bot.on('message:text', (context) =>
  context.reply(\`You said: \${context.message.text}\`),
);

bot.start();
`,
  }),
  programInFile({
    ...{ id: 'telegraf', name: 'Telegraf', install: 'npm install telegraf@4', file, run },
    text: (root) => `import { Telegraf } from 'telegraf';
import { message } from 'telegraf/filters';

const token = process.env.BOT_TOKEN;
const bot = new Telegraf(token, { telegram: { apiRoot: '${root}/' } });

bot.on(message('text'), (context) =>
  context.reply(\`You said: \${context.message.text}\`),
);

bot.launch();
`,
  }),
  programInFile({
    ...{ id: 'node-telegram-bot-api', name: 'node-telegram-bot-api' },
    ...{ install: 'npm install node-telegram-bot-api@2', file, run },
    text: (root) => `import { Bot } from 'node-telegram-bot-api';

const token = process.env.BOT_TOKEN;
const bot = new Bot(token, { apiRoot: '${root}' });

bot.on('message', (context) =>
  context.reply(\`You said: \${context.message.text}\`),
);

await bot.startPolling();
`,
  }),
  programInFile({
    ...{ id: 'gramio', name: 'gramio', install: 'npm install gramio', file, run },
    text: (root) => `import { Bot } from 'gramio';

const token = process.env.BOT_TOKEN;
const bot = new Bot(token, { api: { baseURL: '${root}/bot' } });

bot.on('message', (context) => context.send(\`You said: \${context.text}\`));

bot.start();
`,
  }),
  programInFile({
    ...{ id: 'puregram', name: 'puregram', install: 'npm install puregram@2', file, run },
    text: (root) => `import puregram from 'puregram';

const { Telegram } = puregram;
const token = process.env.BOT_TOKEN;
const telegram = Telegram.fromToken(token, { apiBaseUrl: '${root}/bot' });

telegram.updates.on('message', (context) =>
  context.send(\`You said: \${context.text}\`),
);

telegram.updates.startPolling();
`,
  }),
];
