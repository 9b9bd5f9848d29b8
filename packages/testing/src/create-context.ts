import type { ApiConfig } from '@flotilla/api/config.ts';
import { API, apiContext, type Context } from '@flotilla/api/context.ts';
import { openService, type ServiceOptions } from '@flotilla/domain/startup/open-service.ts';

/** The context of an api, without its server; rejects if Redis cannot be reached. */
export async function createContext(config: ApiConfig, options: ServiceOptions): Promise<Context> {
  return apiContext(config, await openService([API], config, options));
}
