/** The line that names the API root in older versions, which have no program of their own here; `token` is its variable. */
export function linesOf(root: string): readonly (readonly [string, string])[] {
  return [
    ['node-telegram-bot-api 0.67', `new TelegramBot(token, { baseApiUrl: '${root}', polling: true })`],
    ['python-telegram-bot 13', `Updater(token, base_url="${root}/bot", base_file_url="${root}/file/bot")`],
  ];
}
