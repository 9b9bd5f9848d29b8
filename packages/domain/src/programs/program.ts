/** A named reader of a bot's updates that asks for them. */
export interface Program {
  id: number;
  botId: number;
  name: string;
  mode: 'pull';
  /** Empty: the platform's default set. */
  kinds: string[];
  enabled: boolean;
  createdAt: Date;
}

/** The fields of a program that its author chooses. */
export type ProgramContent = Pick<Program, 'name' | 'mode' | 'kinds' | 'enabled'>;
/** An undefined field keeps its value. */
export type ProgramChanges = { [Name in 'name' | 'kinds' | 'enabled']?: Program[Name] | undefined };
