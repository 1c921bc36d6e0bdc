import type { SnowflakeSession } from '@penstock/databases';

const ID = 'NUMBER(38,0)';
const PROFILE = 'VARCHAR(36)';
const KEY = `IDENTITY ${ID}, KIND VARCHAR, KEY VARCHAR, MASK ${ID}`;

/** Columns of the tables of batches. */
const DEFINITIONS = {
  /** The changed identities of the batch, with the profile that each is in, or was in when it is gone. */
  taken: `IDENTITY ${ID}, IS_GONE BOOLEAN, HAD_KEYS BOOLEAN, PROFILE ${PROFILE}`,
  /** The keys that the taken identities have by now. */
  fresh: KEY,
  /** Rows of `_IDENTITY_KEYS` that the batch adds or deletes, but for those of identities that had none. */
  altered: `${KEY}, IS_GAINED BOOLEAN`,
  /** Profiles that may be split. */
  torn: `PROFILE ${PROFILE}, IS_REDUCED BOOLEAN`,
  /** Identities that are a node each: those of torn profiles, with them, and those without a profile. */
  loose: `IDENTITY ${ID}, PROFILE ${PROFILE}`,
  /** Rows of the buckets that may join what was not joined, each with its node: a negative number is that of a whole profile. */
  members: `${KEY}, PROFILE ${PROFILE}, NODE ${ID}`,
  /** Pairs of nodes that are joined, the smaller one first. */
  edges: `ONE ${ID}, OTHER ${ID}`,
  /** The group of each node that is joined with another one. */
  labels: `NODE ${ID}, LABEL ${ID}`,
  /** Profiles whose ids a group may have. */
  candidates: `LABEL ${ID}, PROFILE ${PROFILE}, CREATED_AT TIMESTAMP_TZ(9)`,
  /** The groups and their profiles; `WAS_SPLIT`: some of its identities come from a torn profile. */
  groups: `LABEL ${ID}, PROFILE ${PROFILE}, IS_NEW BOOLEAN, WAS_SPLIT BOOLEAN`,
  /** Identities that get another profile. */
  moved: `IDENTITY ${ID}, PROFILE ${PROFILE}`,
  /** Profiles that are looked at, with the number of their identities, and the one that has absorbed each. */
  changed: `PROFILE ${PROFILE}, SIZE ${ID}, SURVIVOR ${PROFILE}`,
} as const;

/** A table that a batch fills. */
export type StageTable = keyof typeof DEFINITIONS;

const NAMES = Object.keys(DEFINITIONS) as StageTable[];

const nameOf = (name: StageTable): string => `"_STAGE_${name.toUpperCase()}"`;

/** Their names as SQL. */
export const STAGES = Object.fromEntries(NAMES.map((name) => [name, nameOf(name)])) as Readonly<
  Record<StageTable, string>
>;

/** The tables of batches: nobody but their session sees them, and they end with it. */
export class Stages {
  private readonly having = new WeakSet<SnowflakeSession>();

  /** Makes the tables, once for all batches of a session. Outside of a transaction, which it would commit. */
  async provide(session: SnowflakeSession): Promise<void> {
    if (this.having.has(session)) return;
    for (const name of NAMES)
      await session.rows(
        `CREATE TEMPORARY TABLE IF NOT EXISTS ${STAGES[name]} (${DEFINITIONS[name]})`,
      );
    this.having.add(session);
  }
}
