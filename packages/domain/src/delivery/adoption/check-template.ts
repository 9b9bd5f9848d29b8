import type { BotTemplate, TemplateProgram } from '@flotilla/contract/bot-template.ts';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { DEFAULT_MAX_CONNECTIONS } from '../../fleet/bots/bot.ts';
import type { ProgramContent } from '../programs/program.ts';
import { refuseFilter } from '../programs/refuse-filter.ts';

/** Throws FlotillaError('bad_request') for programs that could not be added to a bot. Their URLs are checked with the bot's. */
export function checkTemplate({ programs = [] }: BotTemplate): void {
  const names = new Set<string>();
  for (const [at, program] of programs.entries()) {
    const path = `template.programs.${at}`;
    const { name, mode, backend_url, filter } = programContent(program);
    if (names.has(name)) throw refusedInput(`${path}.name`, 'is the name of another program of the template');
    names.add(name);
    if (mode === 'push' && backend_url === '') throw refusedInput(`${path}.backend_url`, 'is required for mode push');
    refuseFilter(
      filter,
      programs.slice(0, at).map((other) => other.filter),
    );
  }
}

/** The program that a template describes, given by an admin. */
export function programContent(given: TemplateProgram): ProgramContent {
  const { backend_url = '', max_connections = DEFAULT_MAX_CONNECTIONS, ...program } = given;
  const { mode = backend_url === '' ? 'pull' : 'push' } = program;
  const backend = { backend_url, secret_token: '', max_connections, backend_certificate: '', backend_ip_address: '' };
  return { ...program, ...backend, mode, enabled: true, backend_role: 'admin' };
}
