import { measureApi } from './api-latency';
import { measureBesideResolution } from './beside-resolution';
import { compare } from './compare/compare';
import { measureDatabases } from './databases';
import { measureDeadLetters } from './dead-letters';
import { measureEvents } from './events';
import { measureExports } from './exports';
import { measureFiles } from './files';
import { measureHistory } from './history';
import { measureImports } from './imports';
import { measureLanguage } from './language/measure-language';
import { measureProfiles } from './profiles';
import { measureReplica } from './replica-size';
import { measureResolution } from './resolution';
import { measureRouter } from './router/measure-router';
import { measureRunStart } from './run-start';
import { measureStart } from './start-time';
import { measureTenants } from './tenants';
import { measureWarehouse } from './warehouse';

/** What each measures, until it is done. */
const BENCHES: Readonly<Record<string, () => unknown>> = {
  embedded: () => measureEvents('embedded'),
  kafka: () => measureEvents('kafka'),
  language: measureLanguage,
  router: measureRouter,
  compare,
  api: () => measureApi(process.argv[3]),
  replica: measureReplica,
  databases: measureDatabases,
  'dead-letters': measureDeadLetters,
  profiles: measureProfiles,
  import: measureImports,
  export: measureExports,
  files: measureFiles,
  history: measureHistory,
  tenants: measureTenants,
  start: measureStart,
  'run-start': measureRunStart,
  warehouse: measureWarehouse,
  resolution: measureResolution,
  'beside-resolution': measureBesideResolution,
};

/** @throws Error when no bench has the name. */
const run = async (name: string | undefined): Promise<void> => {
  if (name === undefined || name === '--seconds') return measureEvents();
  const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
  if (bench === undefined)
    throw new Error(`there is no bench ${name}; there are: ${Object.keys(BENCHES).join(', ')}`);
  await bench();
};

run(process.argv[2]).catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exit(1);
});
