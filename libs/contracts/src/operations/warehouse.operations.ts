import type { AsOf } from '../audit';
import type { WarehouseAccess, WarehouseMode } from '../warehouse.facts';
import { always, command, type Nothing, query, read } from './operation';

/** Sets what may be done with a warehouse. */
export interface ModeChange {
  /** Absent: `Normal`. */
  readonly mode?: WarehouseMode;
  /** Whether what the mode forbids is cancelled, or hinders the change. */
  readonly cancelIncompatibleOperations: boolean;
}

/** Settings as the client wrote them. */
export type UpdateWarehouse = WarehouseAccess & ModeChange;

/** What a request does to the mode; equal where the mode stays. */
export interface ChangedMode {
  readonly mode: { readonly from: WarehouseMode; readonly to: WarehouseMode };
}

/** The warehouse of a workspace as a query answers it; settings are still sealed. */
export interface WarehouseView extends WarehouseAccess {
  readonly version: number;
  readonly platform: string;
  readonly mode: WarehouseMode;
}

/** Milliseconds that a repair may take until nobody waits for its answer any more. */
const REPAIR_LIMIT_MS = 60_000;

/** All are about the warehouse of the request's workspace; without one, they refuse with `InvalidWarehouseSettings`. */
export const WAREHOUSE_OPERATIONS = {
  GetWarehouse: read<Nothing, WarehouseView>({
    refusals: ['InvalidWarehouseSettings'],
    isVersioned: true,
  }),
  GetWarehouseAsOf: query<AsOf, WarehouseView>({
    refusals: ['InvalidWarehouseSettings'],
    isSlow: always,
  }),
  UpdateWarehouse: command<UpdateWarehouse, ChangedMode>({
    refusals: [
      'DifferentWarehouse',
      'InvalidWarehouseSettings',
      'NotReadOnlyMCPSettings',
      'OperationAlreadyExecuting',
    ],
    scope: 'admin',
    isVersioned: true,
    isSlow: always,
  }),
  /** Refused as UpdateWarehouse is; changes nothing. */
  TestWarehouse: query<WarehouseAccess, Nothing>({
    refusals: ['DifferentWarehouse', 'InvalidWarehouseSettings', 'NotReadOnlyMCPSettings'],
    scope: 'admin',
    isVersioned: true,
    isSlow: always,
  }),
  SetWarehouseMode: command<ModeChange, ChangedMode>({
    refusals: ['InvalidWarehouseSettings', 'OperationAlreadyExecuting'],
    scope: 'admin',
    isVersioned: true,
    // It waits for what it cancels, and Maintenance for reads.
    isSlow: ({ mode, cancelIncompatibleOperations }) =>
      cancelIncompatibleOperations || mode === 'Maintenance',
  }),
  RepairWarehouse: command<Nothing>({
    refusals: ['DifferentWarehouse', 'InvalidWarehouseSettings', 'OperationAlreadyExecuting'],
    scope: 'admin',
    isVersioned: true,
    hasDryRun: false,
    isSlow: always,
    limitMs: REPAIR_LIMIT_MS,
  }),
};
