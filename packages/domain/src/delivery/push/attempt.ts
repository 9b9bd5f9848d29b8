/** One try, as the attempt log shows it. */
export type Attempt = {
  at: string;
  update_id: number;
  /** Absent when it is in no chat. */
  chat_id?: number;
  /** Absent for the bot's own backend. */
  program_id?: number;
  /** Of the configuration under which it was sent. */
  revision: number;
  /** 0 when there was no answer. */
  status: number;
  duration_ms: number;
  /** Absent when it was delivered. */
  error?: string;
  /** Why the call in the answer to a delivered update did not succeed. */
  call_error?: string;
};
