/** The line of a program that names the API root, by library; `token` stands for its variable. */
export function linesOf(root: string): readonly (readonly [string, string])[] {
  return [
    ['grammY', `new Bot(token, { client: { apiRoot: '${root}' } })`],
    ['Telegraf', `new Telegraf(token, { telegram: { apiRoot: '${root}/' } })`],
    ['node-telegram-bot-api 2', `new Bot(token, { apiRoot: '${root}' })`],
    ['node-telegram-bot-api 0.67', `new TelegramBot(token, { baseApiUrl: '${root}', polling: true })`],
    ['gramio', `new Bot(token, { api: { baseURL: '${root}/bot' } })`],
    ['puregram', `Telegram.fromToken(token, { apiBaseUrl: '${root}/bot' })`],
    ['python-telegram-bot 13', `Updater(token, base_url="${root}/bot", base_file_url="${root}/file/bot")`],
    [
      'python-telegram-bot 20 and newer',
      `Application.builder().token(token).base_url("${root}/bot").base_file_url("${root}/file/bot")`,
    ],
    ['aiogram 3', `Bot(token, session=AiohttpSession(api=TelegramAPIServer.from_base("${root}")))`],
    ['pyTelegramBotAPI', `apihelper.API_URL = "${root}/bot{0}/{1}"; apihelper.FILE_URL = "${root}/file/bot{0}/{1}"`],
  ];
}
