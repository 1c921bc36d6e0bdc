import type { Client } from 'pg';
import { stageName } from '../layout/stages';
import { qualified } from '../sql/names';

/** Columns, and the key, of the tables of batches. */
const DEFINITIONS = {
  /** The changed identities of the batch, with the profile that each is in, or was in when it is gone. */
  taken:
    'identity bigint PRIMARY KEY, is_gone boolean NOT NULL, had_keys boolean NOT NULL, profile uuid',
  /** The keys that the taken identities have by now. */
  fresh: 'identity bigint NOT NULL, kind text, key text, mask integer NOT NULL',
  /** Rows of `_identity_keys` that the batch has added or deleted, but for those of identities that had none. */
  altered:
    'identity bigint, kind text, key text, mask integer NOT NULL, is_gained boolean NOT NULL',
  /** Keys of anonymous ids whose owner may be another one by now. */
  claims: 'key text PRIMARY KEY',
  /** The owner of each of them. */
  owners: 'key text PRIMARY KEY, identity bigint NOT NULL',
  /** Profiles that may be split. */
  torn: 'profile uuid PRIMARY KEY, is_reduced boolean NOT NULL',
  /** Identities that are a node each: those of torn profiles, with them, and those without a profile. */
  loose: 'identity bigint PRIMARY KEY, profile uuid',
  /** The buckets that may join what was not joined. */
  touched: 'kind text, key text',
  /** Rows of those buckets that have more than one. */
  shared: 'kind text, key text, mask integer NOT NULL, identity bigint NOT NULL',
  /** Those rows with the profile of each, and with its node unless it stands for a whole profile. */
  members:
    'kind text, key text, mask integer NOT NULL, identity bigint NOT NULL, profile uuid, single bigint',
  /** The nodes of whole profiles: negative numbers. */
  wholes: 'profile uuid PRIMARY KEY, node bigint NOT NULL',
  /** Pairs of nodes that are joined, the smaller one first. */
  edges: 'one bigint NOT NULL, other bigint NOT NULL',
  /** The pairs of the next round. */
  contracted: 'one bigint NOT NULL, other bigint NOT NULL',
  /** The node that each node was contracted into in this round. */
  parents: 'node bigint PRIMARY KEY, parent bigint NOT NULL',
  /** The group of each node that is joined with another one. */
  labels: 'node bigint PRIMARY KEY, label bigint NOT NULL',
  /** Profiles whose ids a group may have. */
  candidates: 'label bigint NOT NULL, profile uuid NOT NULL, created_at timestamptz',
  /** The groups and their profiles; `was_split`: some of its identities come from a torn profile. */
  groups:
    'label bigint PRIMARY KEY, profile uuid NOT NULL, is_new boolean NOT NULL, was_split boolean NOT NULL',
  /** Profiles that another one has absorbed. */
  absorbed: 'profile uuid PRIMARY KEY, survivor uuid NOT NULL, label bigint NOT NULL',
  /** Identities that are erased with their person; with the profile of those that have another one than the person. */
  erased: 'identity bigint PRIMARY KEY, profile uuid',
  /** Profiles whose attributes are computed, with the number of their identities. */
  changed: 'profile uuid PRIMARY KEY, size bigint NOT NULL',
} as const;

/** The columns by which they are looked up, beside their keys. */
const INDEXED: Readonly<Partial<Record<StageTable, string>>> = {
  fresh: 'identity, kind, key',
};

/** A table that a batch fills, and leaves empty or drops. */
export type StageTable = keyof typeof DEFINITIONS;

/** Their names as SQL. */
export type StageTables = Readonly<Record<StageTable, string>>;

/** The tables of batches, as the user may make them. */
export interface Stages {
  readonly tables: StageTables;
  /** Statements that make one of them. Nobody else ever sees it. */
  create(name: StageTable): readonly string[];
  /** Statements at the end of a batch. */
  end(made: readonly StageTable[]): readonly string[];
}

const NAMES = Object.keys(DEFINITIONS) as StageTable[];

const tablesBy = (nameOf: (name: StageTable) => string): StageTables =>
  Object.fromEntries(NAMES.map((name) => [name, nameOf(name)])) as StageTables;

/** Tables of the session, made once for all of its batches: they are empty after each. */
const temporaryStages = (): Stages => {
  const tables = tablesBy((name) => `pg_temp._stage_${name}`);
  return {
    tables,
    create: (name) => [
      `CREATE TEMPORARY TABLE IF NOT EXISTS ${tables[name]} (${DEFINITIONS[name]}) ON COMMIT DELETE ROWS`,
      ...(name in INDEXED
        ? [`CREATE INDEX IF NOT EXISTS _stage_${name}_key ON ${tables[name]} (${INDEXED[name]})`]
        : []),
    ],
    end: () => [],
  };
};

/** Tables of the warehouse, made and dropped within the transaction. */
const unloggedStages = (schema: string, seconds: number): Stages => {
  const tables = tablesBy(() => qualified(schema, stageName(seconds)));
  return {
    tables,
    create: (name) => [
      `CREATE UNLOGGED TABLE ${tables[name]} (${DEFINITIONS[name]}) WITH (autovacuum_enabled = false)`,
      ...(name in INDEXED ? [`CREATE INDEX ON ${tables[name]} (${INDEXED[name]})`] : []),
    ],
    end: (made) =>
      made.length === 0 ? [] : [`DROP TABLE ${made.map((name) => tables[name]).join(', ')}`],
  };
};

/** The tables of one batch. @param seconds since 1970, by the server */
export const stagesOf = async (
  client: Client,
  schema: string,
  seconds: number,
): Promise<Stages> => {
  const { rows } = await client.query<{ may: boolean }>(
    `SELECT has_database_privilege(current_database(), 'TEMPORARY') AS may`,
  );
  return rows[0]?.may === true ? temporaryStages() : unloggedStages(schema, seconds);
};
