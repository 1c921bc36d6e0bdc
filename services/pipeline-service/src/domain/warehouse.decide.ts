import {
  type EndedProfileChange,
  existingWarehouse,
  FIRST_PROFILE_SCHEMA,
  type NewWarehouse,
  Refusal,
  type StartedProfileChange,
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
  | { readonly type: 'RecordRepair'; readonly made: readonly string[] }
  | { readonly type: 'StartProfileChange'; readonly change: StartedProfileChange }
  | ({ readonly type: 'EndProfileChange' } & EndedProfileChange);

/** The change of the schema of profiles that is under way; undefined when there is none. */
export const openChange = ({
  profileChange,
}: Pick<WarehouseState, 'profileChange'>): StartedProfileChange | undefined =>
  profileChange?.endedAt === null ? profileChange : undefined;

/** The version that the next change of the schema of profiles has: no version is used twice. */
export const nextProfilesVersion = ({
  profiles,
  profileChange,
}: Pick<WarehouseState, 'profiles' | 'profileChange'>): number =>
  Math.max(FIRST_PROFILE_SCHEMA.version, profiles?.version ?? 0, profileChange?.version ?? 0) + 1;

const ended = (
  state: WarehouseState,
  end: EndedProfileChange,
): Pick<WarehouseState, 'profiles' | 'profileChange'> => {
  const open = openChange(state);
  if (open === undefined) return {};
  const { version, schema, primarySources, startedAt } = open;
  return {
    profileChange: { ...end, startedAt },
    ...(end.error === null && { profiles: { version, schema, primarySources } }),
  };
};

const changed = (
  fact: Exclude<WarehouseFact, { type: 'ProfileSchemaChangeEnded' }>,
): Partial<WarehouseState> => {
  switch (fact.type) {
    case 'WarehouseCreated':
    case 'WarehouseSettingsChanged':
      return fact.data;
    case 'WarehouseModeChanged':
      return { mode: fact.data.to };
    case 'WarehouseRepaired':
      return {};
    case 'ResolutionSettingsSet':
      return { resolution: fact.data };
    case 'ProfileSchemaChangeStarted':
      return { profileChange: { ...fact.data, endedAt: null } };
    default:
      return unreachable(fact);
  }
};

const evolve = (state: Warehouse, fact: WarehouseFact): Warehouse => {
  if (fact.type === 'WarehouseCreated')
    return { ...fact.data, kind: 'warehouse', version: 1, mode: 'Normal' };
  if (state === null) return state;
  const changes =
    fact.type === 'ProfileSchemaChangeEnded' ? ended(state, fact.data) : changed(fact);
  return { ...state, ...changes, version: state.version + 1 };
};

const setAccess = (access: WarehouseAccess, state: WarehouseState): WarehouseFact[] =>
  access.settings === state.settings && access.mcpSettings === state.mcpSettings
    ? []
    : [{ type: 'WarehouseSettingsChanged', data: access }];

const setMode = (to: WarehouseMode, { mode: from }: WarehouseState): WarehouseFact[] =>
  to === from ? [] : [{ type: 'WarehouseModeChanged', data: { from, to } }];

/** @throws Refusal OperationAlreadyExecuting; InspectionMode; Conflict: another change was made since this one was prepared. */
const startChange = (data: StartedProfileChange, present: WarehouseState): WarehouseFact[] => {
  if (openChange(present) !== undefined) throw new Refusal('OperationAlreadyExecuting');
  if (present.mode === 'Inspection') throw new Refusal('InspectionMode');
  if (data.version !== nextProfilesVersion(present)) throw new Refusal('Conflict');
  return [{ type: 'ProfileSchemaChangeStarted', data }];
};

/** Once: whoever finds a change that nobody is working on any more ends it, too. */
const endChange = (
  { version, endedAt, error }: EndedProfileChange,
  present: WarehouseState,
): WarehouseFact[] =>
  openChange(present)?.version === version
    ? [{ type: 'ProfileSchemaChangeEnded', data: { version, endedAt, error } }]
    : [];

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
    case 'StartProfileChange':
      return startChange(command.change, present);
    case 'EndProfileChange':
      return endChange(command, present);
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
