import {
  existingWarehouse,
  type NewWarehouse,
  unreachable,
  type WarehouseAccess,
  type WarehouseFact,
  type WarehouseMode,
  type WarehouseState,
} from '@penstock/contracts';
import type { Decider } from '@penstock/event-sourcing';

/** The published state, which is all that decisions depend on. `null`: the workspace has none yet. */
export type Warehouse = WarehouseState | null;

export type WarehouseCommand =
  | { readonly type: 'CreateWarehouse'; readonly warehouse: NewWarehouse }
  | {
      readonly type: 'UpdateWarehouse';
      /** Already checked. Equal to the present one where nothing changes. */
      readonly access: WarehouseAccess;
      /** Absent: unchanged. */
      readonly mode?: WarehouseMode;
    }
  | { readonly type: 'SetWarehouseMode'; readonly mode: WarehouseMode }
  | { readonly type: 'RecordRepair'; readonly made: readonly string[] };

const changed = (fact: WarehouseFact): Partial<WarehouseState> => {
  switch (fact.type) {
    case 'WarehouseCreated':
    case 'WarehouseSettingsChanged':
      return fact.data;
    case 'WarehouseModeChanged':
      return { mode: fact.data.to };
    case 'WarehouseRepaired':
      return {};
    default:
      return unreachable(fact);
  }
};

const evolve = (state: Warehouse, fact: WarehouseFact): Warehouse => {
  if (fact.type === 'WarehouseCreated')
    return { ...fact.data, kind: 'warehouse', version: 1, mode: 'Normal' };
  if (state === null) return state;
  return { ...state, ...changed(fact), version: state.version + 1 };
};

const setAccess = (access: WarehouseAccess, state: WarehouseState): WarehouseFact[] =>
  access.settings === state.settings && access.mcpSettings === state.mcpSettings
    ? []
    : [{ type: 'WarehouseSettingsChanged', data: access }];

const setMode = (to: WarehouseMode, { mode: from }: WarehouseState): WarehouseFact[] =>
  to === from ? [] : [{ type: 'WarehouseModeChanged', data: { from, to } }];

const decide = (command: WarehouseCommand, state: Warehouse): WarehouseFact[] => {
  if (command.type === 'CreateWarehouse')
    return state === null ? [{ type: 'WarehouseCreated', data: command.warehouse }] : [];
  const present = existingWarehouse(state);
  switch (command.type) {
    case 'UpdateWarehouse':
      return [
        ...setAccess(command.access, present),
        ...setMode(command.mode ?? present.mode, present),
      ];
    case 'SetWarehouseMode':
      return setMode(command.mode, present);
    case 'RecordRepair':
      return command.made.length === 0
        ? []
        : [{ type: 'WarehouseRepaired', data: { made: command.made } }];
    default:
      return unreachable(command);
  }
};

/** The rules of a warehouse: any mode can be set after any other. */
export const warehouseDecider: Decider<Warehouse, WarehouseCommand, WarehouseFact> = {
  initial: null,
  decide,
  evolve,
};

/** @param workspace a workspace has one warehouse. */
export const warehouseStream = (workspace: string): string => `warehouse-${workspace}`;
