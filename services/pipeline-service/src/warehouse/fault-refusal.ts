import { Refusal } from '@penstock/contracts';
import type { WarehouseFault, WarehouseFaultKind } from '@penstock/warehouses';

/**
 * The refusal of settings with which a warehouse cannot be used.
 *
 * @param path JSON pointer of the settings in the request.
 */
export const settingsRefusal =
  (path: string) =>
  ({ kind, message }: WarehouseFault): Refusal => {
    if (kind === 'foreign') return new Refusal('DifferentWarehouse');
    if (kind === 'busy') return new Refusal('OperationAlreadyExecuting');
    return new Refusal('InvalidWarehouseSettings', { details: [{ path, message }] });
  };

/** What may be otherwise when it is tried again, or is done by another version of the service. */
const NOT_NOW: readonly WarehouseFaultKind[] = ['unreachable', 'newer', 'locked', 'outdated'];

/** The refusal of an operation on the configured warehouse. */
export const operationRefusal = (fault: WarehouseFault): Refusal =>
  NOT_NOW.includes(fault.kind)
    ? new Refusal('ServiceUnavailable', {
        message: `service is unavailable: data warehouse: ${fault.message}`,
      })
    : settingsRefusal('')(fault);
