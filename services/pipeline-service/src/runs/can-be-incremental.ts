import type { Connectors } from '@penstock/connectors';
import type { ImportPipelineState } from '@penstock/contracts';
import type { Reading } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { load } from '../command-handling/decide-on';
import { connectionDecider, connectionStream } from '../domain/connection.decide';

/** Whether a run of the pipeline can read only what was changed. */
export const canBeIncremental = async (
  reading: Pick<Reading<EntityManager>, 'read'>,
  connectors: Connectors,
  { connection, imports: { source } }: ImportPipelineState,
): Promise<boolean> => {
  if (source.kind !== 'application') return source.columns.updatedAt !== null;
  const { state } = await load(reading, connectionDecider, connectionStream(connection));
  return connectors.get(state?.connector ?? '')?.userSource?.readsChanges === true;
};
