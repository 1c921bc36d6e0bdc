import { isOfWarehouse, Refusal } from '@penstock/contracts';
import type { EntityManager } from 'typeorm';
import { PipelineRow } from '../read-model/views';
import type { CheckedMembers } from './pipeline-checks';

/** Whether the pipeline writes the events of its source into the warehouse; a source has at most one such pipeline. */
export const writesEvents = ({ target, eventType }: CheckedMembers): boolean =>
  target === 'Event' && eventType === null;

/**
 * Checks, inside the transaction of an append, that a source has no pipeline that writes its events into the warehouse.
 *
 * @throws Refusal TargetExist
 */
export const noneWritesEvents =
  (connection: string) =>
  async (db: EntityManager): Promise<void> => {
    const rows = await db.find(PipelineRow, { where: { connection }, select: { state: true } });
    if (rows.some(({ state }) => isOfWarehouse(state) && state.target === 'Event'))
      throw new Refusal('TargetExist');
  };
