import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { Library } from './start-echo-bot.ts';

const ROOT = 'http://your-host:8080/tgapi';
const TITLES: Record<Library, string> = {
  grammy: 'grammY',
  telegraf: 'Telegraf',
  'node-telegram-bot-api': 'node-telegram-bot-api 2',
  'node-telegram-bot-api-0.67': 'node-telegram-bot-api 0.67',
  gramio: 'gramio',
  puregram: 'puregram',
  'python-telegram-bot': 'python-telegram-bot 13',
};

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

/** The line of an echo bot that creates its client, with the page's values in place of the settings. */
function lineOf(library: string): string {
  const isPython = library === 'python-telegram-bot';
  const program = read(`./${library}.${isPython ? 'py' : 'ts'}`);
  const made = isPython
    ? /^updater = (Updater\([\s\S]*?),?\n\)/m.exec(program)
    : /^const \w+ = ((?:new (?:Bot|Telegraf|TelegramBot)|Telegram\.fromToken)\(.*\));$/m.exec(program);
  return `${made![1]}${isPython ? ')' : ''}`
    .replace(/\s+/g, ' ')
    .replace('( ', '(')
    .replace(/`\$\{settings\.apiRoot\}([^`]*)`/g, `'${ROOT}$1'`)
    .replace(/settings\["apiRoot"\] \+ "([^"]*)"/g, `"${ROOT}$1"`)
    .replace(/settings\.apiRoot/g, `'${ROOT}'`)
    .replace(/settings(\.token|\["token"\])/g, 'token')
    .replace("settings.mode === 'pull'", 'true');
}

test.each(Object.entries(TITLES))(
  'the page of libraries shows of %s the line that its echo bot is tested with',
  (library, title) => {
    const row = read('../../../../docs/recipes/libraries.md')
      .split('\n')
      .find((line) => line.startsWith(`| ${title} |`));
    expect(row).toBe(`| ${title} | \`${lineOf(library)}\` |`);
  },
);
