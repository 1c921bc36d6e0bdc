import { WarehouseFault } from '../platform/warehouse';

/** What a read that takes too long fails with. */
export const late = (): WarehouseFault =>
  new WarehouseFault('unreachable', 'there was no answer in time');
