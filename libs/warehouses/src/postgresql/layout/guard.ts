import type { PipelineId, ProfileSchema, WorkspaceId } from '@penstock/contracts';
import { DatabaseError, escapeLiteral } from 'pg';
import type { Writer } from '../../platform/warehouse-writer';
import { qualified } from '../sql/names';
import { LAYOUT } from './marker';
import type { RAISED } from './raised';

/** What has to hold for a write. */
export interface Guarded {
  readonly schema: string;
  readonly workspace: WorkspaceId;
  /** Absent: what is written does not depend on it. */
  readonly profiles?: ProfileSchema;
}

/** SQLSTATE of what {@link wholeStage} raises. */
const STAGE_LOST = 'PS006';
/** SQLSTATE undefined_table. */
const UNDEFINED_TABLE = '42P01';

const raise = (code: keyof typeof RAISED | typeof STAGE_LOST, message: string): string =>
  `RAISE EXCEPTION USING ERRCODE = '${code}', MESSAGE = '${message}'`;

const doing = (...statements: readonly string[]): string =>
  `DO ${escapeLiteral(`DECLARE marker record; BEGIN ${statements.join('; ')}; END`)}`;

const checkVersion = ({ version }: ProfileSchema): string =>
  `IF marker.schema_version <> ${version} THEN ${raise('PS003', 'the schema of profiles is another one by now')}; END IF`;

const checkMarker = ({ schema, workspace, profiles }: Guarded): string =>
  [
    // Whoever changes the marker waits until this transaction has ended.
    `SELECT * INTO marker FROM ${qualified(schema, '_meta')} FOR SHARE`,
    `IF marker.workspace IS DISTINCT FROM ${escapeLiteral(workspace)} THEN ${raise('PS001', 'warehouse of another workspace')}; END IF`,
    `IF marker.layout > ${LAYOUT} THEN ${raise('PS002', 'data warehouse has the layout of a newer version of Penstock')}; END IF`,
    ...(profiles === undefined ? [] : [checkVersion(profiles)]),
  ].join('; ');

/** A statement that fails unless the warehouse is of the workspace and as the writer knows it. */
export const markerGuard = (guarded: Guarded): string => doing(checkMarker(guarded));

/** The role whose fence keeps readers out. */
export const READS = 'reads';

/** A statement that fails where readers of this epoch are kept out. It changes and locks nothing. */
export const readerGuard = (schema: string, epoch: number): string =>
  doing(
    `IF EXISTS (SELECT FROM ${qualified(schema, '_fences')}
                 WHERE role = ${escapeLiteral(READS)} AND epoch > ${epoch})
     THEN ${raise('PS004', 'readers of an earlier configuration are kept out')}; END IF`,
  );

/** Statements that fail unless the profiles are by the schema; until the transaction has ended, they stay by it. */
export const profilesGuard = (schema: string, profiles: ProfileSchema): readonly string[] => [
  `LOCK TABLE ${qualified(schema, '_profiles')} IN ACCESS SHARE MODE`,
  doing(`SELECT * INTO marker FROM ${qualified(schema, '_meta')}`, checkVersion(profiles)),
];

/**
 * A statement that fails unless {@link markerGuard} and the fence let the writer write. Until the transaction has ended,
 * nobody takes the role over, and no other transaction writes identities of the pipeline.
 */
export const writerGuard = (
  guarded: Guarded,
  { role, epoch }: Writer,
  pipeline?: PipelineId,
): string =>
  doing(
    checkMarker(guarded),
    `PERFORM FROM ${qualified(guarded.schema, '_fences')}
     WHERE role = ${escapeLiteral(role)} AND epoch = ${epoch} FOR SHARE`,
    `IF NOT FOUND THEN ${raise('PS004', 'another writer has taken the role over')}; END IF`,
    ...(pipeline === undefined
      ? []
      : [
          `PERFORM pg_advisory_xact_lock(hashtextextended(${escapeLiteral(
            `penstock identities ${guarded.schema} ${pipeline}`,
          )}, 0))`,
        ]),
  );

/** A statement that fails unless a staging table has all that was staged: after a crash of the server it has nothing. */
export const wholeStage = (stage: string, rows: number): string =>
  doing(
    `IF (SELECT count(*) FROM ${stage}) <> ${rows} THEN ${raise(STAGE_LOST, 'what was staged is lost')}; END IF`,
  );

/** Whether a staging table may have gone, or what was in it. */
export const isStageLost = (error: unknown): boolean =>
  error instanceof DatabaseError && (error.code === STAGE_LOST || error.code === UNDEFINED_TABLE);
