import { badRequest } from '../bot-api-error.ts';
import { keepSetting } from '../bots/keep-setting.ts';
import type { SimBot } from '../bots/sim-bot.ts';
import type { Message } from '../chats/chat.ts';
import { boolean, integer, type Params, text } from '../http/params.ts';
import { readCaption } from '../messages/read-text.ts';
import { newQueryId } from '../simulator.ts';
import { answer } from './answer-query.ts';
import type { Call, Method } from './call.ts';
import { edit } from './edit-message.ts';
import { send } from './send.ts';

/** A widget as the Bot API shows it. */
export type Widget = {
  html: string;
  id?: string;
  width?: number;
  height?: number;
  public_data?: string;
  chat_data?: string;
};

/** The widgets of a bot: those of its messages that may ask it, and its shared ones by their id. */
type Widgets = { asking: string[]; shared: Record<string, Widget & { asks: boolean }> };

const HTML_BYTES = 32_768;
const DATA_BYTES = 1024;
const WIDGETS_OF_BOT = 'widgets';

/** Widgets run nowhere here: the control API taps them. */
export const WIDGETS: Record<string, Method> = {
  sendWidget,
  sendSharedWidget,
  answerWidgetQuery,
  editMessageWidgetData,
  editSharedWidgetData,
};

/** True if the widget of this message may ask the bot. */
export function mayAsk(bot: SimBot, { chat, message_id }: Message): boolean {
  return widgetsOf(bot).asking.includes(`${chat.id}/${message_id}`);
}

async function sendWidget(call: Call): Promise<unknown> {
  const { sim, bot, params } = call;
  const asks = boolean(params, 'allow_queries');
  const html = text(params, 'html');
  if (html === '') throw badRequest('widget HTML must be non-empty');
  if (Buffer.byteLength(html) > HTML_BYTES) throw badRequest('widget HTML is too long');
  const size = Object.fromEntries(
    ['width', 'height'].flatMap((name) => (text(params, name) === '' ? [] : [[name, integer(params, name, 0)]])),
  );
  const widget: Widget = { html, ...size, ...dataIn(params) };
  if (boolean(params, 'is_shared')) {
    widget.id = newQueryId(sim);
    const known = widgetsOf(bot);
    keepWidgets(call, { ...known, shared: { ...known.shared, [widget.id]: { ...widget, asks } } });
  }
  return sendOne(call, widget, asks);
}

function sendSharedWidget(call: Call): Promise<unknown> {
  const { asks, chat_data: _, ...widget } = sharedOf(call);
  return sendOne(call, { ...widget, ...dataIn(call.params, ['chat_data']) }, asks);
}

/** At the platform too, a message with a widget cannot be forwarded. */
async function sendOne(call: Call, widget: Widget, asks: boolean): Promise<Message> {
  const message = await send(call, 'can_send_other_messages', () => ({
    widget,
    ...readCaption(call.params),
    has_protected_content: true,
  }));
  const known = widgetsOf(call.bot);
  if (asks) keepWidgets(call, { ...known, asking: [...known.asking, `${message.chat.id}/${message.message_id}`] });
  return message;
}

function answerWidgetQuery(call: Call): true {
  if (Buffer.byteLength(text(call.params, 'data')) > DATA_BYTES) throw badRequest('widget query answer is too long');
  return answer(call, 'widget', 'widget_query_id');
}

function editMessageWidgetData(call: Call): Promise<unknown> {
  const changes = dataIn(call.params);
  return edit(call, ['widget'], ({ widget, reply_markup: markup }) => {
    if (widget === undefined) throw badRequest('there is no widget in the message to edit');
    const changed = { ...(widget as Widget), ...changes };
    if (changed.id !== undefined) editShared(call, changed.id, changed.public_data ?? '');
    return { widget: changed, ...(markup === undefined ? {} : { reply_markup: markup }) };
  });
}

function editSharedWidgetData(call: Call): true {
  const { public_data: data = '' } = dataIn(call.params, ['public_data']);
  editShared(call, sharedOf(call).id ?? '', data);
  return true;
}

/** All messages with a shared widget have the same public data. */
function editShared(call: Call, id: string, data: string): void {
  const { sim, bot } = call;
  const known = widgetsOf(bot);
  const shared = known.shared[id];
  if (shared === undefined) return;
  keepWidgets(call, { ...known, shared: { ...known.shared, [id]: { ...shared, public_data: data } } });
  for (const chat of sim.chats.values()) {
    for (const message of chat.messages.values()) {
      const widget = message.widget as Widget | undefined;
      if (widget?.id !== id) continue;
      message.widget = { ...widget, public_data: data };
      sim.storage.saveMessage(chat, message);
    }
  }
}

function sharedOf({ bot, params }: Call): Widget & { asks: boolean } {
  const shared = widgetsOf(bot).shared[text(params, 'widget_id')];
  if (shared === undefined) throw badRequest('widget not found');
  return shared;
}

type Data = 'public_data' | 'chat_data';

function dataIn(params: Params, names: Data[] = ['public_data', 'chat_data']): Partial<Record<Data, string>> {
  const given = names.filter((name) => params.values.has(name)).map((name) => [name, text(params, name)] as const);
  if (given.some(([, data]) => Buffer.byteLength(data) > DATA_BYTES)) throw badRequest('widget data is too long');
  return Object.fromEntries(given);
}

function widgetsOf(bot: SimBot): Widgets {
  return (bot.settings[WIDGETS_OF_BOT] ?? { asking: [], shared: {} }) as Widgets;
}

function keepWidgets({ sim, bot }: Call, widgets: Widgets): void {
  keepSetting(sim, bot, WIDGETS_OF_BOT, widgets);
}
