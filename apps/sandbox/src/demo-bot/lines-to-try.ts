import { ADA, type DemoBot } from './register-demo-bot.ts';

/** Addresses as a person reaches them, and the API key to use. */
export type Reached = { apiUrl: string; simulatorUrl: string; proxyPrefix: string; apiKey: string };

/** Three commands that may be pasted at once: the second waits until the bot's reply to the first is in the history. */
export function linesToTry({ apiUrl, simulatorUrl, proxyPrefix, apiKey }: Reached, bot: DemoBot): string[] {
  const said = JSON.stringify({ person: ADA.id, bot: bot.telegramId, text: 'Hello' });
  const history = `'${apiUrl}/api/messages?bot_id=${bot.id}&chat_id=${ADA.id}' -H 'Authorization: Bearer ${apiKey}'`;
  return [
    `  curl -sw '\\n' ${simulatorUrl}/control/sendMessage -H 'Content-Type: application/json' -d '${said}'`,
    `  until curl -sw '\\n' ${history} | grep 'You said'; do sleep 0.2; done`,
    `  curl -sw '\\n' ${apiUrl}${proxyPrefix}/bot${bot.token}/sendMessage -d chat_id=${ADA.id} -d text=Hi`,
  ];
}
