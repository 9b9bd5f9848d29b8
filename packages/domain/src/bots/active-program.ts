/** A program as the configuration of its bot carries it. */
export type ActiveProgram = {
  id: number;
  name: string;
  enabled: boolean;
  /** Empty: the platform's default set. */
  kinds: string[];
};
