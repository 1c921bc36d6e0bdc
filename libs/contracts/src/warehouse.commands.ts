import type { AsOf } from './audit';
import type { WarehouseAccess, WarehouseMode } from './warehouse.facts';

type Nothing = Record<never, never>;

/** Sets what may be done with a warehouse. */
export interface ModeChange {
  readonly mode: WarehouseMode;
  /** Whether what the mode forbids is cancelled, or hinders the change. */
  readonly cancelIncompatibleOperations: boolean;
}

/** All are about the warehouse of the request's workspace. */
export interface WarehouseCommands {
  /** Settings as the client wrote them. `mode` absent: unchanged. */
  UpdateWarehouse: {
    in: WarehouseAccess & Omit<ModeChange, 'mode'> & { readonly mode?: WarehouseMode };
    out: Nothing;
  };
  SetWarehouseMode: { in: ModeChange; out: Nothing };
  RepairWarehouse: { in: Nothing; out: Nothing };
}

/** The warehouse of a workspace as a query answers it; settings are still sealed. */
export interface WarehouseView extends WarehouseAccess {
  readonly version: number;
  readonly platform: string;
  readonly mode: WarehouseMode;
}

export interface WarehouseQueries {
  GetWarehouse: { in: AsOf; out: WarehouseView };
  /** Refused as UpdateWarehouse is; changes nothing. */
  TestWarehouse: { in: WarehouseAccess; out: Nothing };
}
