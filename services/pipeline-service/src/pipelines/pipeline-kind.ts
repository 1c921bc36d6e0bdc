import type { Connector, Target } from '@penstock/connectors';
import {
  type ConnectionState,
  type KindInput,
  type PipelineInput,
  Refusal,
} from '@penstock/contracts';
import { pointer } from '@penstock/schema';

/** Imports of users, by what they read. */
export type ImportKind = 'application' | 'database' | 'file';

/** Exports of profiles, by what they write. */
export type ExportKind = 'toApplication' | 'toDatabase' | 'toFile';

/** Pipelines that write into the warehouse what a source of events receives: the identities in events, or the events. */
type WarehouseKind = 'identities' | 'rows';

/** What pipelines can be: those that send events to an application are `event`. */
export type PipelineKind = 'event' | WarehouseKind | ImportKind | ExportKind;

/** Members of a request that not every kind has. */
type Member =
  | keyof KindInput
  | keyof Pick<PipelineInput, 'filter' | 'transformation' | 'outSchema'>
  | 'eventType';

const EVERY_MEMBER = {
  eventType: true,
  query: true,
  format: true,
  path: true,
  sheet: true,
  compression: true,
  formatSettings: true,
  userIDColumn: true,
  updatedAtColumn: true,
  updatedAtFormat: true,
  missingColumns: true,
  orderBy: true,
  tableName: true,
  tableKey: true,
  exportMode: true,
  matching: true,
  updateOnDuplicates: true,
  filter: true,
  transformation: true,
  inSchema: true,
  outSchema: true,
  incremental: true,
} as const satisfies Record<Member, true>;

/** The members of one kind. Members that depend on others are checked with those. */
interface Members {
  /** For people. */
  readonly kind: string;
  readonly required: readonly Member[];
  readonly optional: readonly Member[];
}

const TRANSFORMED = ['transformation', 'inSchema', 'outSchema'] as const;
const COLUMNS = ['updatedAtColumn', 'updatedAtFormat', 'missingColumns', 'incremental'] as const;

const MEMBERS: Readonly<Record<PipelineKind, Members>> = {
  event: {
    kind: 'a pipeline on events',
    required: ['eventType'],
    optional: ['filter', 'transformation', 'outSchema'],
  },
  identities: {
    kind: 'a pipeline that takes identities from events',
    required: [],
    optional: ['filter', 'transformation', 'outSchema'],
  },
  rows: {
    kind: 'a pipeline that writes events into the warehouse',
    required: [],
    optional: ['filter'],
  },
  application: {
    kind: 'a pipeline that imports from an application',
    required: TRANSFORMED,
    optional: ['filter', 'incremental'],
  },
  database: {
    kind: 'a pipeline that imports from a database',
    required: ['query', 'userIDColumn', ...TRANSFORMED],
    optional: COLUMNS,
  },
  file: {
    kind: 'a pipeline that imports from files',
    required: ['format', 'path', 'userIDColumn', ...TRANSFORMED],
    optional: ['sheet', 'compression', 'formatSettings', 'filter', ...COLUMNS],
  },
  toApplication: {
    kind: 'a pipeline that exports to an application',
    required: ['exportMode', 'matching', ...TRANSFORMED],
    optional: ['updateOnDuplicates', 'filter'],
  },
  toDatabase: {
    kind: 'a pipeline that exports to a database',
    required: ['tableName', 'tableKey', ...TRANSFORMED],
    optional: ['filter'],
  },
  toFile: {
    kind: 'a pipeline that exports to files',
    required: ['format', 'path', 'orderBy', 'inSchema'],
    optional: ['sheet', 'compression', 'formatSettings', 'filter'],
  },
};

const importOf = ({ type, fileStorage }: Connector): ImportKind | undefined => {
  if (type === 'Application') return 'application';
  if (type === 'Database') return 'database';
  return fileStorage === undefined ? undefined : 'file';
};

const kindOfSource = (connector: Connector, target: string): PipelineKind | undefined => {
  if (connector.eventSource !== undefined) return target === 'User' ? 'identities' : 'rows';
  return target === 'User' ? importOf(connector) : undefined;
};

const kindOfDestination = (connector: Connector, target: string): PipelineKind | undefined => {
  if (target === 'Event') return connector.eventDestination && 'event';
  if (connector.userDestination !== undefined) return 'toApplication';
  if (connector.database !== undefined) return 'toDatabase';
  return connector.fileDestination && 'toFile';
};

/**
 * The kind of the pipelines with a target on a connection.
 *
 * @throws Refusal BadRequest when the connection does not have such pipelines.
 */
export const pipelineKind = (
  connector: Connector,
  { role }: Pick<ConnectionState, 'role'>,
  target: string,
): PipelineKind => {
  const targets = (role === 'Source' ? connector.asSource : connector.asDestination)?.targets;
  const kindOf = role === 'Source' ? kindOfSource : kindOfDestination;
  const found = targets?.includes(target as Target) ? kindOf(connector, target) : undefined;
  if (found !== undefined) return found;
  const message = `the connection does not have pipelines with target ${target}`;
  throw new Refusal('BadRequest', { details: [{ path: '/target', message }] });
};

/**
 * Checks that a request has the members of its kind, and no others.
 *
 * @param given `null` counts as not given.
 * @throws Refusal BadRequest naming each that is missing or too much.
 */
export const checkMembers = (
  kind: PipelineKind,
  given: Readonly<Partial<Record<Member, unknown>>>,
): void => {
  const { kind: what, required, optional } = MEMBERS[kind];
  const details = (Object.keys(EVERY_MEMBER) as Member[]).flatMap((member) => {
    const isGiven = (given[member] ?? null) !== null;
    const path = pointer(member);
    if (required.includes(member))
      return isGiven ? [] : [{ path, message: `is required for ${what}` }];
    if (!isGiven || optional.includes(member)) return [];
    return [{ path, message: `is no member of ${what}: leave it out` }];
  });
  if (details.length > 0) throw new Refusal('BadRequest', { details });
};
