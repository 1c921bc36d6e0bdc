import {
  type Instant,
  type NewWarehouse,
  type ResolutionSettings,
  WAREHOUSE_MODES,
  type WarehouseFact,
  type WarehouseMode,
  type WorkspaceId,
} from '@penstock/contracts';
import { specify } from '@penstock/event-sourcing';
import { nextProfilesVersion, openChange, warehouseDecider } from './warehouse.decide';

const { given } = specify(warehouseDecider);

const warehouse: NewWarehouse = {
  id: 'w1' as WorkspaceId,
  platform: 'PostgreSQL',
  settings: 'sealed',
  mcpSettings: 'sealed for MCP',
};
const created: WarehouseFact = { type: 'WarehouseCreated', data: warehouse };
const modeChanged = (from: WarehouseMode, to: WarehouseMode): WarehouseFact => ({
  type: 'WarehouseModeChanged',
  data: { from, to },
});
const setMode = (mode: WarehouseMode) => ({ type: 'SetWarehouseMode', mode }) as const;
const present = { settings: 'sealed', mcpSettings: 'sealed for MCP' };
const access = { settings: 'others', mcpSettings: null };
const settingsChanged: WarehouseFact = { type: 'WarehouseSettingsChanged', data: access };

const schemaOf = (name: string): string =>
  JSON.stringify({
    kind: 'object',
    properties: [{ name, type: { kind: 'string' }, readOptional: true }],
  });

it('is created once', () => {
  given().when({ type: 'CreateWarehouse', warehouse }).then(created);
  given(created).when({ type: 'CreateWarehouse', warehouse }).thenNothing();
});

describe('updating', () => {
  it('records other settings', () => {
    given(created).when({ type: 'UpdateWarehouse', access }).then(settingsChanged);
  });

  it.each([
    ['settings', { settings: 'others', mcpSettings: 'sealed for MCP' }],
    ['MCP settings', { settings: 'sealed', mcpSettings: 'others' }],
  ])('records that the %s have changed', (_, each) => {
    given(created)
      .when({ type: 'UpdateWarehouse', access: each })
      .then({ type: 'WarehouseSettingsChanged', data: each });
  });

  it('records nothing where nothing changes', () => {
    given(created).when({ type: 'UpdateWarehouse', access: present }).thenNothing();
    given(created).when({ type: 'UpdateWarehouse', access: present, mode: 'Normal' }).thenNothing();
  });

  it('keeps the mode when none is given', () => {
    given(created, modeChanged('Normal', 'Inspection'))
      .when({ type: 'UpdateWarehouse', access })
      .then(settingsChanged);
  });

  it('changes settings and mode together', () => {
    given(created)
      .when({ type: 'UpdateWarehouse', access, mode: 'Maintenance' })
      .then(settingsChanged, modeChanged('Normal', 'Maintenance'));
  });
});

describe('the mode', () => {
  const pairs = WAREHOUSE_MODES.flatMap((from) => WAREHOUSE_MODES.map((to) => ({ from, to })));

  it.each(pairs)('changes from $from to $to', ({ from, to }) => {
    const past = from === 'Normal' ? [created] : [created, modeChanged('Normal', from)];
    const outcome = given(...past).when(setMode(to));
    if (from === to) outcome.thenNothing();
    else outcome.then(modeChanged(from, to));
  });
});

it('a repair is recorded when it has created something', () => {
  given(created)
    .when({ type: 'RecordRepair', made: ['_meta', 'marker'] })
    .then({ type: 'WarehouseRepaired', data: { made: ['_meta', 'marker'] } });
  given(created).when({ type: 'RecordRepair', made: [] }).thenNothing();
});

it.each([
  { type: 'UpdateWarehouse', access },
  setMode('Normal'),
  { type: 'RecordRepair', made: [] },
] as const)('$type is refused where there is no warehouse', (command) => {
  given().when(command).thenRefused('InvalidWarehouseSettings');
});

describe('changing the schema of profiles', () => {
  const at = '2026-11-25T03:00:00.000Z' as Instant;
  const change = {
    version: 2,
    schema: '{}',
    primarySources: {},
    rePaths: { mail: 'email' },
    startedAt: at,
  };
  const started: WarehouseFact = { type: 'ProfileSchemaChangeStarted', data: change };
  const start = (version: number) =>
    ({ type: 'StartProfileChange', change: { ...change, version } }) as const;
  const end = (version: number, error: string | null) =>
    ({ type: 'EndProfileChange', version, endedAt: at, error }) as const;
  const ended = (version: number, error: string | null): WarehouseFact => ({
    type: 'ProfileSchemaChangeEnded',
    data: { version, endedAt: at, error },
  });
  const stateAfter = (...facts: readonly WarehouseFact[]) => {
    const state = facts.reduce(warehouseDecider.evolve, warehouseDecider.initial);
    if (state === null) throw new Error('there is no warehouse');
    return state;
  };

  it('begins when none is under way, with a version that none had before', () => {
    given(created).when(start(2)).then(started);
    given(created).when(start(3)).thenRefused('Conflict');
    given(created, started).when(start(3)).thenRefused('OperationAlreadyExecuting');
    given(created, started, ended(2, 'why')).when(start(2)).thenRefused('Conflict');
    expect(nextProfilesVersion(stateAfter(created, started, ended(2, 'why')))).toBe(3);
    given(created, modeChanged('Normal', 'Inspection'))
      .when(start(2))
      .thenRefused('InspectionMode');
  });

  it('ends once', () => {
    given(created, started).when(end(2, null)).then(ended(2, null));
    given(created, started, ended(2, null)).when(end(2, 'interrupted')).thenNothing();
    given(created, started).when(end(3, null)).thenNothing();
  });

  it('holds from its end on, unless it has failed', () => {
    expect(stateAfter(created, started)).not.toHaveProperty('profiles');
    expect(openChange(stateAfter(created, started))).toMatchObject(change);
    const { version, schema, primarySources } = change;
    expect(stateAfter(created, started, ended(2, null))).toMatchObject({
      profiles: { version, schema, primarySources },
      profileChange: { version: 2, startedAt: at, endedAt: at, error: null },
    });
    const failed = stateAfter(created, started, ended(2, 'why'));
    expect(failed).not.toHaveProperty('profiles');
    expect(openChange(failed)).toBeUndefined();
  });
});

describe('how identities are resolved', () => {
  const settings: ResolutionSettings = {
    runOnBatchImport: true,
    eventDelay: 60,
    identifiers: ['email'],
    blockedValues: { email: 'sealed' },
  };
  const first: ResolutionSettings = { ...settings, identifiers: [], blockedValues: {} };
  const setTo = (wanted: ResolutionSettings) =>
    ({ type: 'SetResolutionSettings', settings: wanted }) as const;
  const done = (wanted: ResolutionSettings): WarehouseFact => ({
    type: 'ResolutionSettingsSet',
    data: wanted,
  });

  it('is recorded when it changes', () => {
    given(created).when(setTo(first)).thenNothing();
    given(created).when(setTo(settings)).then(done(settings));
    given(created, done(settings))
      .when(setTo({ ...settings }))
      .thenNothing();
    for (const other of [
      { runOnBatchImport: false },
      { eventDelay: null },
      { identifiers: ['email', 'phone'] },
      { blockedValues: {} },
      { blockedValues: { email: 'sealed again' } },
      { blockedValues: { email: 'sealed', phone: 'sealed' } },
    ])
      given(created, done(settings))
        .when(setTo({ ...settings, ...other }))
        .then(done({ ...settings, ...other }));
  });

  const change = {
    version: 2,
    schema: schemaOf('mail'),
    primarySources: {},
    rePaths: { mail: 'email' },
    startedAt: '2026-11-25T03:00:00.000Z' as Instant,
  };
  const begun: WarehouseFact = { type: 'ProfileSchemaChangeStarted', data: change };
  const ended = (error: string | null): WarehouseFact => ({
    type: 'ProfileSchemaChangeEnded',
    data: { version: 2, endedAt: change.startedAt, error },
  });
  const settingsAfter = (...facts: readonly WarehouseFact[]) =>
    facts.reduce(warehouseDecider.evolve, warehouseDecider.initial)?.resolution;

  it('does not change while the schema of profiles does, and follows it then', () => {
    given(created, begun).when(setTo(settings)).thenRefused('OperationAlreadyExecuting');
    given(created, done(settings), begun).when(setTo(settings)).thenNothing();
    const renamed = { ...settings, identifiers: ['mail'], blockedValues: { mail: 'sealed' } };
    expect(settingsAfter(created, done(settings), begun)).toEqual(settings);
    expect(settingsAfter(created, done(settings), begun, ended(null))).toEqual(renamed);
    expect(settingsAfter(created, done(settings), begun, ended('why'))).toEqual(settings);
    expect(settingsAfter(created, begun, ended(null))).toBeUndefined();
  });
});
