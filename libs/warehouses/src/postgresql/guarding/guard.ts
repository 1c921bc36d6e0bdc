import type { PipelineId, ProfileSchema, WorkspaceId } from '@penstock/contracts';
import { escapeLiteral } from 'pg';
import type { Writer } from '../../platform/warehouse-writer';
import type { RAISED } from '../fault';
import { LAYOUT } from '../layout/marker';
import { qualified } from '../sql/names';

/** What has to hold for a write. */
export interface Guarded {
  readonly schema: string;
  readonly workspace: WorkspaceId;
  /** Absent: what is written does not depend on it. */
  readonly profiles?: ProfileSchema;
}

const raise = (code: keyof typeof RAISED, message: string): string =>
  `RAISE EXCEPTION USING ERRCODE = '${code}', MESSAGE = '${message}'`;

const doing = (...statements: readonly string[]): string =>
  `DO ${escapeLiteral(`DECLARE marker record; BEGIN ${statements.join('; ')}; END`)}`;

const checkMarker = ({ schema, workspace, profiles }: Guarded): string =>
  [
    // Whoever changes the marker waits until this transaction has ended.
    `SELECT * INTO marker FROM ${qualified(schema, '_meta')} FOR SHARE`,
    `IF marker.workspace IS DISTINCT FROM ${escapeLiteral(workspace)} THEN ${raise('PS001', 'warehouse of another workspace')}; END IF`,
    `IF marker.layout > ${LAYOUT} THEN ${raise('PS002', 'data warehouse has the layout of a newer version of Penstock')}; END IF`,
    ...(profiles === undefined
      ? []
      : [
          `IF marker.schema_version <> ${profiles.version} THEN ${raise('PS003', 'the schema of profiles is another one by now')}; END IF`,
        ]),
  ].join('; ');

/** A statement that fails unless the warehouse is of the workspace and as the writer knows it. */
export const markerGuard = (guarded: Guarded): string => doing(checkMarker(guarded));

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
