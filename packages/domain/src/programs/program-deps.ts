import type { BotDeps } from '../bots/bot-deps.ts';
import type { ChangeRulesDeps } from '../bots/change-rules.ts';

/** Dependencies of changes to a program. */
export type ProgramDeps = ChangeRulesDeps & Pick<BotDeps, 'backendPolicy' | 'publicUrl' | 'turns' | 'log'>;
