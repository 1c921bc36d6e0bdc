import { Refusal } from '@penstock/contracts';
import type { WarehouseFault } from '@penstock/warehouses';

/** What a fault is answered to whoever gave the settings. @param path where they stand in the request. */
export const settingsRefusal =
  (path: string) =>
  ({ kind, message }: WarehouseFault): Refusal => {
    if (kind === 'foreign') return new Refusal('DifferentWarehouse');
    if (kind === 'busy') return new Refusal('OperationAlreadyExecuting');
    return new Refusal('InvalidWarehouseSettings', { details: [{ path, message }] });
  };

/** What a fault is answered to whoever needs the warehouse as it is configured. */
export const operationRefusal = (fault: WarehouseFault): Refusal =>
  fault.kind === 'unreachable'
    ? new Refusal('ServiceUnavailable', {
        message: `service is unavailable: data warehouse: ${fault.message}`,
      })
    : settingsRefusal('')(fault);
