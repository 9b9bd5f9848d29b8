import type { BotDeps } from '../../fleet/bots/bot-deps.ts';
import type { ChangeRulesDeps } from '../../fleet/bots/change-rules.ts';

/** Dependencies of changes to a program. */
export type ProgramDeps = ChangeRulesDeps & Pick<BotDeps, 'backendPolicy' | 'publicUrl' | 'turns' | 'log'>;
