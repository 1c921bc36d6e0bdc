import { type PipelineId, profilesSchemaOf } from '@penstock/contracts';
import { align, parseJson, parseSchema, type Schema } from '@penstock/schema';
import type { EntityManager } from 'typeorm';
import { PipelineRow } from '../read-model/views';

/** Sorted ids of the pipelines of a workspace whose output, or what they export, is no part of a schema of profiles. */
export const affectedPipelines = async (
  db: EntityManager,
  workspace: string,
  profiles: Schema,
): Promise<readonly PipelineId[]> => {
  const rows = await db
    .createQueryBuilder(PipelineRow, 'pipeline')
    .where('pipeline.workspace = :workspace', { workspace })
    .andWhere(`pipeline.state->>'target' = 'User'`)
    .orderBy('pipeline.id')
    .getMany();
  const misfits: PipelineId[] = [];
  for (const { id, state } of rows) {
    const schema = profilesSchemaOf(state);
    if (schema !== null && align(parseSchema(parseJson(schema)), profiles, null).length > 0)
      misfits.push(id as PipelineId);
    // Pipelines are many, and their schemas long: others have their turn in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return misfits;
};
