import type { Instant, PipelineId } from '../ids';
import type { JsonString } from '../pipeline.facts';
import type { RePathsRecord } from '../warehouse.facts';
import { always, command, type Nothing, query, read } from './operation';

/** What a client wants the schema of profiles to become. */
export interface ProfileSchemaInput {
  /** JSON text of an object type. */
  readonly schema: JsonString;
  readonly rePaths: RePathsRecord;
}

/** Changes the schema of profiles. */
export interface ChangeProfileSchema extends ProfileSchemaInput {
  /** Ids as the client wrote them. */
  readonly primarySources: Readonly<Record<string, string>>;
}

/** The schema of profiles as a read answers it. */
export interface ProfileSchemaView {
  /** Of the warehouse, which the schema is a part of. */
  readonly version: number;
  readonly schema: JsonString;
}

/** When the latest change began and how it ended; all `null`: there was none. */
export interface LatestProfileChange {
  readonly startTime: Instant | null;
  readonly endTime: Instant | null;
  readonly error: string | null;
}

/** Pipelines whose schemas do not fit any more. */
interface Affected {
  readonly affectedPipelines: readonly PipelineId[];
}

/** Milliseconds that a change may take until nobody waits for its answer any more. */
const CHANGE_LIMIT_MS = 60_000;

/** About the profiles of the request's workspace. */
export const PROFILE_OPERATIONS = {
  GetProfileSchema: read<Nothing, ProfileSchemaView>({
    refusals: ['InvalidWarehouseSettings'],
    isVersioned: true,
  }),
  GetLatestProfileSchemaChange: read<Nothing, LatestProfileChange>({
    refusals: ['InvalidWarehouseSettings'],
  }),
  ChangeProfileSchema: command<ChangeProfileSchema, Affected>({
    refusals: [
      { code: 'ConnectionNotExist', kind: 'refused' },
      'InvalidProfileSchema',
      'InspectionMode',
      'OperationAlreadyExecuting',
      'DifferentWarehouse',
      'InvalidWarehouseSettings',
    ],
    isVersioned: true,
    isSlow: always,
    limitMs: CHANGE_LIMIT_MS,
  }),
  PreviewProfileSchemaChange: query<
    ProfileSchemaInput,
    Affected & { readonly queries: readonly string[] }
  >({ refusals: ['InvalidProfileSchema', 'InvalidWarehouseSettings'] }),
};
