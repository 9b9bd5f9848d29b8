import { parseArgs } from 'node:util';
import { inheritedEnv, readSettings } from '@flotilla/runtime/env.ts';
import { runMain } from '@flotilla/runtime/lifecycle.ts';
import { MAY_BE_EMPTY, SETTINGS } from './config.ts';
import { startSandbox } from './start.ts';

const { values } = parseArgs({ options: { empty: { type: 'boolean', default: false } } });
const settings = () => readSettings(SETTINGS, inheritedEnv(), MAY_BE_EMPTY);

runMain('sandbox', async () => startSandbox(settings(), { isEmpty: values.empty }), { plain: true });
