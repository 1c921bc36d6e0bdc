import { isImport, isOfWarehouse, type PipelineState } from '@penstock/contracts';

/** Whether identities are written by the pipeline: by its runs, or in events. */
export const writesIdentities = (state: PipelineState): boolean =>
  isImport(state) || (isOfWarehouse(state) && state.target === 'User');
