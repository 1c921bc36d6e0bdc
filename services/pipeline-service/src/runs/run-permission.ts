import type {
  ConfigurationState,
  PipelineState,
  WarehouseMode,
  WorkspaceState,
} from '@penstock/contracts';
import type { Reading } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { organizationStream } from '../domain/organization.decide';
import { pipelineStream } from '../domain/pipeline.decide';
import { warehouseStream } from '../domain/warehouse.decide';
import { workspaceStream } from '../domain/workspace.decide';

/** What decides, beside the runs of a pipeline, whether it may run now. */
export interface RunPermission {
  /** As it is now; undefined: it was deleted, or never was. */
  readonly pipeline: PipelineState | undefined;
  readonly isOrganizationEnabled: boolean;
  /** Of the warehouse; undefined: there is none. */
  readonly mode: WarehouseMode | undefined;
  /** All that it was read from. */
  readonly streams: readonly { readonly stream: string; readonly version: number }[];
}

/** Reads whether a pipeline of the workspace may run. */
export const runPermission = async (
  reading: Pick<Reading<EntityManager>, 'read'>,
  id: string,
  workspace: string,
): Promise<RunPermission> => {
  const [owner] = await reading.read<WorkspaceState>([workspaceStream(workspace)]);
  const names = [
    pipelineStream(id),
    organizationStream(owner?.state?.organization ?? ''),
    warehouseStream(workspace),
  ];
  const found = await reading.read<ConfigurationState>(names);
  const states = found.map(({ state }) => state);
  const pipeline = states.find((state) => state?.kind === 'pipeline');
  return {
    pipeline: pipeline?.deleted === false ? pipeline : undefined,
    isOrganizationEnabled: states.some((each) => each?.kind === 'organization' && each.enabled),
    mode: states.find((state) => state?.kind === 'warehouse')?.mode,
    streams: found.map(({ version }, index) => ({ stream: names[index] ?? '', version })),
  };
};
