import type { ConfigurationFact, ConfigurationState } from '@penstock/contracts';
import { aggregateOf } from '../domain/aggregates';
import { VIEWS } from '../read-model/views';
import {
  CONNECTION_FACTS,
  DELIVERY_CONNECTION_FACTS,
  SEALED_CONNECTION_FACTS,
} from './connection.fixture';
import { ALERT_FACTS } from './alert.fixture';
import {
  APPLICATION_EXPORT_FACTS,
  DATABASE_EXPORT_FACTS,
  FILE_EXPORT_FACTS,
} from './export.fixture';
import { ERASURE_FACTS } from './erasure.fixture';
import { HEALTH_FACTS } from './health.fixture';
import { IMPORT_FACTS } from './import.fixture';
import { RUN_CONTROL_FACTS } from './run-control.fixture';
import { RESOLUTION_FACTS, RESOLUTION_SETTINGS_FACTS } from './resolution.fixture';
import { ORGANIZATION_FACTS } from './organization.fixture';
import { PIPELINE_FACTS } from './pipeline.fixture';
import { SUPPRESSION_FACTS } from './suppression.fixture';
import { PROFILE_SCHEMA_FACTS, SEALED_WAREHOUSE_FACTS, WAREHOUSE_FACTS } from './warehouse.fixture';
import { WAREHOUSE_PIPELINE_FACTS } from './warehouse-pipeline.fixture';
import { WORKSPACE_FACTS } from './workspace.fixture';

/** The facts of each stream, oldest first. */
const HISTORIES = [
  ORGANIZATION_FACTS,
  WORKSPACE_FACTS,
  CONNECTION_FACTS,
  SEALED_CONNECTION_FACTS,
  DELIVERY_CONNECTION_FACTS,
  PIPELINE_FACTS,
  WAREHOUSE_FACTS,
  SEALED_WAREHOUSE_FACTS,
  PROFILE_SCHEMA_FACTS,
  SUPPRESSION_FACTS,
  HEALTH_FACTS,
  RUN_CONTROL_FACTS,
  RESOLUTION_FACTS,
  RESOLUTION_SETTINGS_FACTS,
  ERASURE_FACTS,
  ALERT_FACTS,
  IMPORT_FACTS,
  FILE_EXPORT_FACTS,
  DATABASE_EXPORT_FACTS,
  APPLICATION_EXPORT_FACTS,
  WAREHOUSE_PIPELINE_FACTS,
];

/** All types of facts. A new one does not compile here until it is added, with its fixture. */
const TYPES: Readonly<Record<ConfigurationFact['type'], true>> = {
  OrganizationCreated: true,
  ApiKeyCreated: true,
  ApiKeyRevoked: true,
  OrganizationStatusSet: true,
  WorkspaceCreated: true,
  WorkspaceRenamed: true,
  WorkspaceDeleted: true,
  ConnectionCreated: true,
  ConnectionUpdated: true,
  EventWriteKeyCreated: true,
  EventWriteKeyDeleted: true,
  ConnectionLinked: true,
  ConnectionUnlinked: true,
  ConnectionDeleted: true,
  PipelineCreated: true,
  PipelineUpdated: true,
  PipelineStatusSet: true,
  PipelineDeleted: true,
  WarehouseCreated: true,
  WarehouseSettingsChanged: true,
  WarehouseModeChanged: true,
  WarehouseRepaired: true,
  ProfileSchemaChangeStarted: true,
  ProfileSchemaChangeEnded: true,
  UserSuppressed: true,
  UserUnsuppressed: true,
  HealthChanged: true,
  ScheduleSet: true,
  RunRequested: true,
  SlotSkipped: true,
  RunCancelRequested: true,
  RunWaitNoted: true,
  RunEnded: true,
  CursorCleared: true,
  ResolutionTriggered: true,
  ResolutionStarted: true,
  ResolutionCancelRequested: true,
  ResolutionEnded: true,
  ResolutionSettingsSet: true,
  ErasureRequested: true,
  ErasureEnded: true,
  AlertCreated: true,
  AlertUpdated: true,
  AlertDeleted: true,
};

it('has a fixture of every fact', () => {
  const released = HISTORIES.flat().map(({ fact }) => fact.type);
  expect([...new Set(released)].sort()).toEqual(Object.keys(TYPES).sort());
});

describe.each(HISTORIES.map((history) => ({ stream: history[0]?.fact.stream ?? '', history })))(
  'facts of $stream',
  ({ stream, history }) => {
    const aggregate = aggregateOf(stream);
    const states: ConfigurationState[] = [];

    beforeAll(() => {
      let state = aggregate?.initial ?? null;
      for (const { fact } of history) {
        state = aggregate?.evolve(state, fact as unknown as ConfigurationFact) ?? null;
        if (state !== null) states.push(state);
      }
    });

    it('lead to the states as of their publication', () => {
      expect(states).toMatchObject(history.map(({ state }) => state));
    });

    it('lead from each stored state, which decisions are made on, to the next', () => {
      for (const [index, { state }] of history.entries()) {
        const next = history[index + 1];
        const fact = next?.fact as unknown as ConfigurationFact | undefined;
        if (fact !== undefined)
          expect(aggregate?.evolve(state as never, fact)).toEqual(next?.state);
      }
    });

    it('can be put into every view of their kind', () => {
      const views = VIEWS.filter(({ kind }) => stream.startsWith(`${kind}-`));
      for (const { rowsOf, object } of views)
        for (const state of states)
          for (const row of rowsOf(state)) expect(row[object]).toBe(state.id);
      expect(states).toHaveLength(history.length);
    });
  },
);
