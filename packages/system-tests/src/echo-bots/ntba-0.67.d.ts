/** node-telegram-bot-api 0.67 has no types; these describe the part that the echo bot uses. */
declare module 'ntba-0.67' {
  export type Message = {
    message_id: number;
    chat: { id: number };
    text?: string;
    photo?: { file_id: string }[];
    document?: { file_id: string; file_name?: string };
  };
  type Query = { id: string; message: Message };

  class TelegramBot {
    constructor(token: string, options: object);
    on(event: 'message' | 'edited_message', listener: (message: Message) => void): void;
    on(event: 'callback_query', listener: (query: Query) => void): void;
    on(event: 'polling_error', listener: (error: Error) => void): void;
    sendMessage(chatId: number, text: string, options?: object): Promise<Message>;
    sendPhoto(chatId: number, photo: Buffer, options: object, file: object): Promise<Message>;
    sendDocument(chatId: number, document: Buffer, options: object, file: object): Promise<Message>;
    answerCallbackQuery(id: string, options: object): Promise<boolean>;
    editMessageText(text: string, options: object): Promise<Message>;
    getFileStream(fileId: string): AsyncIterable<Buffer>;
    setWebHook(url: string, options: object): Promise<boolean>;
    processUpdate(update: object): void;
    stopPolling(): Promise<void>;
  }
  // biome-ignore lint/style/noDefaultExport: it describes a library that has one
  export default TelegramBot;
}
