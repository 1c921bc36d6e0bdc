import type {
  ConfigurationState,
  OrganizationState,
  RefusalCode,
  WarehouseState,
  WorkspaceState,
} from '@penstock/contracts';
import type { Reading } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { organizationStream } from '../domain/organization.decide';
import { openChange, warehouseStream } from '../domain/warehouse.decide';
import { workspaceStream } from '../domain/workspace.decide';

/** What decides, beside another resolution, whether one may start now. */
export interface ResolutionPermission {
  /** Why none may; undefined: one may. The first in the order that the API documents. */
  readonly hindrance: RefusalCode | undefined;
  /** All that it was read from. */
  readonly streams: readonly { readonly stream: string; readonly version: number }[];
}

const OF_MODES = {
  Normal: undefined,
  Inspection: 'InspectionMode',
  Maintenance: 'MaintenanceMode',
} as const;

const hindranceOf = (
  workspace: WorkspaceState | undefined,
  organization: OrganizationState | undefined,
  warehouse: WarehouseState | undefined,
): RefusalCode | undefined => {
  if (workspace?.deleted !== false) return 'WorkspaceNotExist';
  if (organization?.enabled !== true) return 'OrganizationDisabled';
  if (warehouse === undefined) return 'InvalidWarehouseSettings';
  const isChanging = openChange(warehouse) !== undefined;
  return OF_MODES[warehouse.mode] ?? (isChanging ? 'OperationAlreadyExecuting' : undefined);
};

/** Reads whether the identities of a workspace may be resolved. */
export const resolutionPermission = async (
  reading: Pick<Reading<EntityManager>, 'read'>,
  id: string,
): Promise<ResolutionPermission> => {
  const [owner] = await reading.read<WorkspaceState>([workspaceStream(id)]);
  const names = [
    workspaceStream(id),
    organizationStream(owner?.state?.organization ?? ''),
    warehouseStream(id),
  ];
  const found = await reading.read<ConfigurationState>(names);
  const states = found.map(({ state }) => state);
  return {
    hindrance: hindranceOf(
      states.find((state) => state?.kind === 'workspace'),
      states.find((state) => state?.kind === 'organization'),
      states.find((state) => state?.kind === 'warehouse'),
    ),
    streams: found.map(({ version }, index) => ({ stream: names[index] ?? '', version })),
  };
};
