import {
  type OrganizationFact,
  type PipelineFact,
  type WarehouseFact,
  type WarehouseMode,
} from '@penstock/contracts';
import type { Reading } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { load, type Loaded } from '../command-handling/decide-on';
import {
  type Organization,
  organizationDecider,
  organizationStream,
} from '../domain/organization.decide';
import { type Pipeline, pipelineDecider, pipelineStream } from '../domain/pipeline.decide';
import { type Warehouse, warehouseDecider, warehouseStream } from '../domain/warehouse.decide';
import { workspaceDecider, workspaceStream } from '../domain/workspace.decide';

/** What decides, beside the runs of a pipeline, whether it may run now. */
export interface RunPermission {
  readonly isEnabled: boolean;
  readonly isOrganizationEnabled: boolean;
  /** Of the warehouse; `undefined`: there is none. */
  readonly mode: WarehouseMode | undefined;
  /** All that it was read from. */
  readonly streams: readonly Pick<
    Loaded<unknown, OrganizationFact | PipelineFact | WarehouseFact>,
    'stream' | 'version'
  >[];
}

/** Reads whether a pipeline of the workspace may run. */
export const runPermission = async (
  reading: Pick<Reading<EntityManager>, 'read'>,
  id: string,
  workspace: string,
): Promise<RunPermission> => {
  const { state: owner } = await load(reading, workspaceDecider, workspaceStream(workspace));
  const pipeline: Loaded<Pipeline, PipelineFact> = await load(
    reading,
    pipelineDecider,
    pipelineStream(id),
  );
  const organization: Loaded<Organization, OrganizationFact> = await load(
    reading,
    organizationDecider,
    organizationStream(owner?.organization ?? ''),
  );
  const warehouse: Loaded<Warehouse, WarehouseFact> = await load(
    reading,
    warehouseDecider,
    warehouseStream(workspace),
  );
  return {
    isEnabled: pipeline.state?.enabled === true && !pipeline.state.deleted,
    isOrganizationEnabled: organization.state?.enabled === true,
    mode: warehouse.state?.mode,
    streams: [pipeline, organization, warehouse],
  };
};
