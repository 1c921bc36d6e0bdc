import { escapeLiteral } from 'pg';
import { type Erasure, MAX_ERASED } from '../../platform/eraser';
import type { Batch } from '../resolving/batch';
import {
  connectionOf,
  isPlain,
  keyOfRecord,
  KINDS,
  OWNER,
  recordIdOf,
} from '../resolving/identity-keys';
import { qualified } from '../sql/names';

/** What taking a person out has deleted. */
export interface Taken {
  readonly profiles: number;
  readonly identities: number;
  readonly history: number;
}

/** Takes one person out of the tables of identities and profiles, while nobody else writes identities or events. */
export class PersonTaking {
  private readonly profile: string;

  /** @param survivor the profile that the one of the erasure is by now. */
  constructor(
    private readonly batch: Batch,
    private readonly erasure: Erasure,
    survivor: string,
  ) {
    this.profile = `${escapeLiteral(survivor)}::uuid`;
  }

  /** @returns undefined when there are too many identities for one person */
  async take(): Promise<Taken | undefined> {
    if ((await this.findIdentities()) + (await this.findPurged()) > MAX_ERASED) return undefined;
    await this.findOwners();
    await this.noteRecords();
    await this.findOthers();
    const identities = await this.deleteIdentities();
    const history = await this.deleteHistory();
    return { identities, history, profiles: await this.deleteProfile() };
  }

  private table(name: string): string {
    return qualified(this.batch.schema, name);
  }

  /** SQL of the ids of the profile: its own, and those that it has absorbed. */
  private get names(): string {
    return `SELECT ${this.profile} AS profile
      UNION ALL SELECT alias FROM ${this.table('_profile_aliases')} WHERE profile_id = ${this.profile}`;
  }

  private findIdentities(): Promise<number> {
    return this.batch.fill(
      'erased',
      'looksUp',
      `INSERT INTO ${this.batch.tables.erased} (identity)
       SELECT _id FROM ${this.table('_identities')} WHERE _profile_id = ${this.profile}
       LIMIT ${MAX_ERASED + 1}`,
    );
  }

  /** Those that a run has purged since the last resolution: their keys tell what they were. */
  private findPurged(): Promise<number> {
    return this.batch.fill(
      'erased',
      'joins',
      `INSERT INTO ${this.batch.tables.erased} (identity)
       SELECT d.identity FROM ${this.table('_dirty')} AS d
       WHERE d.change = 'removed' AND d.profile_id IN (SELECT profile FROM (${this.names}) AS names)
         AND NOT EXISTS (SELECT FROM ${this.table('_identities')} AS i WHERE i._id = d.identity)
       LIMIT ${MAX_ERASED + 1}
       ON CONFLICT DO NOTHING`,
    );
  }

  /**
   * Finds the owners of anonymous ids of identities that have no keys, as while everything is resolved anew: no key tells
   * them, and all identities of the warehouse are looked through.
   */
  private async findOwners(): Promise<void> {
    const { claims, erased, owners } = this.batch.tables;
    const identities = this.table('_identities');
    const keyOf = keyOfRecord('i._connection', 'named');
    await this.batch.make('owners');
    const named = await this.batch.fill(
      'claims',
      'looksUp',
      `INSERT INTO ${claims} (key)
       SELECT DISTINCT ${keyOf}
       FROM ${erased} AS e JOIN ${identities} AS i ON i._id = e.identity
       CROSS JOIN LATERAL jsonb_object_keys(i._anonymous_times) AS named
       WHERE NOT EXISTS (SELECT FROM ${this.table('_identity_keys')} AS k WHERE k.identity = e.identity)`,
    );
    if (named === 0) return;
    await this.batch.fill(
      'owners',
      'joins',
      `INSERT INTO ${owners} (key, identity)
       SELECT DISTINCT ON (c.key) c.key, i._id
       FROM ${identities} AS i CROSS JOIN LATERAL jsonb_each_text(i._anonymous_times) AS each (named, stamp)
       JOIN ${claims} AS c ON c.key = ${keyOf}
       WHERE NOT i._anonymous AND i._anonymous_times <> '{}'
       ORDER BY c.key, stamp COLLATE "C", i._record_id COLLATE "C", i._id`,
    );
  }

  /** Notes what the person was known by: the identities, and the anonymous ids that they own. */
  private async noteRecords(): Promise<void> {
    const { erased, owners } = this.batch.tables;
    const keys = this.table('_identity_keys');
    await this.batch.write(
      'looksUp',
      `INSERT INTO ${this.table('_erasing')} (erasure, connection, anonymous, record_id)
       SELECT ${this.id}, connection, anonymous, record_id FROM (
         SELECT i._connection, i._anonymous, i._record_id
         FROM ${erased} AS e JOIN ${this.table('_identities')} AS i ON i._id = e.identity
         UNION
         SELECT i._connection, true, named
         FROM ${erased} AS e JOIN ${this.table('_identities')} AS i ON i._id = e.identity
         CROSS JOIN LATERAL jsonb_object_keys(i._anonymous_times) AS named
         JOIN ${keys} AS k ON k.identity = e.identity AND k.kind = '${KINDS.anonymous}'
           AND k.key = ${keyOfRecord('i._connection', 'named')} AND k.mask = ${OWNER}
         UNION
         SELECT i._connection, true, named
         FROM ${erased} AS e JOIN ${this.table('_identities')} AS i ON i._id = e.identity
         CROSS JOIN LATERAL jsonb_object_keys(i._anonymous_times) AS named
         JOIN ${owners} AS o ON o.key = ${keyOfRecord('i._connection', 'named')} AND o.identity = e.identity
         UNION
         SELECT ${connectionOf('k.key')}, k.kind = '${KINDS.anonymous}', ${recordIdOf('k.key')}
         FROM ${erased} AS e JOIN ${keys} AS k ON k.identity = e.identity
         WHERE k.kind IN ('${KINDS.known}', '${KINDS.anonymous}') AND ${isPlain('k.key')}
         ) AS records (connection, anonymous, record_id)`,
    );
  }

  /**
   * Those of the same records that were written since the last resolution, and those that have another profile, as while
   * everything is resolved anew: by the key of each, as all may be such.
   */
  private async findOthers(): Promise<void> {
    const identities = this.table('_identities');
    await this.batch.fill(
      'erased',
      'looksUp',
      `WITH RECURSIVE named (pipeline) AS (
         SELECT min(_pipeline) FROM ${identities}
         UNION ALL
         SELECT (SELECT min(i._pipeline) FROM ${identities} AS i WHERE i._pipeline > n.pipeline)
         FROM named AS n WHERE n.pipeline IS NOT NULL),
       pipelines AS MATERIALIZED (
         SELECT pipeline,
                (SELECT i._connection FROM ${identities} AS i WHERE i._pipeline = pipeline LIMIT 1) AS connection
         FROM named WHERE pipeline IS NOT NULL)
       INSERT INTO ${this.batch.tables.erased} (identity, profile)
       SELECT i._id, i._profile_id
       FROM pipelines AS p
       JOIN ${this.table('_erasing')} AS e ON e.connection = p.connection
       JOIN ${identities} AS i ON i._pipeline = p.pipeline
         AND i._anonymous = e.anonymous AND i._record_id = e.record_id
       WHERE e.erasure = ${this.id}
       ON CONFLICT DO NOTHING`,
    );
  }

  /** The keys of those that have another profile stay: by them the resolution finds what that one loses. */
  private async deleteIdentities(): Promise<number> {
    const { erased } = this.batch.tables;
    for (const name of ['_identity_keys', '_dirty'])
      await this.batch.write(
        'looksUp',
        `DELETE FROM ${this.table(name)} AS d USING ${erased} AS e
         WHERE d.identity = e.identity AND e.profile IS NULL`,
      );
    await this.batch.write(
      'looksUp',
      `INSERT INTO ${this.table('_dirty')} (identity, change, profile_id)
       SELECT identity, 'removed', profile FROM ${erased} WHERE profile IS NOT NULL
       ON CONFLICT (identity) DO UPDATE SET change = excluded.change, profile_id = excluded.profile_id`,
    );
    await this.batch.write(
      'looksUp',
      `DELETE FROM ${this.table('_moving')} AS m USING ${this.table('_erasing')} AS e
       WHERE e.erasure = ${this.id} AND m.connection = e.connection
         AND m.anonymous = e.anonymous AND m.record_id = e.record_id`,
    );
    return this.batch.write(
      'looksUp',
      `DELETE FROM ${this.table('_identities')} AS i USING ${erased} AS e WHERE i._id = e.identity`,
    );
  }

  /** What was recorded of the profile and is not published yet will not come into its history either. */
  private async deleteHistory(): Promise<number> {
    await this.batch.write(
      'looksUp',
      `INSERT INTO ${this.table('_erased_profiles')} (profile_id, erasure)
       SELECT profile, ${this.id} FROM (${this.names}) AS names ON CONFLICT DO NOTHING`,
    );
    return this.batch.write(
      'looksUp',
      `DELETE FROM ${this.table('_profile_history')} AS h USING (${this.names}) AS names
       WHERE h.profile_id = names.profile`,
    );
  }

  private async deleteProfile(): Promise<number> {
    await this.batch.write(
      'looksUp',
      `DELETE FROM ${this.table('_profile_aliases')} WHERE profile_id = ${this.profile}`,
    );
    return this.batch.write(
      'looksUp',
      `WITH gone AS (
         DELETE FROM ${this.table('_profiles')} WHERE _profile_id = ${this.profile} RETURNING _profile_id)
       INSERT INTO ${this.table('_outbox')} (profile_id, fact)
       SELECT _profile_id, jsonb_build_object('type', 'ProfileDeleted', 'id', _profile_id, 'reason', 'erased')
       FROM gone`,
    );
  }

  private get id(): string {
    return escapeLiteral(this.erasure.id);
  }
}
