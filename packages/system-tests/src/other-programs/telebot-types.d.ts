/** telebot has no types; these describe the part that the program here uses. */
declare module 'telebot' {
  type Message = {
    message_id: number;
    chat: { id: number };
    text?: string;
    document: { file_id: string; file_name: string };
    reply: { text(text: string, options?: object): Promise<unknown> };
  };
  type Query = { id: string; message: Message };

  class TeleBot {
    /** Set by programs that use another server than the platform's. */
    api: string;
    fileLink: string;
    constructor(options: object);
    on(event: 'text' | 'edit' | 'document', listener: (message: Message) => unknown): void;
    on(event: 'callbackQuery', listener: (query: Query) => unknown): void;
    on(event: 'error', listener: (event: { error: unknown }) => void): void;
    inlineKeyboard(rows: object[][]): object;
    inlineButton(text: string, options: object): object;
    sendDocument(chatId: number, document: Buffer, options: object): Promise<unknown>;
    getFile(id: string): Promise<{ fileLink: string }>;
    answerCallbackQuery(id: string, options: object): Promise<unknown>;
    editMessageText(of: { chatId: number; messageId: number }, text: string): Promise<unknown>;
    /** Resolves when a webhook is set; undefined when it polls. */
    start(): Promise<void> | undefined;
  }
  // biome-ignore lint/style/noDefaultExport: it describes a library that has one
  export default TeleBot;
}
