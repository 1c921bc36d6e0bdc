import { EmbeddedPostgresError } from '@penstock/embedded-postgres';
import { ConfigurationError, PENSTOCK_RULES, readConfig } from '@penstock/runtime';
import { startStandalone } from './start-standalone';
import { STANDALONE_VARIABLES } from './standalone-variables';

const explained = (error: unknown): string =>
  error instanceof ConfigurationError || error instanceof EmbeddedPostgresError
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);

startStandalone(readConfig(process.env, STANDALONE_VARIABLES, PENSTOCK_RULES)).catch(
  (error: unknown) => {
    process.stderr.write(`penstock could not start: ${explained(error)}\n`);
    process.exit(1);
  },
);
