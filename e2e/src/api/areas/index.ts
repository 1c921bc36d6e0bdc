import type { Table } from '../table';
import { AUDIT, KEYS, WORKSPACES } from './administration';
import { APPLICATIONS } from './applications';
import { CONNECTIONS, CONNECTORS } from './connections';
import { DELIVERIES } from './deliveries';
import { DRY_RUN } from './dry-run';
import { EVENTS_TO_APPLICATIONS } from './events-to-applications';
import { IDENTITIES } from './identities';
import { INTAKE } from './intake';
import { LIMITED } from './limits';
import { LINKS } from './links';
import { OPERATION } from './operation';
import { PIPELINES } from './pipelines';
import { PROFILES } from './profiles';
import { HEALTH, OPERATIONS, RUNS, STOPPED_RUNS } from './runs';
import { TYPES } from './types';
import { VALUES } from './values';
import { WAREHOUSE } from './warehouse';
import { WIRE } from './wire';
import { WRITE_KEYS } from './write-keys';

/** The tables of all areas. */
export const AREAS: Readonly<Record<string, Table>> = {
  warehouse: { ...WAREHOUSE, ...OPERATIONS },
  pipelines: { ...PIPELINES, ...RUNS },
  'events to applications': EVENTS_TO_APPLICATIONS,
  links: LINKS,
  'write keys': WRITE_KEYS,
  applications: APPLICATIONS,
  types: { ...TYPES, ...VALUES },
  connections: { ...CONNECTIONS, ...HEALTH },
  connectors: CONNECTORS,
  keys: KEYS,
  workspaces: WORKSPACES,
  deliveries: DELIVERIES,
  audit: AUDIT,
  identities: IDENTITIES,
  profiles: PROFILES,
  intake: INTAKE,
  wire: WIRE,
  'dry run': DRY_RUN,
};

/** Tables of rows that affect the whole organization: they run in an installation of their own, with `LIMITS`. */
export const ORGANIZATION: Readonly<Record<string, Table>> = { organization: LIMITED };

/** Tables of rows that restart the service or change its database: they run in an installation of their own too. */
export const OPERATED: Readonly<Record<string, Table>> = {
  // The last rows of operation leave one workspace.
  operation: { ...STOPPED_RUNS, ...OPERATION },
};
