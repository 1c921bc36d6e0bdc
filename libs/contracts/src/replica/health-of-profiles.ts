import { align, parseJson, parseSchema, type Schema } from '@penstock/schema';
import { HEALTH_CAUSES } from '../health.facts';
import type { HealthView } from '../operations/health.operations';
import { profilesOf } from '../profile-schema';
import { type PipelineState, profilesSchemaOf, type WarehouseState } from '../state';

/** Properties that a health names. */
const NAMED = 3;

/** State of a pipeline → what it was last compared with, and the properties that did not fit. */
const COMPARED = new WeakMap<
  PipelineState,
  { readonly profiles: object; readonly misfits: readonly string[] }
>();

/** Properties of a schema that profiles do not have; an identity without values has none. */
const pathsBeyond = (schema: string | null, profiles: Schema): readonly string[] =>
  schema === null
    ? []
    : align(parseSchema(parseJson(schema)), profiles, null).map(({ property }) => property);

const misfitsOf = (
  pipeline: PipelineState,
  profiles: NonNullable<WarehouseState['profiles']>,
): readonly string[] => {
  const known = COMPARED.get(pipeline);
  if (known?.profiles === profiles) return known.misfits;
  const misfits = pathsBeyond(profilesSchemaOf(pipeline), profilesOf({ profiles }).schema);
  COMPARED.set(pipeline, { profiles, misfits });
  return misfits;
};

/**
 * The health of a pipeline whose output, or what it exports, is no part of the schema of profiles any more, with the paths.
 *
 * @returns undefined for one that fits, as every pipeline does until the schema is changed.
 */
export const healthOfProfiles = (
  pipeline: PipelineState,
  warehouse: WarehouseState | undefined,
): HealthView | undefined => {
  if (warehouse?.profiles === undefined) return undefined;
  const misfits = misfitsOf(pipeline, warehouse.profiles);
  if (misfits.length === 0) return undefined;
  const { status } = HEALTH_CAUSES.ProfilesChanged;
  const named = misfits.slice(0, NAMED).join(', ');
  const detail = misfits.length > NAMED ? `${named}, …` : named;
  return {
    status,
    code: 'ProfilesChanged',
    since: warehouse.profileChange?.endedAt ?? null,
    detail,
  };
};
