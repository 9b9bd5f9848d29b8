/** A Bot API call that succeeded, as the history keeps it. */
export type CapturedCall = {
  /** Lower case. */
  method: string;
  params: Record<string, string>;
  /** Raw JSON of the platform's `result`. */
  result: string;
};
