import type { ResolutionSettings } from './resolution.facts';
import type { WarehouseState } from './state';

/** How the identities of a new workspace are resolved. */
export const FIRST_RESOLUTION_SETTINGS: ResolutionSettings = {
  runOnBatchImport: true,
  eventDelay: 60,
  identifiers: [],
  blockedValues: {},
};

/** How the identities of a workspace are resolved, by the state of its warehouse. */
export const resolutionSettingsOf = ({
  resolution = FIRST_RESOLUTION_SETTINGS,
}: Pick<WarehouseState, 'resolution'>): ResolutionSettings => resolution;
